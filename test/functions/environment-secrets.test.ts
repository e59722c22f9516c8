import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import type { Context } from 'aws-lambda'
import { processEnvironment, roleKeyNames } from '../../lib/config.ts'
import { secretNames } from '../../lib/resources/function-declaration.ts'
import { functionNames, functions } from '../../lib/resources/functions.ts'
import { loadConfigAndClearSecrets } from '../../lib/services/load-config.ts'

const derivedKey = Buffer.alloc(32).toString('base64url')
const secrets: Readonly<Record<string, string>> = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'of a role',
  AWS_SESSION_TOKEN: 'for an hour',
  SERVICE_SECRET: 'a secret that only this test knows',
  ORIGIN_SECRET: 'a secret of the front',
  SMTP_URL: 'smtp://user:password@127.0.0.1',
  OPENID_PROVIDERS: '[]',
  DRIVES: '{}',
  DOWNLOAD_KEY: derivedKey,
  CDN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  TASK_KEY: derivedKey,
  WEBHOOK_KEY: derivedKey,
}
const names = [...roleKeyNames, ...secretNames]
const listPresent = (environment: Readonly<Record<string, string | undefined>>) =>
  names.filter((name) => environment[name] !== undefined)

const context = { getRemainingTimeInMillis: () => 60_000 } as Context
type Handler = (event: unknown, context: Context) => Promise<unknown>

test('functions and their child processes have no secrets in their environment', async () => {
  // Nothing listens on this port.
  Object.assign(processEnvironment, { AWS_ENDPOINT_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'silent' })
  assert.deepEqual(Object.keys(secrets).sort(), [...names].sort())
  const declaredFunctions = functionNames
    .map((name) => functions[name])
    .filter(({ rights }) => rights.length > 0)
  const handlers = new Set(['functions/convert.handler', ...declaredFunctions.map(({ handler }) => handler)])
  const calledFiles = new Set<string>()
  for (const handler of handlers) {
    const [file = '', exported = ''] = handler.split('.')
    if (calledFiles.has(file)) continue
    calledFiles.add(file)
    Object.assign(processEnvironment, secrets, { IMAGE_ID: 'image' })
    const module: Record<string, Handler> = await import(`../../${file}.ts`)
    await module[exported]?.({}, context).catch(() => undefined)
    assert.deepEqual(listPresent(processEnvironment), [], file)
  }
  assert.ok(calledFiles.size > 20, `${calledFiles.size} functions were called`)
  const program = 'process.stdout.write(JSON.stringify(process.env))'
  const { stdout } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
  assert.deepEqual(listPresent(JSON.parse(stdout)), [])
})

test('secrets removed from the environment of a function stay available to its code', () => {
  Object.assign(processEnvironment, secrets)
  loadConfigAndClearSecrets()
  const { roleKey, SERVICE_SECRET, SMTP_URL } = loadConfigAndClearSecrets({ SMTP_URL: 'smtp://127.0.0.2' })
  assert.deepEqual(roleKey, {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'of a role',
    sessionToken: 'for an hour',
  })
  assert.equal(SERVICE_SECRET, secrets['SERVICE_SECRET'])
  assert.equal(SMTP_URL, 'smtp://127.0.0.2', 'a new value in the environment wins')
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { listen } from '../../lib/embedded-aws/listen.ts'
import { getStartFailure, startEmbedded } from '../embedded-aws/embedded-process.ts'
import { listDescendants, readResidentBytes } from '../support/processes.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const run = promisify(execFile)

test('the printed shell variables point the AWS SDK at all embedded servers', async (t) => {
  const data = join(scratchFolder('mutabor-embedded'), 'new')
  const { firstLine, pid, end } = await startEmbedded(t, '--data', data)
  const script = `eval "$EXPORTS" && exec "${process.execPath}" ${join(import.meta.dirname, '../embedded-aws/sdk-defaults.ts')}`
  // Nothing else is set in the environment: no endpoints or keys of the user who runs the tests.
  const { stdout } = await run('/bin/sh', ['-c', script], { env: { EXPORTS: firstLine, HOME: data } })
  assert.deepEqual(JSON.parse(stdout), {
    S3: 'object',
    SQS: 'message',
    DYNAMODB: ['table'],
    EVENTBRIDGE: 0,
  })
  assert.equal((await stat(join(data, 'secrets.json'))).mode & 0o777, 0o600)
  const [database, ...otherProcesses] = listDescendants(pid)
  assert.ok(database)
  assert.deepEqual(otherProcesses, [])
  assert.equal(await end(), 0)
  assert.equal(readResidentBytes(database.pid), 0, 'no process is left')
})

test('embedded --json prints the variables as JSON, with the requested ports and region', async (t) => {
  const data = scratchFolder('mutabor-embedded')
  const base = await findFreePortBase()
  const args = ['--data', data, '--port-base', `${base}`, '--region', 'us-west-2', '--json']
  const { firstLine } = await startEmbedded(t, ...args)
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...rest } = JSON.parse(firstLine)
  assert.match(AWS_ACCESS_KEY_ID, /^MUTABOR/)
  assert.ok(AWS_SECRET_ACCESS_KEY.length >= 40)
  assert.deepEqual(rest, {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${base}`,
    AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${base + 1}`,
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${base + 2}`,
    AWS_ENDPOINT_URL_EVENTBRIDGE: `http://127.0.0.1:${base + 3}`,
    AWS_REGION: 'us-west-2',
    AWS_DEFAULT_REGION: 'us-west-2',
  })

  const secondFailure = await getStartFailure('--data', data)
  assert.deepEqual(secondFailure, {
    code: 1,
    output: `The data folder ${data} is in use by another service. Stop that service, or set another --data.\n`,
  })
  const otherFailure = await getStartFailure(
    '--data',
    scratchFolder('mutabor-embedded'),
    '--port-base',
    `${base - 2}`,
  )
  assert.deepEqual(otherFailure, {
    code: 1,
    output: `Port ${base} on 127.0.0.1 is in use. Stop the program that uses it, or set another --port-base.\n`,
  })
})

for (const [args, sentence] of [
  [['--port-base', '65533'], 'Expected --port-base to be a port from 1 to 65532, got "65533".'],
  [['--port-base', '80a'], 'Expected --port-base to be a port from 1 to 65532, got "80a".'],
  [['--region', 'x; id'], 'Expected --region to be a name such as eu-central-1, got "x; id".'],
  [['--ports', '1'], "Unknown option '--ports'"],
] as const)
  test(`the embedded command refuses the arguments ${args.join(' ')} with a message and the usage`, async () => {
    const { code, output } = await getStartFailure(...args)
    assert.equal(code, 2)
    assert.ok(output.startsWith(`${sentence}\n\nUsage: npm run -s embedded`), output)
  })

/** Finds five free consecutive ports, with two more before them for the last start of the test. */
async function findFreePortBase(): Promise<number> {
  for (;;) {
    const firstServer = createServer()
    const base = await listen(firstServer, 0)
    const results = await Promise.allSettled(
      [-2, -1, 1, 2, 3, 4].map(async (offset) => {
        const server = createServer()
        await listen(server, base + offset)
        return server
      }),
    )
    firstServer.close()
    for (const result of results) if (result.status === 'fulfilled') result.value.close()
    if (results.every(({ status }) => status === 'fulfilled')) return base
  }
}

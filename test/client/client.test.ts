import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import * as client from '../../lib/client/index.ts'
import { createManagerKey } from '../support/account.ts'
import { startService, type TestService } from '../support/service.ts'
import { clientCases } from './client-cases.ts'
import { commandCases } from './command-cases.ts'
import { hostileServiceCases } from './hostile-service-cases.ts'
import { withShell } from './run-command.ts'

/** Names of the fast cases; package.slow.ts runs all of them. */
const fastCases: ReadonlySet<string> = new Set([
  'resumes an interrupted download',
  'retries a request after a lost response, and after a rate limit if it is allowed to wait',
  'uses one owner token even if several requests start concurrently',
  'accepts only webhooks with a valid signature',
  'converts a file once and skips it when run again',
  'rejects an unknown option before uploading and suggests a similar one',
  'creates each result once when two commands run concurrently',
  'saves results only in the target folder, whatever name the service sends',
  'drops completions that a shell would execute',
])

describe('the client package', { concurrency: 4 }, () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  for (const [name, run] of Object.entries(clientCases))
    if (fastCases.has(name)) test(`the client package ${name}`, () => run(client, service.url))

  test('the command line stores only API keys that the service accepts', () =>
    withShell(service.url, async (shell) => {
      assert.match((await shell.run(['login', `sk_${'x'.repeat(49)}`])).stderr, /API key/)
      assert.match(
        (await shell.run(['login', await createManagerKey(service)])).stderr,
        /^Signed in as .+@example\.com/,
      )
      assert.match((await shell.run(['doctor'])).stdout, /✓ +identity +\S+config\.json; plan pro/)
      assert.equal((await stat(join(shell.folder, '.home/mutabor/config.json'))).mode & 0o777, 0o600)
      assert.equal((await shell.run(['logout'])).code, 0)
    }))

  for (const [name, run] of Object.entries({ ...commandCases, ...hostileServiceCases }))
    if (fastCases.has(name)) test(`the command line ${name}`, () => withShell(service.url, run))
})

test('the client bundle is smaller than 10 kB when compressed', async () => {
  const { outputFiles } = await build({
    entryPoints: ['lib/client/index.ts'],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length
  assert.ok(bytes > 0 && bytes < 10_000, `${bytes} bytes`)
})

import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import * as client from '../../lib/client/index.ts'
import { managerOf } from '../account.ts'
import { startService, type TestService } from '../service.ts'
import { clientCases } from './client-cases.ts'
import { commandCases } from './command-cases.ts'
import { hostileServiceCases } from './hostile-service-cases.ts'
import { withShell } from './run-command.ts'

/** Of all that packed.slow.ts tries, what takes but a moment. */
const fastCases: ReadonlySet<string> = new Set([
  'goes on with a download that breaks off',
  'sends again what failed for now, and makes one job of it',
  'belongs to one identity, however many requests come first',
  'believes a webhook that is signed, and no other',
  'converts a file, and does not do it twice',
  'tells of a wrong option before it sends anything, and what was meant',
  'makes everything once when it is called twice at once',
  'puts results nowhere but where it was told to, whatever they are called',
  'hands shells no word that they would carry out',
])

describe('the client', { concurrency: 4 }, () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.stop())

  for (const [name, run] of Object.entries(clientCases))
    if (fastCases.has(name)) test(`it ${name}`, () => run(client, service.url))

  test('its command line keeps a key that the service knows, and no other', () =>
    withShell(service.url, async (shell) => {
      assert.match((await shell.run(['login', `sk_${'x'.repeat(49)}`])).stderr, /API key/)
      assert.match(
        (await shell.run(['login', await managerOf(service)])).stderr,
        /^Signed in as .+@example\.com/,
      )
      assert.match((await shell.run(['doctor'])).stdout, /✓ +identity +\S+config\.json; plan pro/)
      assert.equal((await stat(join(shell.folder, '.home/mutabor/config.json'))).mode & 0o777, 0o600)
      assert.equal((await shell.run(['logout'])).code, 0)
    }))

  for (const [name, run] of Object.entries({ ...commandCases, ...hostileServiceCases }))
    if (fastCases.has(name)) test(`its command line ${name}`, () => withShell(service.url, run))
})

test('the client has less than 10 kB', async () => {
  const { outputFiles } = await build({
    entryPoints: ['lib/client/index.ts'],
    ...{ bundle: true, format: 'esm', minify: true, write: false },
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length
  assert.ok(bytes > 0 && bytes < 10_000, `${bytes} bytes`)
})

// The client package of the previous version, with its own tests, against this service: programs that use it must keep
// working. The archive was made once, from commit d32a7eda: esbuild bundled `lib/client/index.ts`, the command line and
// their cases in `test/client`. It is replaced when a version is released.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type * as Client from '../../lib/client/index.ts'
import { startService, type TestService } from '../support/service.ts'
import type { clientCases as ClientCases } from './client-cases.ts'
import type { commandCases as CommandCases } from './command-cases.ts'
import { withShell } from './run-command.ts'

const archive = fileURLToPath(new URL('../fixtures/previous-client.tgz', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'mutabor-previous-client-'))
await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'])
const load = (name: string) => import(pathToFileURL(join(folder, name)).href)
// The modules of the archive are cast to the types of the current modules.
const client = (await load('index.js')) as typeof Client
const { clientCases } = (await load('test/client/client-cases.js')) as { clientCases: typeof ClientCases }
const { commandCases } = (await load('test/client/command-cases.js')) as { commandCases: typeof CommandCases }
const program = [process.execPath, join(folder, 'mutabor.js')]

describe('compatibility with the previous client', { concurrency: 4 }, () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(async () => {
    await service.stop()
    await rm(folder, { recursive: true })
  })

  for (const [name, run] of Object.entries(clientCases))
    test(`the previous version of the client package ${name}`, () => run(client, service.url))

  for (const [name, run] of Object.entries(commandCases))
    test(`the previous version of the command line ${name}`, () => withShell(service.url, run, program))
})

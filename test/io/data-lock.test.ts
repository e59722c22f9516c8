import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService, type TestService } from '../support/service.ts'

let firstService: TestService

before(async () => {
  const dataDir = scratchFolder('mutabor-open')
  chmodSync(dataDir, 0o755)
  writeFileSync(join(dataDir, 'service.log'), '', { mode: 0o644 })
  firstService = await startService({}, dataDir)
})
after(() => firstService.kill())

test('other users of the system cannot access the data folder of the service or its files', async () => {
  const { dataDir } = firstService
  const file = { name: 'a.txt', bytes: new Uint8Array(Buffer.from('text')) }
  await new Client(firstService).convert(file, { targetFormat: 'html' })
  const names = ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })]
  const accessibleNames = names.filter((name) => isAccessibleToOthers(join(dataDir, name)))
  assert.deepEqual(accessibleNames, [])
})

/**
 * Returns whether other users of the system have access to the path; false if it was deleted meanwhile. If root started
 * the service, its workers have their own group, which may have access.
 */
function isAccessibleToOthers(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return false
  const isWorkerGroup = stats.gid !== process.getgid?.()
  return (stats.mode & (isWorkerGroup ? 0o007 : 0o077)) !== 0
}

test('a second service on the same data folder fails with a message while the first keeps running', async () => {
  await assert.rejects(
    startService({}, firstService.dataDir),
    new RegExp(
      `^Error: the service did not start: The data folder ${firstService.dataDir} is in use by another service\\. Stop that service, or set another DATA_DIR\\.\\n$`,
    ),
  )
  assert.equal((await fetch(`${firstService.url}/v1`)).status, 200)
  await firstService.kill()
  const restartedService = await startService({}, firstService.dataDir)
  await restartedService.kill()
})

// Backs up a service with jobs, restores the backup, and starts a service on it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, startService } from '../support/service.ts'

const run = promisify(execFile)
const commandsFolder = fileURLToPath(new URL('../../lib/local/commands', import.meta.url))

/** Runs `npm run backup` or `npm run restore`. */
export const runBackupScript = (name: 'backup' | 'restore', dataDir: string, ...args: readonly string[]) =>
  run(process.execPath, [join(commandsFolder, `${name}.ts`), ...args], {
    env: { ...process.env, DATA_DIR: dataDir },
  })

/**
 * Checks the jobs that completed before the backup started; `checkOpen` checks those that were accepted but unfinished.
 */
export async function checkRestoredJobs(
  t: TestContext,
  checkOpen: (client: Client, openJobs: readonly string[]) => Promise<void>,
): Promise<void> {
  const dir = scratchFolder('backup')
  const archive = join(dir, 'saved.tar')
  const bytes = Buffer.from(await readFile(new URL('../fixtures/corners.png', import.meta.url)))
  const service = await startService()
  t.after(() => service.stop())
  const client = new Client(service)
  const submit = async () => {
    const response = await client.convert({ name: 'c.png', bytes }, { targetFormat: 'webp' })
    return ((await response.json()) as { data: { jobId: string } }).data.jobId
  }
  const finishedJobs = [await submit(), await submit()]
  const results = new Map<string, Buffer>()
  for (const id of finishedJobs) {
    assert.equal((await client.finishedJob(id)).status, 'completed')
    results.set(id, await client.download(id))
  }
  const openJobs = await Promise.all(Array.from({ length: 12 }, submit))
  let isSaved = false
  const submissions = (async () => {
    while (!isSaved) await submit()
  })()
  await runBackupScript('backup', service.dataDir, archive)
  isSaved = true
  await submissions
  await service.kill()

  const restoredFolder = join(dir, 'restored')
  await runBackupScript('restore', restoredFolder, archive)
  const secondService = await startService({}, restoredFolder)
  t.after(() => secondService.kill())
  // The old URL no longer works, but the client's signed identity is still valid.
  const restoredClient = client.at(secondService)
  for (const [id, result] of results) assert.deepEqual(await restoredClient.download(id), result)
  await checkOpen(restoredClient, openJobs)
}

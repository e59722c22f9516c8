// Removes temporary folders with users' documents that a killed process could not remove.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeProcessFolder } from '../../engines/sandbox/process-folder.ts'
import type { Log } from '../../log.ts'

/** Pauses between attempts: the engines of the process die with it, but not immediately, and may write until then. */
const pausesMs = [0, 1000, 5000, 20_000]

/**
 * Removes the folders that a process created, after it has exited.
 * @param folders parent folders; see `makeProcessFolder`
 */
export async function removeLeftoverFolders(
  pid: number,
  folders: readonly string[],
  log: Log,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs, undefined, { ref: false })
    const paths = (await Promise.all(folders.map((folder) => listLeftoverFolders(pid, folder)))).flat()
    const removals = await Promise.allSettled(paths.map(removeProcessFolder))
    const failedRemoval = removals.find((removal) => removal.status === 'rejected')
    if (!failedRemoval) return
    log.warn({ pid, error: failedRemoval.reason }, 'folders of a worker that exited could not be removed yet')
  }
}

async function listLeftoverFolders(pid: number, folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const leftoverPattern = new RegExp(`^(task|mutabor-[a-z]+)-${pid}-\\w{6}$`)
  return names.filter((name) => leftoverPattern.test(name)).map((name) => join(folder, name))
}

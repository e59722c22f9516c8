// What processes leave behind that could not clear up themselves: users' documents, in folders of our own making.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { removeProcessFolder } from '../engines/sandbox/process-folder.ts'
import type { Log } from '../log.ts'

/** The engines that it ran die with it, but not in the same moment, and until then they may write. */
const pausesMs = [0, 1000, 5000, 20_000]

/**
 * Removes the folders that a process has made, once it is gone.
 * @param folders where it makes them; see `makeProcessFolder`
 */
export async function removeLeftoverFolders(
  pid: number,
  folders: readonly string[],
  log: Log,
): Promise<void> {
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs, undefined, { ref: false })
    const paths = (await Promise.all(folders.map((folder) => listLeftoverFolders(pid, folder)))).flat()
    const removed = await Promise.allSettled(paths.map(removeProcessFolder))
    const failed = removed.find((one) => one.status === 'rejected')
    if (!failed) return
    log.warn({ pid, error: failed.reason }, 'folders of a worker that ended could not be removed yet')
  }
}

async function listLeftoverFolders(pid: number, folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const isLeftover = new RegExp(`^(task|mutabor-[a-z]+)-${pid}-\\w{6}$`)
  return names.filter((name) => isLeftover.test(name)).map((name) => join(folder, name))
}

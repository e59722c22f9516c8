import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from './process-end.ts'

/** For a process that lives on between jobs. Its name tells whose it is: the prefix, then the id of this service. */
export function makeProcessFolder(baseDir: string, prefix: string): Promise<string> {
  return mkdtemp(join(baseDir, `${prefix}${process.pid}-`))
}

export async function removeProcessFolder(folder: string): Promise<void> {
  // The last of the tree may still be dying, and write.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

/** A service that was ended by SIGKILL leaves the folders of its processes, with its users' documents in them. */
export async function removeOrphanedFolders(baseDir: string, prefix: string): Promise<void> {
  await mkdir(baseDir, { recursive: true })
  for (const name of await readdir(baseDir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0
    if (pid > 0 && !isAlive(pid)) await removeProcessFolder(join(baseDir, name))
  }
}

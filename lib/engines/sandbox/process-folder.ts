import { constants, createWriteStream } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isAlive } from './process-exit.ts'

/** For a process that lives on between jobs. Its name tells whose it is: the prefix, then the id of this service. */
export function makeProcessFolder(baseDir: string, prefix: string): Promise<string> {
  return mkdtemp(join(baseDir, `${prefix}${process.pid}-`))
}

export async function removeProcessFolder(folder: string): Promise<void> {
  // The last of the tree may still be dying, and write.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

/** Copies a file in; never onto something that is there, as a process under foreign control could have left a link. */
export function copyIn(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_EXCL)
}

/** Moves a result out. False when it is no plain file: that is neither followed nor left there. */
export async function moveOut(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    if (!(await copyOut(from, to))) return false
  }
  const stats = await lstat(to)
  if (stats.isFile() && stats.nlink === 1) return true
  await rm(to, { recursive: true })
  return false
}

async function copyOut(from: string, to: string): Promise<boolean> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using source = await open(from, flags).catch((error: unknown) => {
    if (errorCode(error) !== 'ELOOP') throw error
    return undefined // It is a link.
  })
  if (!source || !(await source.stat()).isFile()) return false
  await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(to))
  return true
}

/** Folders of tasks: there is one while its task runs. */
export const taskFolderPrefix = 'task-'

/** On Lambda a process has the number of the one before it, whose folders it finds; see `removeOrphanedFolders`. */
export async function removeOwnFolders(baseDir: string, prefix: string): Promise<void> {
  for (const name of await readdir(baseDir).catch(() => [])) {
    if (name.startsWith(`${prefix}${process.pid}-`)) await removeProcessFolder(join(baseDir, name))
  }
}

/**
 * A service that was ended by SIGKILL leaves the folders of its processes, with its users' documents in them. Those of
 * another user's service are that user's to remove.
 */
export async function removeOrphanedFolders(baseDir: string, prefix: string): Promise<void> {
  await mkdir(baseDir, { recursive: true })
  for (const name of await readdir(baseDir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0
    if (pid > 0 && !isAlive(pid)) await removeProcessFolder(join(baseDir, name)).catch(ignorePermissionError)
  }
}

function ignorePermissionError(error: unknown): void {
  const code = errorCode(error)
  if (code !== 'EACCES' && code !== 'EPERM') throw error
}

const errorCode = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

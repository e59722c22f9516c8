import { constants, createWriteStream } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isAlive } from './process-exit.ts'

/**
 * Creates a folder for a process that is kept between jobs. The folder's name contains the prefix and the pid of this
 * service.
 */
export function makeProcessFolder(baseDir: string, prefix: string): Promise<string> {
  return mkdtemp(join(baseDir, `${prefix}${process.pid}-`))
}

export async function removeProcessFolder(folder: string): Promise<void> {
  // Processes that were just killed may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

/** Copies a file into the folder. Existing files are never overwritten, as a hostile process could have left a link. */
export function copyIn(from: string, to: string): Promise<void> {
  return copyFile(from, to, constants.COPYFILE_EXCL)
}

/**
 * Moves a result out of the folder. Returns false for anything but a regular file, which is removed and not followed.
 */
export async function moveOut(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
  } catch (error) {
    if (getErrorCode(error) !== 'EXDEV') throw error
    if (!(await copyOut(from, to))) return false
  }
  const stats = await lstat(to)
  if (stats.isFile() && stats.nlink === 1) return true
  await rm(to, { recursive: true })
  return false
}

/** Copies a regular file. Returns false for anything else, without following links. */
export async function copyOut(from: string, to: string): Promise<boolean> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  await using source = await open(from, flags).catch((error: unknown) => {
    if (getErrorCode(error) !== 'ELOOP') throw error
    return undefined // The path is a symbolic link.
  })
  if (!source || !(await source.stat()).isFile()) return false
  await pipeline(source.createReadStream({ autoClose: false }), createWriteStream(to))
  return true
}

/** Name prefix of task folders, which exist while their task is running. */
export const taskFolderPrefix = 'task-'

/**
 * Removes folders that an earlier process with the same pid left behind, as happens on Lambda.
 * See also `removeOrphanedFolders`.
 */
export async function removeOwnFolders(baseDir: string, prefix: string): Promise<void> {
  for (const name of await readdir(baseDir).catch(() => [])) {
    if (name.startsWith(`${prefix}${process.pid}-`)) await removeProcessFolder(join(baseDir, name))
  }
}

/**
 * Removes the folders that services left behind when they were killed; these contain documents of users. Folders of
 * other users' services cannot be removed and are skipped.
 */
export async function removeOrphanedFolders(baseDir: string, prefix: string): Promise<void> {
  await mkdir(baseDir, { recursive: true })
  for (const name of await readdir(baseDir)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : 0
    if (pid > 0 && !isAlive(pid)) await removeProcessFolder(join(baseDir, name)).catch(ignorePermissionError)
  }
}

function ignorePermissionError(error: unknown): void {
  const code = getErrorCode(error)
  if (code !== 'EACCES' && code !== 'EPERM') throw error
}

const getErrorCode = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

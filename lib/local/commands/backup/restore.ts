import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { lockDataFolder } from '../../../io/data-lock.ts'
import { BackupManifest, backupManifestName, extractArchive } from './archive.ts'
import { getBlobPath, listBlobs, s3DatabasePath } from './s3-files.ts'
import { BackupError } from './save.ts'

const stagingName = '.restore'
/** Entries that an empty folder may contain: those of this service, and those at the root of a file system. */
const ignoredEntries: readonly string[] = ['lock.sqlite', 'lock.sqlite-journal', stagingName, 'lost+found']

/**
 * Restores the data folder from an archive and returns its manifest. Nothing is overwritten: the folder has to be
 * empty, and everything is checked before it is moved into place.
 * @throws BackupError if the folder is not empty or in use, or the archive is damaged or not a backup of this service
 */
export async function restoreDataFolder(
  dataDir: string,
  file: string,
  signal = new AbortController().signal,
): Promise<BackupManifest> {
  const archive = resolve(file)
  if (!existsSync(archive)) throw new BackupError(`The file ${archive} does not exist.`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir)
  const folder = join(dataDir, stagingName)
  try {
    const existingEntries = (await readdir(dataDir)).filter((name) => !ignoredEntries.includes(name))
    if (existingEntries.length > 0)
      throw new BackupError(
        `The data folder ${dataDir} already contains data. Move it away, or set another DATA_DIR.`,
      )
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
    const manifest = await extractAndCheck(archive, folder, signal)
    await promisify(execFile)('sync', ['--file-system', folder])
    for (const name of await readdir(folder))
      if (name !== backupManifestName) await rename(join(folder, name), join(dataDir, name))
    return manifest
  } finally {
    await rm(folder, { recursive: true, force: true })
    lock.release()
  }
}

async function extractAndCheck(
  archive: string,
  folder: string,
  signal: AbortSignal,
): Promise<BackupManifest> {
  try {
    await extractArchive(archive, folder, signal)
    const manifest = BackupManifest.parse(
      JSON.parse(await readFile(join(folder, backupManifestName), 'utf8')),
    )
    for (const path of await listFiles(folder)) if (path.endsWith('.sqlite')) checkDatabase(path)
    await checkBlobs(folder)
    return manifest
  } catch (cause) {
    signal.throwIfAborted()
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new BackupError(`${archive} is not a backup of this service, or it is damaged: ${reason}`, {
      cause,
    })
  }
}

/** Lists all files. @throws for anything but files and folders, because a link could point outside the data folder */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const fileStats = await lstat(path)
    if (fileStats.isDirectory()) files.push(...(await listFiles(path)))
    else if (fileStats.isFile() && fileStats.nlink === 1) files.push(path)
    else throw new Error(`The archive contains ${name}, which is not a regular file.`)
  }
  return files
}

function checkDatabase(file: string): void {
  const database = new DatabaseSync(file)
  try {
    const { quick_check: result } = database.prepare('PRAGMA quick_check(1)').get() ?? {}
    if (result !== 'ok') throw new Error(`A database in the archive is corrupt: ${String(result)}`)
  } finally {
    database.close()
  }
}

async function checkBlobs(folder: string): Promise<void> {
  if (!existsSync(join(folder, s3DatabasePath))) return
  const database = new DatabaseSync(join(folder, s3DatabasePath))
  try {
    for (const { blobId: blob, size } of listBlobs(database)) {
      const blobStats = await stat(join(folder, getBlobPath(blob)))
      if (blobStats.size !== size)
        throw new Error(`The file of an object has ${blobStats.size} bytes instead of ${size}.`)
    }
  } finally {
    database.close()
  }
}

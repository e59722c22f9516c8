import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { lockDataFolder } from '../data-lock.ts'
import { BackupManifest, backupManifestName, extractArchive } from './archive.ts'
import { blobPath, listBlobs, s3Database } from './s3-files.ts'
import { BackupError } from './save.ts'

const stagingName = '.restore'
/** What a folder may hold that counts as empty: what we make ourselves, and what a file system has at its root. */
const ignoredEntries: readonly string[] = ['lock.sqlite', 'lock.sqlite-journal', stagingName, 'lost+found']

/**
 * Makes the data folder what it was when the archive was saved, and says when that was. Nothing is overwritten: the
 * folder has to be empty, and all is checked before it is moved into its place.
 * @throws BackupError with a sentence when the folder is not empty or in use, or the archive is damaged or none of ours.
 */
export async function restoreDataFolder(
  dataDir: string,
  file: string,
  signal = new AbortController().signal,
): Promise<BackupManifest> {
  const archive = resolve(file)
  if (!existsSync(archive)) throw new BackupError(`There is no file ${archive}.`)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir)
  const folder = join(dataDir, stagingName)
  try {
    const present = (await readdir(dataDir)).filter((name) => !ignoredEntries.includes(name))
    if (present.length > 0)
      throw new BackupError(
        `The data folder ${dataDir} holds data already. Move it away, or set another DATA_DIR.`,
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
    throw new BackupError(`${archive} is no backup of this service, or it is damaged: ${reason}`, { cause })
  }
}

/** All files. @throws when there is anything but files and folders: a link could lead out of the data folder. */
async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await lstat(path)
    if (found.isDirectory()) files.push(...(await listFiles(path)))
    else if (found.isFile() && found.nlink === 1) files.push(path)
    else throw new Error(`It holds ${name}, which is not a plain file.`)
  }
  return files
}

function checkDatabase(file: string): void {
  const database = new DatabaseSync(file)
  try {
    const { quick_check: result } = database.prepare('PRAGMA quick_check(1)').get() ?? {}
    if (result !== 'ok') throw new Error(`A database in it is not whole: ${String(result)}`)
  } finally {
    database.close()
  }
}

async function checkBlobs(folder: string): Promise<void> {
  if (!existsSync(join(folder, s3Database))) return
  const database = new DatabaseSync(join(folder, s3Database))
  try {
    for (const { blob, size } of listBlobs(database)) {
      const found = await stat(join(folder, blobPath(blob)))
      if (found.size !== size)
        throw new Error(`A file of an object has ${found.size} bytes instead of ${size}.`)
    }
  } finally {
    database.close()
  }
}

import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAlive } from '../../../engines/sandbox/process-exit.ts'
import { type BackupManifest, backupManifestName, createArchive } from './archive.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'

const stagingPrefix = '.backup-'

interface SavedBackup extends Snapshot {
  readonly bytes: number
}

export class BackupError extends Error {}

/**
 * Saves a data folder as a tar archive, whether its service is running or not. The archive contains everything that the
 * service acknowledged before the backup started.
 * @throws BackupError if there is nothing to save, or the archive exists
 */
export async function saveDataFolder(
  dataDir: string,
  file: string,
  signal = new AbortController().signal,
): Promise<SavedBackup> {
  const archive = resolve(file)
  if (existsSync(archive)) throw new BackupError(`${archive} already exists. Choose another file.`)
  if (!existsSync(join(dataDir, 'secrets.json')))
    throw new BackupError(
      `${dataDir} is not a data folder of this service. Set DATA_DIR to the folder to save.`,
    )
  await removeAbandonedStaging(dataDir)
  // The staging folder is inside the data folder, so that files can be linked instead of copied.
  const stagingFolder = join(dataDir, `${stagingPrefix}${process.pid}`)
  const partialArchive = `${archive}.part`
  try {
    await mkdir(stagingFolder, { mode: 0o700 })
    const manifest: BackupManifest = { format: 1, createdAt: new Date().toISOString() }
    await writeFile(join(stagingFolder, backupManifestName), `${JSON.stringify(manifest)}\n`, { mode: 0o600 })
    const snapshot = await takeSnapshot(dataDir, stagingFolder, signal)
    // The archive will contain secrets, so it is created with permissions for this user only.
    await writeFile(partialArchive, '', { mode: 0o600, flag: 'wx' })
    await createArchive(stagingFolder, partialArchive, signal)
    await syncFile(partialArchive)
    await rename(partialArchive, archive)
    return { ...snapshot, bytes: (await stat(archive)).size }
  } catch (error) {
    await rm(partialArchive, { force: true })
    throw error
  } finally {
    await rm(stagingFolder, { recursive: true, force: true })
  }
}

/** Removes the staging folders of backups that were killed. */
async function removeAbandonedStaging(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir))
    if (name.startsWith(stagingPrefix) && !isAlive(Number(name.slice(stagingPrefix.length))))
      await rm(join(dataDir, name), { recursive: true, force: true })
}

async function syncFile(file: string): Promise<void> {
  const handle = await open(file)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

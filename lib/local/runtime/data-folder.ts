import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { lockDataFolder } from '../../io/data-lock.ts'
import { isNoSpaceError } from '../../io/disk-space.ts'
import { createLog, type Log } from '../../log.ts'
import { checkDataFolder, type DamageOptions } from './damaged-data.ts'
import { DiskReserve } from './disk-reserve.ts'
import { type DataFolderSecrets, loadSecrets } from './secrets.ts'
import { assignWorkerUser, type WorkerUser } from './worker-user.ts'

export interface DataFolder {
  readonly dataDir: string
  /** Work folder of the engines; it is empty at the start. */
  readonly workDir: string
  readonly logFile: string
  readonly log: Log
  readonly secrets: DataFolderSecrets
  readonly reserve: DiskReserve
  /** User of the worker processes; undefined if they run as the user of the service. */
  readonly workerUser: WorkerUser | undefined
  close(): Promise<void>
}

/**
 * Minimum number of free bytes: with less, the first write of a start would fail, because databases create their logs
 * and, at the first start, their tables.
 */
const minFreeBytesToStart = 4 * 1024 ** 2

type AcceptLoss = Pick<DamageOptions, 'onAcceptedLoss'>

/**
 * Locks and checks the data folder and opens what every service needs from it: log, secrets, disk reserve and work
 * folder.
 * @throws if another service uses the folder, DiskFullError if its disk is full, and DamagedDataError
 */
export async function openDataFolder(
  config: Config,
  onDiskFull: () => void,
  options: AcceptLoss = {},
): Promise<DataFolder> {
  const dataDir = resolve(config.DATA_DIR)
  try {
    return await openLockedFolder(dataDir, config, onDiskFull, options)
  } catch (error) {
    throw isNoSpaceError(error) ? createDiskFullError(dataDir, error) : error
  }
}

async function openLockedFolder(
  dataDir: string,
  config: Config,
  onDiskFull: () => void,
  { onAcceptedLoss }: AcceptLoss,
): Promise<DataFolder> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir)
  let reserve: DiskReserve | undefined
  try {
    restrictAccess(dataDir)
    const workerUser = assignWorkerUser(dataDir)
    const workDir = join(dataDir, 'work')
    // A crash may have left the work folder. It is deleted first, because its files may have filled the disk.
    await rm(workDir, { recursive: true, force: true })
    const logFile = config.LOG_FILE ?? join(dataDir, 'service.log')
    const log = createLog({ ...config, LOG_FILE: logFile })
    const openedReserve = new DiskReserve(dataDir, log, onDiskFull)
    reserve = openedReserve
    if (openedReserve.ensureFreeSpace() < minFreeBytesToStart) throw createDiskFullError(dataDir)
    await checkDataFolder(dataDir, { command: 'npm start', onAcceptedLoss, log })
    const secrets = await loadSecrets(dataDir)
    mkdirSync(workDir, { mode: 0o700 })
    if (workerUser) chownSync(workDir, workerUser.uid, workerUser.gid)
    const close = async () => {
      await openedReserve.close()
      lock.release()
    }
    return { dataDir, workDir, logFile, log, secrets, reserve, workerUser, close }
  } catch (error) {
    await reserve?.close()
    lock.release()
    throw error
  }
}

/** An expected error: commands print its message without a stack. */
export class DiskFullError extends Error {}

const createDiskFullError = (dataDir: string, cause?: unknown) =>
  new DiskFullError(
    `The disk of the data folder ${dataDir} is full. Delete other files on it, at least ${minFreeBytesToStart / 1024 ** 2} MiB, or set another DATA_DIR, then start the service again.`,
    { cause },
  )

/** Restricts access to the owner, because the folder may have been created with other permissions. */
function restrictAccess(dataDir: string): void {
  restrict(dataDir, 0o700)
  restrictEntries(dataDir)
}

/** Restricts access to the files and folders in the data folder. */
export function restrictEntries(dataDir: string): void {
  for (const folder of [dataDir, join(dataDir, 's3')])
    for (const entry of listEntries(folder))
      if (entry.isFile()) restrict(join(folder, entry.name), 0o600)
      else if (entry.isDirectory()) restrict(join(folder, entry.name), 0o700)
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // The folder does not exist before the first start.
    return []
  }
}

function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    // A mounted volume may belong to another user, who then decides about permissions.
    if (!(error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS')))
      throw error
  }
}

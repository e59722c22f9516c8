// If root starts the service, workers run as a separate user, otherwise as the same user.
// The separate user can read the files of the bucket and write the work folder, and has no other rights.
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { ConfinementLevel } from '../../component-ids.ts'
import { isConfinementLevel, meetsLevel } from '../../engines/sandbox/confinement-levels.ts'

/** A user and its group, whose ids are equal. */
export interface WorkerUser {
  readonly uid: number
  readonly gid: number
}

/** Range of user ids that is used neither by Debian (accounts and subordinate ids) nor by the engines' users. */
const [minId, maxId] = [1_900_000_000, 1_999_999_999]

/**
 * Returns the user for the workers of a data folder, and gives the folder to its group. Undefined if this process is
 * not root, or if the folder cannot be given to that group.
 */
export function assignWorkerUser(dataDir: string): WorkerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  const { gid: assignedGid } = statSync(dataDir)
  const isAssigned = assignedGid >= minId && assignedGid <= maxId
  const id = isAssigned ? assignedGid : randomInt(minId, maxId + 1)
  const user = { uid: id, gid: id }
  try {
    const s3Folder = join(dataDir, 's3')
    const blobsFolder = join(s3Folder, 'blobs')
    // Folders are changed last, so that an interrupted change is repeated.
    if (!isAssigned) for (const file of listFiles(blobsFolder)) grantGroupAccess(file, user, 0o640)
    for (const folder of [blobsFolder, s3Folder, dataDir])
      if (isFolder(folder)) grantGroupAccess(folder, user, 0o710)
    return user
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(?:EPERM|EROFS|EINVAL)$/.test(String(error.code)))
      return undefined
    throw error
  }
}

/** Lets the group of workers read a file or enter a folder. */
function grantGroupAccess(path: string, { gid }: WorkerUser, mode: number): void {
  chownSync(path, statSync(path).uid, gid)
  chmodSync(path, mode)
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const listFiles = (folder: string): string[] =>
  isFolder(folder)
    ? readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : []

const probeFile = fileURLToPath(new URL('./worker-user-probe.ts', import.meta.url))
const probeTimeoutMs = 60_000

/**
 * Starts a process as this user, to check that the user has access to what workers need, and can confine engines at
 * least as strictly as root.
 * @returns why the check fails; undefined if the user can run workers.
 */
export async function findWorkerUserProblem(
  user: WorkerUser,
  environment: Readonly<Record<string, string>>,
  required: ConfinementLevel,
): Promise<string | undefined> {
  try {
    const args = ['--disable-warning=ExperimentalWarning', probeFile]
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      ...user,
      cwd: '/',
      env: environment,
      timeout: probeTimeoutMs,
    })
    const level = stdout.trim()
    if (isConfinementLevel(level) && meetsLevel(level, required)) return undefined
    return `it could confine engines only with "${level}", root with "${required}"`
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string } // thrown by `execFile`
    return stderr.trim() || String(error)
  }
}

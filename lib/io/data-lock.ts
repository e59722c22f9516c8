import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Takes an SQLite lock on a separate file; the kernel releases it however the process ends.
 * @throws with `message` if another process holds it
 */
export function lockFile(file: string, message: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    if (isBusy(cause)) throw new Error(message, { cause })
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `The lock file ${file} cannot be used (${reason}). It contains no data: check that no service uses the folder, delete the file and start again.`,
      { cause },
    )
  }
}

// Whether SQLite returned SQLITE_BUSY (https://www.sqlite.org/rescode.html).
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === 5

/**
 * Ensures that only one service uses the data folder.
 * @throws if another service uses the folder; the message names the setting that chose the folder
 */
export function lockDataFolder(dataDir: string, setting = 'DATA_DIR'): { release(): void } {
  const lock = lockFile(
    join(dataDir, 'lock.sqlite'),
    `The data folder ${dataDir} is in use by another service. Stop that service, or set another ${setting}.`,
  )
  return { release: () => lock.close() }
}

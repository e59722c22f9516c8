import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * One of SQLite's locks, on a file of its own: the kernel takes it back when the process ends, however it ends.
 * @throws with the sentence when another process has it
 */
export function lockFile(file: string, message: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    throw isBusy(cause) ? new Error(message, { cause }) : cause
  }
}

// https://www.sqlite.org/rescode.html: SQLITE_BUSY
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === 5

/**
 * Makes sure that one service has the data folder.
 * @throws with a sentence when another service has it, which names the setting that chose it.
 */
export function lockDataFolder(dataDir: string, setting = 'DATA_DIR'): { release(): void } {
  const lock = lockFile(
    join(dataDir, 'lock.sqlite'),
    `The data folder ${dataDir} is in use by another service. End it, or set another ${setting}.`,
  )
  return { release: () => lock.close() }
}

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Makes sure that one service has the data folder. The lock is one of SQLite's on a file of its own: the kernel
 * takes it back when the process ends, however it ends.
 * @throws with a sentence when another service has it, which names the setting that chose it.
 */
export function lockDataFolder(dataDir: string, setting = 'DATA_DIR'): { release(): void } {
  const database = new DatabaseSync(join(dataDir, 'lock.sqlite'))
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    throw new Error(
      `The data folder ${dataDir} is in use by another service. End it, or set another ${setting}.`,
      { cause: error },
    )
  }
  return { release: () => database.close() }
}

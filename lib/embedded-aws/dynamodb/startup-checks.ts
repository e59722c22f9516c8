import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { closeServer, listen } from '../listen.ts'

/** Returns the port, or a free one for 0. @throws if the port is in use */
export async function choosePort(wantedPort: number): Promise<number> {
  const server = createServer()
  // The caller opens the port immediately. If another program is faster, the start fails with a message.
  const port = await listen(server, wantedPort, '127.0.0.1', '--port-base')
  await closeServer(server)
  return port
}

/** Time to wait for a lock, because a backup locks the file while it copies it. */
const defaultLockTimeoutMs = 5000

/**
 * Ensures that no other process has the file open. The database itself would not notice: SQLite allows several
 * processes on one file, but each of them would act as if it were the only one.
 * @throws if another process has the file open, or if SQLite cannot read it
 */
export function checkDatabaseFile(file: string, lockTimeoutMs = defaultLockTimeoutMs): void {
  if (!existsSync(file)) return
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: lockTimeoutMs })
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
  } catch (cause) {
    throw new Error(describeFailure(file, cause), { cause })
  } finally {
    database?.close()
  }
}

// SQLite error codes: https://www.sqlite.org/rescode.html
const sqliteBusy = 5
const sqliteLocked = 6

function describeFailure(file: string, cause: unknown): string {
  const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined
  if (code === sqliteBusy || code === sqliteLocked)
    return `The file ${file} of the embedded DynamoDB is in use by another process. Stop that process, or use another data folder.`
  const reason = cause instanceof Error ? cause.message : String(cause)
  return `The file ${file} of the embedded DynamoDB cannot be read (${reason}). Restore a backup, or use another data folder.`
}

import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { closeServer, listen } from '../listen.ts'

/** The port, or a free one for 0. @throws with a sentence when it is taken. */
export async function choosePort(wanted: number): Promise<number> {
  const server = createServer()
  // Whoever asks takes it at once; should another program be quicker, the start fails and says so.
  const port = await listen(server, wanted, '127.0.0.1', '--port-base')
  await closeServer(server)
  return port
}

/** A backup of a service that is just started again has the file for as long as it copies it. */
const defaultLockTimeoutMs = 5000

/**
 * Makes sure that no other process has the file open. The program itself would go on: SQLite lets several work on
 * one file, but each of them would believe that it is the only one.
 * @throws with a sentence when one has, or when SQLite cannot read the file.
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

// https://www.sqlite.org/rescode.html
const sqliteBusy = 5
const sqliteLocked = 6

function describeFailure(file: string, cause: unknown): string {
  const code = cause instanceof Error && 'errcode' in cause ? cause.errcode : undefined
  if (code === sqliteBusy || code === sqliteLocked)
    return `The file ${file} of the embedded DynamoDB is in use by another process. End it, or use another data folder.`
  const reason = cause instanceof Error ? cause.message : String(cause)
  return `The file ${file} of the embedded DynamoDB cannot be read (${reason}). Restore a backup, or use another data folder.`
}

// Checks an SQLite file at the start, before anything writes to it.
// `PRAGMA quick_check` reads the whole file, which takes 0.7 s per GB if it is cached.
// If it is not, the check takes as long as random reads of the disk: 6 s for 320 MB on a slow virtual disk.
// So files of ordinary size are checked completely, and larger ones by a separate process with a time limit.
// Pages that are not read within this time are checked at the next start, or when SQLite itself reads them.
// The check also runs after a clean shutdown, because it is there to find damage at rest.
import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** Up to this size in bytes, files are checked completely, which takes about 20 ms, or half a second on a slow disk. */
const maxInProcessBytes = 32 * 1024 ** 2
const timeBudgetMs = 2000
/** Time to wait for a lock, because a running backup locks a file briefly. */
const lockTimeoutMs = 5000

const programFile = fileURLToPath(new URL('./database-check-process.ts', import.meta.url))

interface DatabaseCheck {
  readonly file: string
  /** Description of the damage; undefined if none was found. */
  readonly damage?: string
  /** Whether the whole file was read before the time limit. */
  readonly isComplete: boolean
}

/** Checks an existing database with its write-ahead log. The header and the schema are always checked. */
export async function checkDatabase(file: string, budgetMs = timeBudgetMs): Promise<DatabaseCheck> {
  if (isWalHeaderDamaged(`${file}-wal`))
    return { file: `${file}-wal`, damage: 'its header is invalid', isComplete: true }
  const isLarge = statSync(file).size > maxInProcessBytes
  const damage = isLarge ? findDamage(file, 'schema_version') : findDamage(file, 'quick_check(1)')
  if (damage !== undefined) return { file, damage, isComplete: true }
  return isLarge ? checkInProcess(file, budgetMs) : { file, isComplete: true }
}

async function checkInProcess(file: string, budgetMs: number): Promise<DatabaseCheck> {
  try {
    // The process may be killed, because it only reads; there is no other way to interrupt SQLite.
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', programFile, file],
      { timeout: budgetMs, killSignal: 'SIGKILL' },
    )
    return { file, ...(stdout && { damage: stdout }), isComplete: true }
  } catch (error) {
    if (error instanceof Error && 'killed' in error && error.killed) return { file, isComplete: false }
    throw error
  }
}

/** Returns what SQLite finds wrong with the file, without changing it. */
export function findDamage(file: string, pragma: 'quick_check(1)' | 'schema_version'): string | undefined {
  let database: DatabaseSync | undefined
  try {
    // Opened for writing only if an interrupted transaction must be rolled back before the file is readable.
    database = new DatabaseSync(file, { readOnly: !existsSync(`${file}-journal`), timeout: lockTimeoutMs })
    const [result] = Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})
    // Accesses the schema and the first page of every table.
    if (pragma === 'schema_version') readFirstPages(database)
    return pragma === 'schema_version' || result === 'ok' ? undefined : getFirstLine(String(result))
  } catch (error) {
    return explainDamage(file, error)
  } finally {
    database?.close()
  }
}

function readFirstPages(database: DatabaseSync): void {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  for (const { name } of tables)
    database.prepare(`SELECT 1 FROM "${String(name).replaceAll('"', '""')}" LIMIT 1`).get()
}

/**
 * Returns the first line of a report that says something; quick_check begins some reports with the name of the
 * database.
 */
const getFirstLine = (report: string): string =>
  report.replace(/^\*\*\* in database main \*\*\*\n/, '').split('\n')[0] ?? ''

// Primary result codes of SQLite that mean that the file is damaged (https://www.sqlite.org/rescode.html).
const damageCodes: readonly number[] = [
  1, // SQLITE_ERROR: an unsupported file format
  11, // SQLITE_CORRUPT
  26, // SQLITE_NOTADB
]
const lockCodes: readonly number[] = [5, 6] // SQLITE_BUSY, SQLITE_LOCKED

/**
 * Returns the damage that an error reports; undefined if the file is only locked.
 * @throws if the file cannot be read for another reason
 */
function explainDamage(file: string, error: unknown): string | undefined {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined
  const reason = error instanceof Error ? error.message : String(error)
  if (code !== undefined && damageCodes.includes(code)) return reason
  // The server that opens the file next waits for the lock, or reports it.
  if (code !== undefined && lockCodes.includes(code)) return undefined
  throw new Error(
    `The file ${file} cannot be read (${reason}). Check its permissions and the disk, or restore a backup.`,
    { cause: error },
  )
}

const walHeaderBytes = 32
const walMagic = 0x377f0682

/**
 * Whether the header of a write-ahead log is one that SQLite cannot have written
 * (https://www.sqlite.org/fileformat2.html#walformat), that is, damaged. SQLite would ignore such a log, and with it all
 * commits since the last checkpoint. An interrupted first write is not damage: it leaves a short header or zeros.
 * Damage after the header looks like an interrupted write; SQLite stops reading the log there.
 */
function isWalHeaderDamaged(file: string): boolean {
  const header = readStart(file, walHeaderBytes)
  if (header.length < walHeaderBytes || header.every((byte) => byte === 0)) return false
  const magic = header.readUInt32BE(0)
  // The lowest bit is the byte order of the checksum.
  if ((magic & ~1) >>> 0 !== walMagic) return true
  const isBigEndian = (magic & 1) === 1
  const readWord = (at: number) => (isBigEndian ? header.readUInt32BE(at) : header.readUInt32LE(at))
  let [firstCount, secondCount] = [0, 0]
  for (let at = 0; at < 24; at += 8) {
    firstCount = (firstCount + readWord(at) + secondCount) >>> 0
    secondCount = (secondCount + readWord(at + 4) + firstCount) >>> 0
  }
  return firstCount !== header.readUInt32BE(24) || secondCount !== header.readUInt32BE(28)
}

function readStart(file: string, bytes: number): Buffer {
  if (!existsSync(file)) return Buffer.alloc(0)
  const descriptor = openSync(file, 'r')
  try {
    const start = Buffer.alloc(bytes)
    return start.subarray(0, readSync(descriptor, start, 0, bytes, 0))
  } finally {
    closeSync(descriptor)
  }
}

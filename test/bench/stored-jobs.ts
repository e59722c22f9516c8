import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { decodeTime, encodeTime } from 'ulid'
import { getWakeShard } from '../../lib/jobs/keys.ts'

type Row = Record<string, SQLInputValue>

/**
 * Fills the table of a stopped service with copies of a finished job: the same records and index entries, with ids of
 * earlier milliseconds. Writes the database file directly, in the format of dynoxide (1.2.1), because a hundred
 * thousand jobs would take many minutes through its API.
 */
export function storeJobs(dataDir: string, count: number): void {
  const database = new DatabaseSync(join(dataDir, 'dynamodb.sqlite'))
  try {
    const id = findJob(database)
    const copies = listTables(database).flatMap((table) =>
      listRows(database, table, id).map((row) => ({
        row,
        insert: database.prepare(insertStatement(table, row)),
      })),
    )
    for (let from = 0; from < count; from += jobsPerTransaction) {
      database.exec('BEGIN')
      for (const { row, insert } of copies)
        for (let number = from; number < Math.min(count, from + jobsPerTransaction); number++)
          insert.run(...Object.values(copyRow(row, id, number)))
      database.exec('COMMIT')
    }
  } finally {
    database.close()
  }
}

/** Jobs per transaction; with a single transaction, the write-ahead log would become as large as the table. */
const jobsPerTransaction = 20_000

const insertStatement = (table: string, row: Row) =>
  `INSERT INTO "${table}" (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).fill('?').join(', ')})`

/** Returns the names of the SQL tables that contain the service's DynamoDB table and its indexes. */
const listTables = (database: DatabaseSync) =>
  database
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'mutabor*'`)
    .all()
    .map(({ name }) => String(name))

function findJob(database: DatabaseSync): string {
  const jobRow = database.prepare(`SELECT pk FROM mutabor WHERE sk = 'S:JOB'`).get()
  if (!jobRow) throw new Error('The table contains no job to copy.')
  return String(jobRow['pk']).replace('S:JOB#', '')
}

function listRows(database: DatabaseSync, table: string, id: string): Row[] {
  const key = table === 'mutabor' ? 'pk' : 'table_pk'
  return database.prepare(`SELECT * FROM "${table}" WHERE ${key} = ?`).all(`S:JOB#${id}`)
}

function copyRow(row: Row, id: string, number: number): Row {
  const ulid = id.slice('job_'.length)
  const copyId = `job_${encodeTime(decodeTime(ulid) - 1 - number, 10)}${ulid.slice(10)}`
  const shard = getWakeShard(copyId)
  const copiedValues = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replaceAll(id, copyId).replaceAll(/wake#\d+/g, shard) : value,
  ])
  const copy: Row = Object.fromEntries(copiedValues)
  // Scans are sorted by this hash, which has the same salt as in dynoxide.
  if ('hash_prefix' in copy) copy['hash_prefix'] = hashPartitionKey(String(copy['pk']))
  return copy
}

const hashPartitionKey = (pk: string) =>
  createHash('md5')
    .update(`Outliers${pk.slice('S:'.length)}`)
    .digest('hex')
    .slice(0, 6)

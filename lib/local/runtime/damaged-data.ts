// Finds damaged files of a data folder at the start, before a server opens, overwrites or deletes anything.
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Log } from '../../log.ts'
import { s3BlobsPath, s3DatabasePath } from '../commands/backup/s3-files.ts'
import { DamagedDataError } from './damaged-data-error.ts'
import { describeFileError, syncFolder } from './data-files.ts'
import { checkDatabase } from './database-check.ts'
import { DamagedSecretsError, readStoredSecrets, secretsFile } from './secrets.ts'

/**
 * The databases in the order in which the first start creates them, after the secrets. If the index of S3 is damaged,
 * its whole folder is set aside. Only the index contains the names of the files in this folder, and the server deletes
 * files without a name.
 */
const databases = [
  { path: 'dynamodb.sqlite', entry: 'dynamodb.sqlite', contents: 'all jobs, accounts and API keys' },
  { path: 'sqs.sqlite', entry: 'sqs.sqlite', contents: 'all queues: jobs in progress do not continue' },
  { path: 'events.sqlite', entry: 'events.sqlite', contents: 'rules, schedules and undelivered events' },
  { path: s3DatabasePath, entry: 's3', contents: 'all uploaded and converted files' },
] as const

const secretsDescription = 'the secrets: every session, API key and encrypted value becomes invalid'

interface Damage {
  /** Path of the damaged or missing file. */
  readonly file: string
  readonly reason: string
  /** The data that is lost without the file. */
  readonly contents: string
  /** File or folder, relative to the data folder, that is renamed if the operator accepts the loss. */
  readonly entry: string
}

export interface DamageOptions {
  /** Command that starts the service, to which the message adds the flag. */
  readonly command: string
  /** Set if the operator accepts the loss of damaged files; called with a sentence about each of them. */
  readonly onAcceptedLoss?: ((message: string) => void) | undefined
  readonly log: Log
}

/**
 * Checks the secrets and databases of a data folder whose lock is held. With `onAcceptedLoss`, damaged files are
 * renamed, so that the service starts without them. If such a start is killed, the next start finds a missing file and
 * fails again.
 * @throws DamagedDataError that names each damaged file and what to do
 */
export async function checkDataFolder(dataDir: string, options: DamageOptions): Promise<void> {
  const damages = [
    ...(await findSecretsDamage(dataDir)),
    ...(await findDatabaseDamages(dataDir, options.log)),
  ]
  if (damages.length === 0) return
  if (!options.onAcceptedLoss) throw createDamagedDataError(dataDir, damages, options.command)
  for (const damage of damages) {
    const message = await quarantineFile(dataDir, damage)
    options.log.warn({ file: damage.file, reason: damage.reason }, message)
    options.onAcceptedLoss(message)
  }
}

async function findSecretsDamage(dataDir: string): Promise<Damage[]> {
  const knownSecrets = { file: join(dataDir, secretsFile), contents: secretsDescription, entry: secretsFile }
  try {
    const secrets = await readStoredSecrets(dataDir)
    // Secrets are created before everything else, so they must exist if a database does.
    const isNeeded = databases.some(({ path }) => existsSync(join(dataDir, path)))
    return secrets || !isNeeded ? [] : [{ ...knownSecrets, reason: 'it is missing' }]
  } catch (error) {
    if (error instanceof DamagedSecretsError) return [{ ...knownSecrets, reason: error.reason }]
    throw error
  }
}

async function findDatabaseDamages(dataDir: string, log: Log): Promise<Damage[]> {
  const foundDamages = await Promise.all(
    databases.map(async ({ path, entry, contents }): Promise<Damage[]> => {
      const file = join(dataDir, path)
      if (getFileSize(file) === 0) return []
      const { damage, isComplete, ...checkDetails } = await checkDatabase(file)
      if (!isComplete) log.info({ file }, 'the database is large: only a part of it was checked at the start')
      return damage === undefined ? [] : [{ file: checkDetails.file, entry, contents, reason: damage }]
    }),
  )
  const damages = foundDamages.flat()
  return [...damages, ...findLostDatabases(dataDir, damages)]
}

/**
 * Finds databases that are missing or have 0 bytes although they were in use. A first start that was killed also leaves
 * such files, but then the databases that it creates after them do not exist either.
 */
function findLostDatabases(dataDir: string, damages: readonly Damage[]): Damage[] {
  const hasQueues =
    !damages.some(({ entry }) => entry === 'sqs.sqlite') && containsQueues(join(dataDir, 'sqs.sqlite'))
  const wasUsed = (index: number): boolean =>
    hasQueues ||
    existsSync(join(dataDir, s3BlobsPath)) ||
    databases.slice(index + 1).some(({ path }) => existsSync(join(dataDir, path)))
  return databases.flatMap(({ path, entry, contents }, index) => {
    const file = join(dataDir, path)
    // A write-ahead log without its database remains if a start was killed between the two renames.
    if (getFileSize(file) > 0 || (getFileSize(`${file}-wal`) === 0 && !wasUsed(index))) return []
    return [{ file, entry, contents, reason: existsSync(file) ? 'it is empty' : 'it is missing' }]
  })
}

/** Whether the file contains queues, which are created after all servers have started. */
function containsQueues(file: string): boolean {
  if (getFileSize(file) === 0) return false
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return database.prepare('SELECT 1 FROM queues LIMIT 1').get() !== undefined
  } catch {
    // The first start was killed before it created the table.
    return false
  } finally {
    database.close()
  }
}

const getFileSize = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Renames a damaged file, and returns a message that says so. */
async function quarantineFile(dataDir: string, { file, reason, entry, contents }: Damage): Promise<string> {
  const path = join(dataDir, entry)
  const target = findUnusedName(path)
  // The log is moved last: SQLite would open a database without its write-ahead log and miss commits.
  const suffixes = ['', '-wal', '-shm', '-journal'].filter((suffix) => existsSync(`${path}${suffix}`))
  try {
    for (const suffix of suffixes) renameSync(`${path}${suffix}`, `${target}${suffix}`)
    await syncFolder(dataDir)
  } catch (cause) {
    throw new Error(
      `${path} could not be renamed to ${target} (${describeFileError(cause)}). Check the permissions of the data folder.`,
      { cause },
    )
  }
  const renamedText = suffixes.length > 0 ? ` ${path} was renamed to ${target}.` : ''
  return `${file} is damaged: ${reason}.${renamedText} The service starts without it; it contained ${contents}.`
}

function findUnusedName(path: string): string {
  const target = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, '-')}`
  return ['', '-wal'].some((suffix) => existsSync(target + suffix)) ? findUnusedName(path) : target
}

function createDamagedDataError(
  dataDir: string,
  damages: readonly Damage[],
  command: string,
): DamagedDataError {
  const lines = damages.map(
    ({ file, reason, contents }) => `  ${file}: ${reason}. It contains ${contents}.\n`,
  )
  return new DamagedDataError(
    `The data folder ${dataDir} is damaged. Nothing was changed.\n${lines.join('')}` +
      'Restore a backup into an empty folder: "DATA_DIR=… npm run restore -- FILE.tar". Without a backup, start once ' +
      `with "${command} -- --accept-loss": each damaged file is renamed, not deleted, and the service starts without its contents.`,
  )
}

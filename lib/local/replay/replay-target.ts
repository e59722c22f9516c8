// Where the records and files of a job are, and how they are reached: always by the protocols of AWS.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { Files } from '../../aws/files.ts'
import { Table } from '../../aws/table.ts'
import { type Config, processEnvironment, readConfig } from '../../config.ts'
import { JobStore } from '../../jobs/store.ts'
import { createLog } from '../../log.ts'
import { Vault } from '../../sealed.ts'
import { lockDataFolder } from '../data-lock.ts'
import { openDynamoDb } from '../dynamodb/server.ts'
import { accessOf, type Environment } from '../environment.ts'
import { close, listen } from '../listen.ts'
import { openS3 } from '../s3/server.ts'
import { loadSecrets, type Secrets } from '../secrets.ts'
import { lastServers, logFilesOf } from './log-files.ts'

/** What the person at the terminal can mend. */
export class ReplayError extends Error {}

export interface Place {
  /** For a sentence: "in …". */
  readonly name: string
  readonly table: Table
  readonly store: JobStore
  readonly files: Files
  /** Opens passwords; undefined where the secret of a deployment is not given. */
  readonly vault: Vault | undefined
  /** The service's own, where the vault is. */
  readonly secret: string | undefined
  /** Undefined where log lines are not in files. */
  readonly logFile: string | undefined
  close(): Promise<void>
}

/**
 * A deployment when table and bucket are named and no data folder is; else the data folder, by the servers of its
 * running service, or by servers of our own while nobody else uses it.
 */
export async function openPlace(): Promise<Place> {
  const given = processEnvironment
  const config = readConfig(given)
  if (given['TABLE_NAME'] && given['BUCKET_NAME'] && !given['DATA_DIR'])
    return placeOf(config, `table ${config.TABLE_NAME} of ${config.AWS_REGION}`, config.LOG_FILE)
  const { dataDir, logFile, secrets } = await folderOf(config)
  const own = await openOwnServers(dataDir, config, secrets)
  const servers = own?.urls ?? (await serversOfRunning(dataDir, logFile))
  reach(servers, secrets)
  const name = `${dataDir}, ${own ? 'of which no service is running' : 'of the running service'}`
  const { SERVICE_SECRET = secrets.serviceSecret, ...reached } = readConfig(given)
  const place = placeOf({ ...reached, SERVICE_SECRET }, name, logFile)
  return { ...place, close: async () => own?.close() }
}

async function folderOf(config: Config) {
  const dataDir = resolve(config.DATA_DIR)
  if (!existsSync(join(dataDir, 'secrets.json')))
    throw new ReplayError(
      `${dataDir} is no data folder of this service. Set DATA_DIR; for a deployment set TABLE_NAME, BUCKET_NAME, AWS_REGION and credentials instead.`,
    )
  const logFile = config.LOG_FILE ?? join(dataDir, 'service.log')
  return { dataDir, logFile, secrets: await loadSecrets(dataDir) }
}

/** Points clients of AWS at the servers of the running service, all of them. */
export async function reachRunning(): Promise<void> {
  const { dataDir, logFile, secrets } = await folderOf(readConfig(processEnvironment))
  reach(await serversOfRunning(dataDir, logFile), secrets)
}

function placeOf(config: Config, name: string, logFile: string | undefined): Place {
  const table = new Table(config)
  const store = new JobStore(table)
  const { SERVICE_SECRET: secret } = config
  const vault = secret === undefined ? undefined : new Vault(secret)
  const files = new Files(config)
  return { name, table, store, files, vault, secret, logFile, close: async () => undefined }
}

/** The SDK reads endpoints and credentials from the environment. Servers that the environment names come first. */
function reach(servers: Environment, secrets: Secrets): void {
  const given = { ...processEnvironment }
  const foreign = Object.keys(servers).filter((name) => given[name])
  const urls = Object.fromEntries(Object.entries(servers).filter(([name]) => !foreign.includes(name)))
  Object.assign(processEnvironment, urls, accessOf(given, { anyIsForeign: foreign.length > 0 }, secrets))
}

async function serversOfRunning(dataDir: string, logFile: string): Promise<Environment> {
  const servers = await lastServers(await logFilesOf(logFile))
  if (servers) return servers
  throw new ReplayError(
    `The service of ${dataDir} is running, but ${logFile} does not say where its servers are. Set LOG_FILE as it is set for the service, or end the service; with a LOG_LEVEL above info it does not say.`,
  )
}

interface OwnServers {
  readonly urls: Environment
  close(): Promise<void>
}

/**
 * Table and bucket alone: schedules and queues stay at rest, so that nothing happens that the service should have
 * done. Undefined when the folder is in use.
 */
async function openOwnServers(
  dataDir: string,
  config: Config,
  secrets: Secrets,
): Promise<OwnServers | undefined> {
  const lock = lockIfFree(dataDir)
  if (!lock) return undefined
  await using opened = new AsyncDisposableStack()
  opened.defer(() => lock.release())
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  const dynamoDb = await openDynamoDb({ file: join(dataDir, 'dynamodb.sqlite'), port: 0, log })
  opened.defer(dynamoDb.close)
  const s3 = await openS3({ dir: join(dataDir, 's3'), credentials: [secrets], region: config.AWS_REGION })
  opened.defer(s3.close)
  const server = createServer(s3.handle)
  const port = await listen(server, 0)
  opened.defer(() => close(server))
  const running = opened.move()
  return {
    urls: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    },
    close: () => running.disposeAsync(),
  }
}

function lockIfFree(dataDir: string): ReturnType<typeof lockDataFolder> | undefined {
  try {
    return lockDataFolder(dataDir)
  } catch {
    // Somebody has it: that is an answer too.
    return undefined
  }
}

// Connects to the records and files of a job, always through AWS protocols.
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { Files } from '../../../aws/files.ts'
import { Table } from '../../../aws/table.ts'
import { type Config, processEnvironment, readConfig } from '../../../config.ts'
import { Vault } from '../../../crypto/sealed.ts'
import { openDynamoDb } from '../../../embedded-aws/dynamodb/server.ts'
import { closeServer, listen } from '../../../embedded-aws/listen.ts'
import { openS3Server } from '../../../embedded-aws/s3/server.ts'
import { lockDataFolder } from '../../../io/data-lock.ts'
import { JobStore } from '../../../jobs/store.ts'
import { createLog } from '../../../log.ts'
import { checkDataFolder } from '../../runtime/damaged-data.ts'
import { chooseCredentials, type Environment } from '../../runtime/environment.ts'
import { type DataFolderSecrets, readStoredSecrets } from '../../runtime/secrets.ts'
import { findLastServerUrls, listLogFiles } from './log-files.ts'

/** A problem that the operator can fix. */
export class ReplayError extends Error {}

export interface ReplayTarget {
  /** Name of the target for messages, in which it follows the word "in". */
  readonly name: string
  readonly table: Table
  readonly store: JobStore
  readonly files: Files
  /** Decrypts passwords; undefined if the secret of a deployment is not set. */
  readonly vault: Vault | undefined
  /** The service secret; defined if the vault is. */
  readonly secret: string | undefined
  /** Path of the log file; undefined if log lines are not written to files. */
  readonly logFile: string | undefined
  close(): Promise<void>
}

/**
 * Opens the records and files of a deployment if TABLE_NAME and BUCKET_NAME are set and DATA_DIR is not. Otherwise
 * opens the data folder: through the servers of its running service, or through separate servers if no service uses it.
 */
export async function openReplayTarget(): Promise<ReplayTarget> {
  const env = processEnvironment
  const config = readConfig(env)
  if (env['TABLE_NAME'] && env['BUCKET_NAME'] && !env['DATA_DIR'])
    return createTarget(config, `table ${config.TABLE_NAME} of ${config.AWS_REGION}`, config.LOG_FILE)
  const { dataDir, logFile, secrets } = await findDataFolder(config)
  const ownServers = await startOwnServers(dataDir, config, secrets)
  const servers = ownServers?.urls ?? (await findRunningServerUrls(dataDir, logFile))
  setServerVariables(servers, secrets)
  const name = `${dataDir}, ${ownServers ? 'whose service is not running' : 'of the running service'}`
  const { SERVICE_SECRET = secrets.serviceSecret, ...reached } = readConfig(env)
  const target = createTarget({ ...reached, SERVICE_SECRET }, name, logFile)
  return { ...target, close: async () => ownServers?.close() }
}

async function findDataFolder(config: Config) {
  const dataDir = resolve(config.DATA_DIR)
  const secrets = await readStoredSecrets(dataDir)
  if (!secrets)
    throw new ReplayError(
      `${dataDir} is not a data folder of this service. Set DATA_DIR, or for a deployment TABLE_NAME, BUCKET_NAME, AWS_REGION and credentials.`,
    )
  const logFile = config.LOG_FILE ?? join(dataDir, 'service.log')
  return { dataDir, logFile, secrets }
}

/** Points AWS clients at all servers of the running service. */
export async function connectToRunningService(): Promise<void> {
  const { dataDir, logFile, secrets } = await findDataFolder(readConfig(processEnvironment))
  setServerVariables(await findRunningServerUrls(dataDir, logFile), secrets)
}

function createTarget(config: Config, name: string, logFile: string | undefined): ReplayTarget {
  const table = new Table(config)
  const store = new JobStore(table)
  const { SERVICE_SECRET: secret } = config
  const vault = secret === undefined ? undefined : new Vault(secret)
  const files = new Files(config)
  return { name, table, store, files, vault, secret, logFile, close: async () => undefined }
}

/**
 * Sets the variables from which the SDK reads endpoints and credentials. Servers named in the environment take
 * precedence.
 */
function setServerVariables(servers: Environment, secrets: DataFolderSecrets): void {
  const env = { ...processEnvironment }
  const externalNames = Object.keys(servers).filter((name) => env[name])
  const urls = Object.fromEntries(Object.entries(servers).filter(([name]) => !externalNames.includes(name)))
  Object.assign(
    processEnvironment,
    urls,
    chooseCredentials(env, { hasExternalServers: externalNames.length > 0 }, secrets),
  )
}

async function findRunningServerUrls(dataDir: string, logFile: string): Promise<Environment> {
  const servers = await findLastServerUrls(await listLogFiles(logFile))
  if (servers) return servers
  throw new ReplayError(
    `The service of ${dataDir} is running, but ${logFile} does not contain the URLs of its servers. Set LOG_FILE as for the service, or stop the service. With a LOG_LEVEL above info they are not logged.`,
  )
}

interface OwnServers {
  readonly urls: Environment
  close(): Promise<void>
}

/**
 * Starts only table and bucket, so that no schedule or queue runs the service's work. Returns undefined if the folder
 * is in use.
 */
async function startOwnServers(
  dataDir: string,
  config: Config,
  secrets: DataFolderSecrets,
): Promise<OwnServers | undefined> {
  const lock = tryLock(dataDir)
  if (!lock) return undefined
  await using openedResources = new AsyncDisposableStack()
  openedResources.defer(() => lock.release())
  const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
  await checkDataFolder(dataDir, { command: 'npm start', log })
  const dynamoDb = await openDynamoDb({ file: join(dataDir, 'dynamodb.sqlite'), port: 0, log })
  openedResources.defer(dynamoDb.close)
  const s3 = await openS3Server({
    dir: join(dataDir, 's3'),
    credentials: [secrets],
    region: config.AWS_REGION,
  })
  openedResources.defer(s3.close)
  const server = createServer(s3.handle)
  const port = await listen(server, 0)
  openedResources.defer(() => closeServer(server))
  const runningServers = openedResources.move()
  return {
    urls: {
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    },
    close: () => runningServers.disposeAsync(),
  }
}

function tryLock(dataDir: string): ReturnType<typeof lockDataFolder> | undefined {
  try {
    return lockDataFolder(dataDir)
  } catch {
    // A service is using the folder.
    return undefined
  }
}

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, processEnvironment, readConfig } from '../config.ts'
import type { ImageId } from '../engines/engine.ts'
import { engines } from '../engines/index.ts'
import { createLog, type Log } from '../log.ts'
import { imageIds } from '../resources.ts'
import { lockDataFolder } from './data-lock.ts'
import { type Embedded, type EmbeddedService, embeddedServices, openEmbedded } from './embedded.ts'
import { createGateway, s3Path } from './gateway.ts'
import { Hints } from './hints.ts'
import { installedEngines } from './installed.ts'
import { close, listen } from './listen.ts'
import { hintFunction, type Provisioned, provision } from './provision.ts'
import { QueueMapping } from './queue-mapping.ts'
import { loadSecrets, type Secrets } from './secrets.ts'
import { Worker } from './workers.ts'

export interface Service {
  /** Where clients find it, without a slash at the end. */
  readonly url: string
  readonly missingEngines: readonly string[]
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string>>

/** The whole service on this machine, as one list of steps; `close` goes the same way back. */
export async function startService(given: Readonly<Record<string, string | undefined>>): Promise<Service> {
  const config = readConfig(given)
  const dataDir = resolve(config.DATA_DIR)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockDataFolder(dataDir)
  const logFile = config.LOG_FILE ?? join(dataDir, 'service.log')
  const log = createLog({ ...config, LOG_FILE: logFile })
  const secrets = await loadSecrets(dataDir)
  const workDir = join(dataDir, 'work')
  // What a crash left there belongs to attempts that begin anew.
  await rm(workDir, { recursive: true, force: true })
  mkdirSync(workDir)

  const hints = new Hints()
  const scheduled = new Map<string, () => Promise<unknown>>()
  const invoke = async (arn: string, payload: unknown) => {
    const name = arn.slice(arn.lastIndexOf(':') + 1)
    if (name === hintFunction) hints.hear(payload)
    else await scheduled.get(name)?.()
  }
  const embedded = await openEmbedded({
    dir: dataDir,
    region: config.AWS_REGION,
    credentials: secrets,
    s3BasePath: s3Path,
    invoke,
    log,
  })
  const names = {
    region: config.AWS_REGION,
    tableName: config.TABLE_NAME,
    bucketName: config.BUCKET_NAME,
    busName: config.BUS_NAME,
    queuePrefix: 'mutabor-',
  }
  const external = endpoints(given, embedded)
  const access = accessOf(given, external, secrets)
  // The SDK reads endpoints and credentials from the environment, as it does on Lambda.
  Object.assign(processEnvironment, external.urls, access)
  const { queues } = await provision(names)

  const gate = await openGate(config)
  const url = config.PUBLIC_URL?.replace(/\/$/, '') ?? addressOf(config.HOST, gate.port)
  const present = await installedEngines(engines)
  const environment: Environment = {
    ...stringsOf(given),
    ...external.urls,
    ...access,
    AWS_REGION: config.AWS_REGION,
    TABLE_NAME: names.tableName,
    BUCKET_NAME: names.bucketName,
    BUS_NAME: names.busName,
    QUEUE_URL_PREFIX: queues.image.url.slice(0, -'image'.length),
    OWNER_SECRET: config.OWNER_SECRET ?? secrets.ownerSecret,
    PUBLIC_URL: url,
    ENGINES: present.map(({ id }) => id).join(','),
    WORK_DIR: workDir,
    LOG_FILE: logFile,
    ...(!external.s3IsForeign && { S3_PUBLIC_ENDPOINT: `${url}${s3Path}` }),
  }
  Object.assign(processEnvironment, environment)
  const [{ createApi }, { handler: sweep }] = await Promise.all([
    import('../../functions/api.ts'),
    import('../../functions/sweep.ts'),
  ])
  scheduled.set('sweep', sweep)
  const logFd = openSync(logFile, 'a')
  const conversions = startConversions({ config, environment, queues, logFd, log })
  gate.open(
    createGateway({
      api: createApi(environment, hints.wait),
      s3: external.s3IsForeign ? undefined : embedded.s3,
      log,
    }),
  )
  // What was left unfinished at the last end need not wait for the schedule.
  await sweep()
  log.info({ url, engines: environment.ENGINES }, 'service started')
  return {
    url,
    missingEngines: engines.filter((engine) => !present.includes(engine)).map(({ id }) => id),
    close: async () => {
      log.info('service ends')
      await gate.close()
      await conversions.close()
      await embedded.close()
      closeSync(logFd)
      lock.release()
    },
  }
}

const stringsOf = (given: Readonly<Record<string, string | undefined>>): Environment =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )

/** Servers that the environment names are used instead of the embedded ones. */
function endpoints(given: Readonly<Record<string, string | undefined>>, embedded: Embedded) {
  const variable = (service: EmbeddedService) => `AWS_ENDPOINT_URL_${service}`
  const foreign = embeddedServices.filter((service) => given[variable(service)])
  const urls = Object.fromEntries(
    embeddedServices.map((service) => [
      variable(service),
      given[variable(service)] ?? embedded.urls[service],
    ]),
  )
  return { urls, anyIsForeign: foreign.length > 0, s3IsForeign: foreign.includes('S3') }
}

/** Credentials for foreign servers come from the environment; the embedded ones know their own. */
function accessOf(
  given: Readonly<Record<string, string | undefined>>,
  { anyIsForeign }: { anyIsForeign: boolean },
  secrets: Secrets,
): Environment {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = given
  const own = { AWS_ACCESS_KEY_ID: secrets.accessKeyId, AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey }
  const chosen = anyIsForeign && id && secret ? { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } : own
  return { ...chosen, AWS_SESSION_TOKEN: '', AWS_REGION: given.AWS_REGION || 'eu-central-1' }
}

function addressOf(host: string, port: number): string {
  const local = ['localhost', '127.0.0.1', '::1', '0.0.0.0', '::'].includes(host)
  return `http://${local ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Takes the port before anything else depends on its number; requests wait until the service is there. */
async function openGate({ HOST, PORT }: Config) {
  const { createServer } = await import('node:http')
  const servers: Server[] = []
  let open: (gateway: Server) => void = () => {}
  const gateway = new Promise<Server>((resolve) => {
    open = resolve
  })
  const bind = async (host: string, port: number) => {
    const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, (request, response) => {
      void gateway.then((target) => target.emit('request', request, response))
    })
    const bound = await listen(server, port, host)
    servers.push(server)
    return bound
  }
  const port = await bind(HOST === 'localhost' ? '127.0.0.1' : HOST, PORT)
  // Clients may take either address for "localhost"; a machine without IPv6 has one.
  if (HOST === 'localhost') await bind('::1', port).catch(() => undefined)
  return { port, open, close: () => Promise.all(servers.map(close)) }
}

interface ConversionParts {
  readonly config: Config
  readonly environment: Environment
  readonly queues: Provisioned['queues']
  readonly logFd: number
  readonly log: Log
}

/** Milliseconds of the longest job and some: within it the job's own limits apply. */
const longestMs = 50 * 60_000
/** Node, our own code and the SDK beside the engines. */
const runtimeBytes = 512 * 1024 * 1024

function startConversions({ config, environment, queues, logFd, log }: ConversionParts) {
  const concurrency = config.PARALLEL ?? cpus().length
  const parts = imageIds.map((image) => {
    const worker = new Worker({
      image,
      environment,
      logFd,
      log,
      idleMs: config.WORKER_IDLE_S * 1000,
      timeoutMs: longestMs,
      maxMemoryBytes: concurrency * memoryOf(image) + runtimeBytes,
    })
    const { url, arn } = queues[image]
    const mapping = new QueueMapping({
      queueUrl: url,
      queueArn: arn,
      region: config.AWS_REGION,
      concurrency,
      invoke: (event) => worker.invoke(event),
      log,
    })
    return { worker, mapping }
  })
  return {
    close: async () => {
      // Workers first: they give their tasks back, and with that the mappings come to rest.
      await Promise.all(parts.map(({ worker, mapping }) => Promise.all([worker.close(), mapping.close()])))
    },
  }
}

function memoryOf(image: ImageId): number {
  const limits = engines.filter((engine) => engine.image === image).map((engine) => engine.limits.memoryMb)
  return Math.max(512, ...limits) * 1024 * 1024
}

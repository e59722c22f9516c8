import { cpus } from 'node:os'
import type { Connections } from '../aws/connections.ts'
import { type Config, noEngines, roleKeyOf } from '../config.ts'
import { deliveriesAtATime, type QueueId } from '../resources/queues.ts'
import { type Embedded, type EmbeddedService, embeddedServices } from './embedded.ts'
import { s3Path } from './gateway.ts'
import { inProcess } from './in-process-transport.ts'
import nodeEnvironment from './node-environment.json' with { type: 'json' }
import type { Secrets } from './secrets.ts'

/** Variables as functions get them, on AWS by the deployment. */
export type Environment = Readonly<Record<string, string>>
export type Given = Readonly<Record<string, string | undefined>>

export interface Endpoints {
  readonly urls: Environment
  readonly anyIsForeign: boolean
  readonly s3IsForeign: boolean
}

/** Servers that the environment names are used instead of the embedded ones. */
export function endpoints(given: Given, embedded: Pick<Embedded, 'urls'>): Endpoints {
  const variable = (service: EmbeddedService) => `AWS_ENDPOINT_URL_${service}`
  const foreign = embeddedServices.filter((service) => given[variable(service)])
  const urls = Object.fromEntries(
    embeddedServices.map((service) => [
      variable(service),
      given[variable(service)] || embedded.urls[service],
    ]),
  )
  return { urls, anyIsForeign: foreign.length > 0, s3IsForeign: foreign.includes('S3') }
}

/**
 * Clients in this process need no connection to the embedded servers. They are told whose name they sign in, as functions
 * of the same process take that out of its environment.
 */
export function connectionsOf(
  { urls }: Pick<Endpoints, 'urls'>,
  embedded: Pick<Embedded, 'urls' | 'handle'>,
  access: Environment,
): Connections {
  const credentials = roleKeyOf(access)
  const own = (service: keyof Embedded['handle']) => ({
    ...(urls[`AWS_ENDPOINT_URL_${service}`] === embedded.urls[service] &&
      inProcess(embedded.handle[service])),
    ...(credentials && { credentials }),
  })
  return { s3: own('S3'), sqs: own('SQS'), eventBridge: own('EVENTBRIDGE') }
}

/** Credentials for foreign servers come from the environment; the embedded ones know their own. */
export function accessOf(
  given: Given,
  { anyIsForeign }: Pick<Endpoints, 'anyIsForeign'>,
  secrets: Secrets,
): Environment {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = given
  const own = { AWS_ACCESS_KEY_ID: secrets.accessKeyId, AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey }
  const chosen = anyIsForeign && id && secret ? { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } : own
  return { ...chosen, AWS_SESSION_TOKEN: '', AWS_REGION: given.AWS_REGION || 'eu-central-1' }
}

export interface EnvironmentParts {
  readonly given: Given
  readonly config: Config
  readonly secrets: Secrets
  readonly external: Endpoints
  readonly access: Environment
  /** Address of the service, without a slash at the end. */
  readonly url: string
  /** What stands before the image id in the URL of a queue. */
  readonly queueUrlPrefix: string
  /** Where Lambda and the connections of WebSockets are reached. */
  readonly controlUrl: string
  readonly hasWebSockets: boolean
  readonly engines: readonly string[]
  readonly workDir: string
  readonly logFile: string
}

/**
 * A picture is done so soon that its worker waits for records and files half of the time; a transfer waits for the
 * other side most of its time.
 */
const perCore: Partial<Record<QueueId, number>> = { image: 2, transfer: 4 }

/** Tasks of a queue at a time for which this machine has room. */
export const parallelOf = ({ PARALLEL }: Pick<Config, 'PARALLEL'>, queue: QueueId): number =>
  queue === 'delivery'
    ? deliveriesAtATime
    : ((queue === 'transfer' ? undefined : PARALLEL) ?? cpus().length * (perCore[queue] ?? 1))

/** What functions of this machine find in their environment: all that the deployment sets on AWS, and what is local. */
export function functionEnvironment(parts: EnvironmentParts): Environment {
  const { given, config, secrets, external, access, url, controlUrl } = parts
  return {
    ...stringsOf(given),
    ...external.urls,
    AWS_ENDPOINT_URL_LAMBDA: given.AWS_ENDPOINT_URL_LAMBDA || controlUrl,
    ...(parts.hasWebSockets && {
      AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: given.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || controlUrl,
    }),
    ...access,
    AWS_REGION: config.AWS_REGION,
    TABLE_NAME: config.TABLE_NAME,
    BUCKET_NAME: config.BUCKET_NAME,
    BUS_NAME: config.BUS_NAME,
    QUEUE_URL_PREFIX: parts.queueUrlPrefix,
    SERVICE_SECRET: config.SERVICE_SECRET ?? secrets.serviceSecret,
    PUBLIC_URL: url,
    // Who opened it to the network without a word about its name: it has those that it is called by.
    TRUST_HOST: config.PUBLIC_URL ? '0' : '1',
    ENGINES: parts.engines.join(',') || noEngines,
    WORK_DIR: parts.workDir,
    REQUEST_BODIES: config.REQUEST_BODIES,
    TASK_FILES: config.TASK_FILES,
    MIN_FREE_DISK_GB: String(config.MIN_FREE_DISK_GB),
    LOG_FILE: parts.logFile,
    ...(!external.s3IsForeign && { S3_PUBLIC_ENDPOINT: `${url}${s3Path}` }),
  }
}

const stringsOf = (given: Given): Environment =>
  Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isOfGateway(entry),
    ),
  )

/** Set for the process of the gateway alone, by who starts it: workers need neither its threads nor its thrift. */
const isOfGateway = ([name, value]: [string, unknown]): boolean =>
  Object.entries(nodeEnvironment).some(([own, set]) => own === name && set === value)

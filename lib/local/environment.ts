import { cpus } from 'node:os'
import type { Connections } from '../aws/connections.ts'
import { type Config, noEngines, roleKeyOf } from '../config.ts'
import { deliveriesAtATime, type QueueId } from '../resources/queues.ts'
import { type Embedded, type EmbeddedService, embeddedServices } from './embedded.ts'
import { s3Path } from './gateway.ts'
import { inProcessConnection } from './in-process-transport.ts'
import nodeEnvironment from './node-environment.json' with { type: 'json' }
import type { DataFolderSecrets } from './secrets.ts'

/** Variables as functions get them, on AWS by the deployment. */
export type Environment = Readonly<Record<string, string>>
export type PartialEnvironment = Readonly<Record<string, string | undefined>>

export interface ServiceEndpoints {
  readonly urls: Environment
  readonly hasExternal: boolean
  readonly isS3External: boolean
}

/** Servers that the environment names are used instead of the embedded ones. */
export function chooseEndpoints(env: PartialEnvironment, embedded: Pick<Embedded, 'urls'>): ServiceEndpoints {
  const variable = (service: EmbeddedService) => `AWS_ENDPOINT_URL_${service}`
  const externalServices = embeddedServices.filter((service) => env[variable(service)])
  const urls = Object.fromEntries(
    embeddedServices.map((service) => [variable(service), env[variable(service)] || embedded.urls[service]]),
  )
  return { urls, hasExternal: externalServices.length > 0, isS3External: externalServices.includes('S3') }
}

/**
 * Clients in this process need no connection to the embedded servers. They are told whose name they sign in, as functions
 * of the same process take that out of its environment.
 */
export function inProcessConnections(
  { urls }: Pick<ServiceEndpoints, 'urls'>,
  embedded: Pick<Embedded, 'urls' | 'handle'>,
  credentialVariables: Environment,
): Connections {
  const credentials = roleKeyOf(credentialVariables)
  const own = (service: keyof Embedded['handle']) => ({
    ...(urls[`AWS_ENDPOINT_URL_${service}`] === embedded.urls[service] &&
      inProcessConnection(embedded.handle[service])),
    ...(credentials && { credentials }),
  })
  return { s3: own('S3'), sqs: own('SQS'), eventBridge: own('EVENTBRIDGE') }
}

/** Credentials for foreign servers come from the environment; the embedded ones know their own. */
export function chooseCredentials(
  env: PartialEnvironment,
  { hasExternal }: Pick<ServiceEndpoints, 'hasExternal'>,
  secrets: DataFolderSecrets,
): Environment {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = env
  const own = { AWS_ACCESS_KEY_ID: secrets.accessKeyId, AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey }
  const chosen = hasExternal && id && secret ? { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } : own
  return { ...chosen, AWS_SESSION_TOKEN: '', AWS_REGION: env.AWS_REGION || 'eu-central-1' }
}

export interface FunctionEnvironmentOptions {
  readonly env: PartialEnvironment
  readonly config: Config
  readonly secrets: DataFolderSecrets
  readonly endpoints: ServiceEndpoints
  readonly credentialVariables: Environment
  /** Address of the service, without a slash at the end. */
  readonly url: string
  /** What stands before the image id in the URL of a queue. */
  readonly queueUrlPrefix: string
  /** Where Lambda and the connections of WebSockets are reached. */
  readonly lambdaUrl: string
  readonly hasWebSockets: boolean
  readonly engines: readonly string[]
  readonly workDir: string
  readonly logFile: string
}

/**
 * A picture is done so soon that its worker waits for records and files half of the time; a transfer waits for the
 * other side most of its time.
 */
const tasksPerCore: Partial<Record<QueueId, number>> = { image: 2, transfer: 4 }

/** Tasks of a queue at a time for which this machine has room. */
export const concurrencyOf = ({ PARALLEL }: Pick<Config, 'PARALLEL'>, queue: QueueId): number =>
  queue === 'delivery'
    ? deliveriesAtATime
    : ((queue === 'transfer' ? undefined : PARALLEL) ?? cpus().length * (tasksPerCore[queue] ?? 1))

/** What functions of this machine find in their environment: all that the deployment sets on AWS, and what is local. */
export function functionEnvironment(parts: FunctionEnvironmentOptions): Environment {
  const { env, config, secrets, endpoints, credentialVariables, url, lambdaUrl } = parts
  return {
    ...definedVariables(env),
    ...endpoints.urls,
    AWS_ENDPOINT_URL_LAMBDA: env.AWS_ENDPOINT_URL_LAMBDA || lambdaUrl,
    ...(parts.hasWebSockets && {
      AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || lambdaUrl,
    }),
    ...credentialVariables,
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
    ...(!endpoints.isS3External && { S3_PUBLIC_ENDPOINT: `${url}${s3Path}` }),
  }
}

const definedVariables = (env: PartialEnvironment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isGatewayOnly(entry),
    ),
  )

/** Set for the process of the gateway alone, by who starts it: workers need neither its threads nor its thrift. */
const isGatewayOnly = ([name, value]: [string, unknown]): boolean =>
  Object.entries(nodeEnvironment).some(([own, set]) => own === name && set === value)

import { cpus } from 'node:os'
import type { ServiceConnections } from '../../aws/connections.ts'
import { type Config, noEnginesValue, readRoleKey } from '../../config.ts'
import { type Embedded, type EmbeddedService, embeddedServices } from '../../embedded-aws/embedded.ts'
import { createInProcessConnection } from '../../embedded-aws/in-process-transport.ts'
import { maxConcurrentDeliveries, type QueueId } from '../../resources/queues.ts'
import { defined } from '../../validation/defined.ts'
import nodeEnvironment from '../node-environment.json' with { type: 'json' }
import { s3Path } from './gateway.ts'
import type { DataFolderSecrets } from './secrets.ts'

/** Environment variables of functions, which the deployment sets on AWS. */
export type Environment = Readonly<Record<string, string>>
export type PartialEnvironment = Readonly<Record<string, string | undefined>>

export interface ServiceEndpoints {
  readonly urls: Environment
  readonly hasExternalServers: boolean
  readonly isS3External: boolean
}

/** Chooses the endpoint of each service: the server named in the environment, otherwise the embedded server. */
export function chooseEndpoints(env: PartialEnvironment, embedded: Pick<Embedded, 'urls'>): ServiceEndpoints {
  const getVariableName = (service: EmbeddedService) => `AWS_ENDPOINT_URL_${service}`
  const externalServices = embeddedServices.filter((service) => env[getVariableName(service)])
  const urls = Object.fromEntries(
    embeddedServices.map((service) => [
      getVariableName(service),
      env[getVariableName(service)] || embedded.urls[service],
    ]),
  )
  return {
    urls,
    hasExternalServers: externalServices.length > 0,
    isS3External: externalServices.includes('S3'),
  }
}

/**
 * Returns in-process connections to the embedded servers. They include the credentials, because functions in the same
 * process remove those from its environment.
 */
export function createInProcessConnections(
  { urls }: Pick<ServiceEndpoints, 'urls'>,
  embedded: Pick<Embedded, 'urls' | 'handle'>,
  credentialVariables: Environment,
): ServiceConnections {
  const credentials = readRoleKey(credentialVariables)
  const createConnection = (service: keyof Embedded['handle']) => ({
    ...(urls[`AWS_ENDPOINT_URL_${service}`] === embedded.urls[service] &&
      createInProcessConnection(embedded.handle[service])),
    ...defined({ credentials }),
  })
  return {
    s3: createConnection('S3'),
    sqs: createConnection('SQS'),
    eventBridge: createConnection('EVENTBRIDGE'),
  }
}

/**
 * Returns the credentials as variables: those of the environment for external servers, otherwise those of the embedded
 * servers.
 */
export function chooseCredentials(
  env: PartialEnvironment,
  { hasExternalServers }: Pick<ServiceEndpoints, 'hasExternalServers'>,
  secrets: DataFolderSecrets,
): Environment {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = env
  const ownCredentials = {
    AWS_ACCESS_KEY_ID: secrets.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secrets.secretAccessKey,
  }
  const chosenCredentials =
    hasExternalServers && id && secret
      ? { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }
      : ownCredentials
  return { ...chosenCredentials, AWS_SESSION_TOKEN: '', AWS_REGION: env.AWS_REGION || 'eu-central-1' }
}

interface FunctionEnvironmentOptions {
  readonly env: PartialEnvironment
  readonly config: Config
  readonly secrets: DataFolderSecrets
  readonly endpoints: ServiceEndpoints
  readonly credentialVariables: Environment
  /** URL of the service, without a trailing slash. */
  readonly url: string
  /** Prefix of all queue URLs; the id of the queue follows it. */
  readonly queueUrlPrefix: string
  /** URL of Lambda's API and of the @connections commands. */
  readonly lambdaUrl: string
  readonly hasWebSockets: boolean
  readonly engines: readonly string[]
  readonly workDir: string
  readonly logFile: string
}

/**
 * Number of tasks per processor core that a worker runs at the same time. Conversions of images are so quick that their
 * worker spends half of the time waiting for records and files. A transfer spends most of its time waiting for the
 * other server.
 */
const tasksPerCore: Partial<Record<QueueId, number>> = { image: 2, transfer: 4 }

/** Returns how many tasks of a queue this machine runs at the same time. */
export const getConcurrency = ({ PARALLEL }: Pick<Config, 'PARALLEL'>, queue: QueueId): number =>
  queue === 'delivery'
    ? maxConcurrentDeliveries
    : ((queue === 'transfer' ? undefined : PARALLEL) ?? cpus().length * (tasksPerCore[queue] ?? 1))

/** Returns the environment of functions on this machine: what the deployment sets on AWS, and local settings. */
export function createFunctionEnvironment(options: FunctionEnvironmentOptions): Environment {
  const { env, config, secrets, endpoints, credentialVariables, url, lambdaUrl } = options
  return {
    ...omitUndefined(env),
    ...endpoints.urls,
    AWS_ENDPOINT_URL_LAMBDA: env.AWS_ENDPOINT_URL_LAMBDA || lambdaUrl,
    ...(options.hasWebSockets && {
      AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: env.AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI || lambdaUrl,
    }),
    ...credentialVariables,
    AWS_REGION: config.AWS_REGION,
    TABLE_NAME: config.TABLE_NAME,
    BUCKET_NAME: config.BUCKET_NAME,
    BUS_NAME: config.BUS_NAME,
    QUEUE_URL_PREFIX: options.queueUrlPrefix,
    SERVICE_SECRET: config.SERVICE_SECRET ?? secrets.serviceSecret,
    PUBLIC_URL: url,
    // Without PUBLIC_URL, the service is known by whatever host name its clients use.
    TRUST_HOST: config.PUBLIC_URL ? '0' : '1',
    ENGINES: options.engines.join(',') || noEnginesValue,
    WORK_DIR: options.workDir,
    REQUEST_BODIES: config.REQUEST_BODIES,
    TASK_FILES: config.TASK_FILES,
    MIN_FREE_DISK_GB: String(config.MIN_FREE_DISK_GB),
    LOG_FILE: options.logFile,
    ...(!endpoints.isS3External && { S3_PUBLIC_ENDPOINT: `${url}${s3Path}` }),
  }
}

const omitUndefined = (env: PartialEnvironment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !isGatewayOnly(entry),
    ),
  )

/** Whether setup sets a variable for the gateway process only: workers need neither its threads nor its small heap. */
const isGatewayOnly = ([name, value]: [string, unknown]): boolean =>
  Object.entries(nodeEnvironment).some(([gatewayName, set]) => gatewayName === name && set === value)

import { roleKeyNames, settings } from '../../config.ts'
import { deriveKeys } from '../../crypto/derived-keys.ts'
import { type SecretName, secretNames } from '../../resources/function-declaration.ts'
import { findDeclaration } from '../../resources/functions.ts'
import { getFunctionForQueue } from '../../resources/queue-functions.ts'
import type { QueueId } from '../../resources/queues.ts'
import type { Environment } from './environment.ts'
import type { WorkerUser } from './worker-user.ts'

/** Variables that Node, the C library and the AWS SDK read. No other variable of the operator is passed to workers. */
const systemVariables = [
  'PATH',
  'HOME',
  'TZ',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
  'UV_THREADPOOL_SIZE',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_EVENTBRIDGE',
  ...roleKeyNames,
]

/**
 * Settings that not all workers get. Secrets are selected for each queue. The other settings are not needed, because
 * workers write their log to their output and send their spans to the service.
 */
const withheldSettings: readonly string[] = [
  ...secretNames,
  'LOG_FILE',
  'LOG_SPANS',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
]

const publicVariableNames: ReadonlySet<string> = new Set([
  ...systemVariables,
  ...Object.keys(settings).filter((name) => !withheldSettings.includes(name)),
])

/** Path of a copy of the plans, for workers that run as another user. */
export const getPlansFile = (workDir: string) => `${workDir}/plans.json`

/**
 * Returns the secrets that the worker's function needs. Workers that run engines or capture websites need `TASK_KEY`,
 * because on this machine they unseal the passwords of their tasks themselves.
 */
const listSecretNames = (queue: QueueId): readonly SecretName[] => {
  const name = getFunctionForQueue(queue)
  return name === undefined || name === 'capture' ? ['TASK_KEY'] : (findDeclaration(name)?.secrets ?? [])
}

/** Returns the environment of the workers of a queue: listed variables, and only the secrets that they need. */
export function createWorkerEnvironment(
  queue: QueueId,
  environment: Environment,
  user?: WorkerUser,
): Environment {
  const { SERVICE_SECRET: secret = '', WORK_DIR = '', PLANS_FILE } = environment
  const environmentWithSecrets: Environment = {
    ...environment,
    ...deriveKeys(secret),
    // Prevents the SDK from reading files in the operator's home folder; the worker's user may have no home folder.
    HOME: WORK_DIR,
    // The workers' user cannot write to the service's own cache.
    ...(user && { NODE_COMPILE_CACHE: `${WORK_DIR}/compile-cache` }),
    ...(user && PLANS_FILE && { PLANS_FILE: getPlansFile(WORK_DIR) }),
  }
  const secrets: readonly string[] = listSecretNames(queue)
  return Object.fromEntries(
    Object.entries(environmentWithSecrets).filter(
      ([name]) => publicVariableNames.has(name) || secrets.includes(name),
    ),
  )
}

import { waitKinds } from '../access/wait-limit.ts'
import type { ImageId } from '../component-ids.ts'
import { imageIds } from '../component-ids.ts'
import { type Config, readConfig } from '../config.ts'
import type { Engine } from '../engines/engine.ts'
import { runtimeMemoryMb } from '../engines/host-limits.ts'
import { engines } from '../engines/index.ts'
import { createEventPattern } from '../resources/events.ts'
import {
  type FunctionDeclaration,
  getSecretNames,
  type SecretName,
  type Trigger,
} from '../resources/function-declaration.ts'
import { type FunctionName, functionNames, functions } from '../resources/functions.ts'
import { getFunctionForQueue, getQueueMapping, getRecursiveLoop } from '../resources/queue-functions.ts'
import { type QueueId, queueIds } from '../resources/queues.ts'
import { createUploadPattern } from '../resources/storage.ts'
import { defined } from '../validation/defined.ts'
import { createCdnKeysSetting } from './cdn-files.ts'
import { canReserveConcurrency, getMaxConcurrency, hasReservedConcurrency } from './concurrency.ts'
import { getPublicUrl } from './edge.ts'
import { createLayerReference, getLayers } from './lambda-layers.ts'
import { createVpcSettings, isInVpc } from './network.ts'
import {
  createArnReference,
  getDeadLetterQueueId,
  getFunctionResourceId,
  getQueueName,
  getQueueResourceId,
  getRoleId,
} from './references.ts'
import { secretsCreator } from './roles.ts'
import { isDeployed, type Stage } from './stage.ts'

/** Limits of Lambda; the disk is the size of /tmp. */
const lambdaLimits = { timeoutS: 900, memoryMb: 10_240, diskMb: { min: 512, max: 10_240 } }

/**
 * Time limit of a task in seconds: the time limit of its function, minus the time for starting and for storing the
 * outcome.
 */
const taskLimitS = '840'

/** Environment of every function, with the setting names of lib/config.ts. */
export const environment = {
  TABLE_NAME: { Ref: 'Table' },
  BUCKET_NAME: { Ref: 'Bucket' },
  BUS_NAME: { Ref: 'Bus' },
  // Files are stored in the bucket; the local disk is only for the current task.
  MIN_FREE_DISK_GB: '0',
  // The functions of engines have no permissions for the bucket, so they get signed URLs.
  TASK_FILES: 'signed',
  QUEUE_URL_PREFIX: {
    'Fn::Sub': `https://sqs.\${AWS::Region}.\${AWS::URLSuffix}/\${AWS::AccountId}/${getQueueName('')}`,
  },
} as const

/** Returns the part of the environment that depends on the stage. */
const createStageEnvironment = (stage: Stage) => ({
  PUBLIC_URL: getPublicUrl(stage),
  ANONYMOUS_PLAN: stage.anonymousPlan,
  RETENTION_HOURS: String(stage.retentionHours),
  ...defined({ FACADES: stage.facades }),
  ...createCdnKeysSetting(stage),
  ...(stage.tracing && { LOG_SPANS: '1' }),
  ...(stage.mailFrom && { MAIL_FROM: stage.mailFrom }),
  ...(stage.outgoingAllow && { OUTGOING_ALLOW: stage.outgoingAllow }),
})

/**
 * Returns the location of a function's secrets. The environment does not contain them, because everyone who may view
 * the configuration of a function can read its environment.
 */
const createSecretsLocation = (names: readonly SecretName[]) =>
  names.length > 0 && { SECRETS: { 'Fn::Sub': `s3://\${SecretsBucket}/${names.join(',')}` } }

/** The endpoint for WebSocket connections, which the SDK cannot derive itself. */
const socketsEndpoint = {
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: {
    'Fn::Sub': `https://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/\${sls:stage}`,
  },
}

/** Returns the `events` of a function in serverless.yml. */
export function createEvents(trigger: Trigger, stage?: Stage) {
  // The functions themselves handle CORS, as on one machine.
  if ('http' in trigger) {
    const keys = trigger.http === true ? ['$default'] : trigger.http
    return keys.map((key) => ({ httpApi: key === '$default' ? '*' : key }))
  }
  if ('schedule' in trigger) return [{ schedule: trigger.schedule }]
  if ('events' in trigger)
    return [
      { eventBridge: { eventBus: { Ref: 'Bus' }, pattern: createEventPattern(trigger.events, trigger.for) } },
    ]
  if ('uploads' in trigger)
    return [{ eventBridge: { pattern: createUploadPattern({ Ref: 'Bucket' }, trigger.uploads) } }]
  if ('queue' in trigger) return [createQueueEvent(trigger.queue, stage)]
  if ('operator' in trigger) return []
  return trigger.websocket.map((route) => ({
    websocket: {
      route,
      // The reply of the function is sent to the client, which no longer exists after a disconnect.
      ...(route !== '$disconnect' && { routeResponseSelectionExpression: '$default' }),
    },
  }))
}

/** Returns the event source mapping of a queue. */
const createQueueEvent = (queue: QueueId, stage?: Stage) => ({
  sqs: {
    arn: createArnReference(getQueueResourceId(queue)),
    ...getQueueMapping(queue),
    ...defined({
      maximumConcurrency: stage && getMaxConcurrency(getFunctionForQueue(queue) ?? `convert-${queue}`, stage),
    }),
  },
})

/** Returns how Lambda retries a failed asynchronous invocation, and where it sends it after the last attempt. */
export function createAsyncInvocationSettings(
  name: string,
  { retryAttempts, deadLetter }: Pick<FunctionDeclaration, 'retryAttempts' | 'deadLetter'>,
) {
  return {
    ...defined({
      maximumRetryAttempts: retryAttempts,
      onError: deadLetter && createArnReference(getDeadLetterQueueId(name)),
    }),
  }
}

/** Functions that hold two kinds of waiting requests: those that create jobs, and those that watch a job. */
const functionsWithTwoWaits: readonly FunctionName[] = ['jobs', 'facade']

/**
 * Returns how many requests of a kind may start to wait in one window. The requests of two windows wait at the same
 * time. All kinds in a function together occupy at most half of its concurrency, but each kind may have at least one
 * waiting request. If no concurrency is reserved, all kinds share the concurrency of the account.
 */
const getMaxWaits = (name: FunctionName, stage: Stage) => {
  const sharedLimit = canReserveConcurrency(stage) ? Infinity : stage.functionsAtATime / waitKinds.length
  const kinds = functionsWithTwoWaits.includes(name) ? 2 : 1
  return Math.max(1, Math.floor(Math.min(getMaxConcurrency(name, stage) / kinds, sharedLimit) / 4))
}

/** Lambda sends the traces, so functions in the closed network have them as well. */
const createTracingSettings = ({ tracing }: Stage) => tracing && { tracing: 'Active' }

function createFunctionResource(name: FunctionName, stage: Stage) {
  const declaration: FunctionDeclaration = functions[name]
  const { handler, image } = declaration
  return {
    ...(image
      ? { image: { uri: getImageUri(image, stage), command: [handler] } }
      : {
          handler,
          architecture: stage.architecture,
          package: { artifact: `.serverless/${name}.zip` },
          layers: getLayers(name).map(createLayerReference),
        }),
    memorySize: Math.min(stage.functionMb, limitMemory(declaration.memoryMb)),
    timeout: declaration.timeoutS,
    role: createArnReference(getRoleId(name)),
    environment: {
      ...environment,
      ...createStageEnvironment(stage),
      ...createSecretsLocation(getSecretNames(declaration)),
      ...(name === secretsCreator && { ORIGIN_SECRET_ARN: { Ref: 'OriginSecret' } }),
      ...(declaration.reaches?.includes('sockets') && socketsEndpoint),
      // The event contains the whole request body, so streaming it would save no memory.
      ...('http' in declaration.trigger && { REQUEST_BODIES: 'whole' }),
      // The functions that estimate conversions need the time limit of a task.
      ...('http' in declaration.trigger && declaration.plans && { TASK_LIMIT_S: taskLimitS }),
      ...('http' in declaration.trigger && { MAX_WAITS: String(getMaxWaits(name, stage)) }),
    },
    ...defined({ ephemeralStorageSize: image && getImageLimits(image).ephemeralStorageSize }),
    ...defined({ ephemeralStorageSize: declaration.diskMb }),
    ...(isInVpc(declaration) && createVpcSettings(stage)),
    ...createTracingSettings(stage),
    ...(hasReservedConcurrency(declaration) &&
      canReserveConcurrency(stage) && { reservedConcurrency: getMaxConcurrency(name, stage) }),
    events: createEvents(declaration.trigger, stage),
    ...createAsyncInvocationSettings(name, declaration),
  }
}

/**
 * Limits the memory of a function to Lambda's maximum and the account's quota. Its engines can use what the service
 * itself leaves free.
 */
export const limitMemory = (
  requestedMb: number,
  { MAX_FUNCTION_MB }: Pick<Config, 'MAX_FUNCTION_MB'> = readConfig(),
) => Math.min(lambdaLimits.memoryMb, MAX_FUNCTION_MB, requestedMb)

/** Returns the limits of an image's function: the highest limits of its engines, as far as Lambda allows them. */
export function getImageLimits(
  image: ImageId,
  from: readonly Engine[] = engines,
  functionMb: number = lambdaLimits.memoryMb,
) {
  const limits = from.filter((engine) => engine.image === image).map((engine) => engine.limits)
  const getMaxLimit = (getLimit: (limit: Engine['limits']) => number) => Math.max(0, ...limits.map(getLimit))
  return {
    memorySize: Math.min(functionMb, limitMemory(getMaxLimit((limit) => limit.memoryMb) + runtimeMemoryMb)),
    timeout: Math.min(
      lambdaLimits.timeoutS,
      getMaxLimit((limit) => limit.timeoutS),
    ),
    ephemeralStorageSize: Math.min(
      lambdaLimits.diskMb.max,
      Math.max(
        lambdaLimits.diskMb.min,
        getMaxLimit((limit) => limit.diskMb),
      ),
    ),
  }
}

/** Returns the URI of a pushed image with its digest, because the framework would need credentials to resolve a tag. */
const getImageUri = (image: ImageId, { images }: Stage): string =>
  images[image] ?? `000000000000.dkr.ecr.eu-central-1.amazonaws.com/mutabor-${image}@sha256:${'0'.repeat(64)}`

function createConvertFunction(image: ImageId, stage: Stage) {
  return {
    image: { uri: getImageUri(image, stage), command: ['functions/convert.handler'] },
    ...getImageLimits(image, engines, stage.functionMb),
    role: createArnReference(getRoleId(`convert-${image}`)),
    environment: {
      ...environment,
      ...createStageEnvironment(stage),
      IMAGE_ID: image,
      TASK_LIMIT_S: taskLimitS,
    },
    events: [createQueueEvent(image, stage)],
    ...createVpcSettings(stage),
    ...createTracingSettings(stage),
  }
}

/**
 * Returns the properties that keep Lambda from stopping chains of tasks and deliveries after 16 invocations, by the
 * framework's resource ids. The service's own limit is `maxHops`.
 */
export const createRecursionSettings = () =>
  Object.fromEntries(
    queueIds.flatMap((queue) => {
      const RecursiveLoop = getRecursiveLoop(queue)
      const id = getFunctionResourceId(getFunctionForQueue(queue) ?? `convert-${queue}`)
      return RecursiveLoop ? [[id, { Properties: { RecursiveLoop } }]] : []
    }),
  )

/** Returns `functions` of serverless.yml. */
export const createFunctions = (stage: Stage) => ({
  ...Object.fromEntries(
    functionNames
      .filter((name) => isDeployed(name, stage))
      .map((name) => [name, createFunctionResource(name, stage)]),
  ),
  ...Object.fromEntries(imageIds.map((image) => [`convert-${image}`, createConvertFunction(image, stage)])),
})

import type { Engine, ImageId } from '../engines/engine.ts'
import { engines } from '../engines/index.ts'
import {
  eventPattern,
  type FunctionDeclaration,
  type FunctionName,
  functionNames,
  functions,
  imageIds,
  mappingOf,
  type QueueId,
  type Trigger,
  uploadPattern,
} from '../resources.ts'
import { arnOf, deadLetterQueueId, queueName, queueResourceId, roleId } from './references.ts'

/** What Lambda allows: seconds, MB of memory, MB of /tmp. */
const lambdaLimits = { timeoutS: 900, memoryMb: 10_240, diskMb: { least: 512, most: 10_240 } }

/** Room for Node, our own code and the SDK beside the engine. */
const runtimeMemoryMb = 256

/** Settings that every function gets; the names are those of lib/config.ts. */
export const environment = {
  TABLE_NAME: { Ref: 'Table' },
  BUCKET_NAME: { Ref: 'Bucket' },
  BUS_NAME: { Ref: 'Bus' },
  // Files are in the bucket: what a function has of a disk is for its own task.
  MIN_FREE_DISK_GB: '0',
  QUEUE_URL_PREFIX: {
    'Fn::Sub': `https://sqs.\${AWS::Region}.\${AWS::URLSuffix}/\${AWS::AccountId}/${queueName('')}`,
  },
} as const

/** Signs identities and seals passwords: whoever makes or runs tasks knows it, and nobody else. */
const secret = { SERVICE_SECRET: { 'Fn::Sub': `{{resolve:secretsmanager:\${ServiceSecret}}}` } }
const knowSecret: readonly FunctionName[] = [
  ...([
    'api',
    'account',
    'sweep',
    'receive-upload',
    'transfer',
    'capture',
    'deliver',
    'sockets',
    'broadcast',
  ] as const),
]

/** Where the SDK finds the connections of WebSockets, which it does not know by itself. */
const socketsEndpoint = {
  AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: {
    'Fn::Sub': `https://\${WebsocketsApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/\${sls:stage}`,
  },
}
const reachSockets: readonly FunctionName[] = ['sockets', 'broadcast', 'sweep']

/**
 * Files that the code reads beside itself, and packages that cannot be put into one file. swagger-ui-dist holds
 * its script in several forms, of which the reference page loads one.
 */
const filesOf: Partial<Readonly<Record<FunctionName, readonly string[]>>> = {
  api: [
    'functions/web/**',
    'node_modules/wasmagic/{package.json,dist/*.js,dist/*.wasm}',
    'node_modules/swagger-ui-dist/{package.json,*.css,*.png,swagger-ui-bundle.js,index.js,absolute-path.js}',
  ],
}

/** `events` of a function. */
export function triggersOf(trigger: Trigger) {
  // Cross-origin answers are the function's own, the same on one machine.
  if ('http' in trigger) {
    const keys = trigger.http === true ? ['$default'] : trigger.http
    return keys.map((key) => ({ httpApi: key === '$default' ? '*' : key }))
  }
  if ('schedule' in trigger) return [{ schedule: trigger.schedule }]
  if ('events' in trigger)
    return [{ eventBridge: { eventBus: { Ref: 'Bus' }, pattern: eventPattern(trigger.events, trigger.for) } }]
  if ('uploads' in trigger)
    return [{ eventBridge: { pattern: uploadPattern({ Ref: 'Bucket' }, trigger.uploads) } }]
  if ('queue' in trigger) return [queueEvent(trigger.queue)]
  return trigger.websocket.map((route) => ({
    websocket: {
      route,
      // What the function returns as its body is the answer to the message; after a goodbye nobody listens.
      ...(route !== '$disconnect' && { routeResponseSelectionExpression: '$default' }),
    },
  }))
}

/** How a queue feeds its function. */
const queueEvent = (queue: QueueId) => ({ sqs: { arn: arnOf(queueResourceId(queue)), ...mappingOf(queue) } })

/** What Lambda does after an error in an asynchronous invocation. */
export function asynchronousSettings(
  name: string,
  { retryAttempts, deadLetter }: Pick<FunctionDeclaration, 'retryAttempts' | 'deadLetter'>,
) {
  return {
    ...(retryAttempts !== undefined && { maximumRetryAttempts: retryAttempts }),
    ...(deadLetter && { onError: arnOf(deadLetterQueueId(name)) }),
  }
}

function declaredFunction(name: FunctionName) {
  const declared: FunctionDeclaration = functions[name]
  const { handler, image } = declared
  return {
    ...(image
      ? { image: { uri: imageUri(image), command: [handler] } }
      : { handler, package: { patterns: filesOf[name] ?? [] } }),
    memorySize: declared.memoryMb,
    timeout: declared.timeoutS,
    role: arnOf(roleId(name)),
    environment: {
      ...environment,
      ...(knowSecret.includes(name) && secret),
      ...(reachSockets.includes(name) && socketsEndpoint),
      // The event holds all of a request, and so does the invocation.
      ...('http' in declared.trigger && { REQUEST_BODIES: 'whole' }),
    },
    ...(image && { ephemeralStorageSize: imageLimits(image).ephemeralStorageSize }),
    events: triggersOf(declared.trigger),
    ...asynchronousSettings(name, declared),
  }
}

/** The largest of what the engines of an image ask for, within what Lambda gives. */
export function imageLimits(image: ImageId, from: readonly Engine[] = engines) {
  const limits = from.filter((engine) => engine.image === image).map((engine) => engine.limits)
  const most = (pick: (limit: Engine['limits']) => number) => Math.max(0, ...limits.map(pick))
  return {
    memorySize: Math.min(lambdaLimits.memoryMb, most((limit) => limit.memoryMb) + runtimeMemoryMb),
    timeout: Math.min(
      lambdaLimits.timeoutS,
      most((limit) => limit.timeoutS),
    ),
    ephemeralStorageSize: Math.min(
      lambdaLimits.diskMb.most,
      Math.max(
        lambdaLimits.diskMb.least,
        most((limit) => limit.diskMb),
      ),
    ),
  }
}

/** Where an image is after it was pushed; a digest, because a tag would be looked up with credentials. */
function imageUri(image: ImageId): string {
  const noImage = `000000000000.dkr.ecr.eu-central-1.amazonaws.com/mutabor-${image}@sha256:${'0'.repeat(64)}`
  return `\${env:IMAGE_URI_${image.toUpperCase()}, '${noImage}'}`
}

function imageFunction(image: ImageId) {
  return {
    image: { uri: imageUri(image), command: ['functions/convert.handler'] },
    ...imageLimits(image),
    role: arnOf(roleId(`convert-${image}`)),
    environment: { ...environment, ...secret, IMAGE_ID: image },
    events: [queueEvent(image)],
  }
}

/** `functions` of serverless.yml. */
export const deployedFunctions = () => ({
  ...Object.fromEntries(functionNames.map((name) => [name, declaredFunction(name)])),
  ...Object.fromEntries(imageIds.map((image) => [`convert-${image}`, imageFunction(image)])),
})

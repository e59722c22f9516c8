import type { EventName, Listener } from '../events/index.ts'
import type { ImageId } from './engines/engine.ts'
import { endings } from './usage/endings.ts'

/**
 * What the service consists of, as data: `serverless.yml` deploys it and the one-machine runtime starts it.
 * Names of AWS properties are AWS's own, so that both sides pass them on as they stand.
 */
export const imageIds = [
  'av',
  'image',
  'office',
  'pdf',
  'document',
  'archive',
  'font',
  'browser',
] as const satisfies readonly ImageId[]

/**
 * Queues of tasks: one per image, one for what brings files in or out, which needs no engine, and one for websites; and
 * one of what webhooks are told. The last three have functions of their own because these alone have a way out.
 */
export const queueIds = [...imageIds, 'transfer', 'capture', 'delivery'] as const
export type QueueId = (typeof queueIds)[number]

/** Receives of one message before it is put aside; the job itself fails after three attempts, long before. */
export const maxReceiveCount = 10

/** Lambda wants the visibility of a queue at or above the time limit of its function; workers shorten it on receipt. */
export const queueVisibilityS = 900

/** Parts of the index of what has to be looked at: one key of a table takes a thousand writes a second. */
export const wakeShards = 16

export const table = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'listKey', AttributeType: 'S' },
    { AttributeName: 'tagKey', AttributeType: 'S' },
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'wakeShard', AttributeType: 'S' },
    { AttributeName: 'wakeAt', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    // Keys alone everywhere: what they lead to is read where it is wanted.
    {
      // Jobs of an owner in one state.
      IndexName: 'byList',
      KeySchema: [
        { AttributeName: 'listKey', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'byTag',
      KeySchema: [
        { AttributeName: 'tagKey', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
    {
      IndexName: 'byWake',
      KeySchema: [
        { AttributeName: 'wakeShard', KeyType: 'HASH' },
        { AttributeName: 'wakeAt', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST',
  TimeToLiveAttribute: 'ttl',
} as const

/** Days after which what was sent is deleted, whoever has it: the first that is longer than jobs may keep it. */
export const uploadDays = [2, 9, 368] as const

export const bucket = {
  cors: [
    {
      AllowedOrigins: ['*'],
      AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag', 'Content-Disposition', 'Content-Range', 'Accept-Ranges', 'Repr-Digest'],
      MaxAgeSeconds: 3600,
    },
  ],
  lifecycle: [
    // Jobs delete their own files and those that they took; this catches what nobody took, or a late upload left.
    ...uploadDays.flatMap((days) =>
      (['uploads', 'received'] as const).map((kind) => ({
        ...{ ID: `${kind}-${days}d`, Prefix: `${kind}/${days}d/` },
        ...{ ExpirationInDays: days, AbortIncompleteMultipartDays: 1 },
      })),
    ),
    { ID: 'jobs', Prefix: 'jobs/', ExpirationInDays: 366, AbortIncompleteMultipartDays: 1 },
  ],
} as const

/** How a queue feeds its function, in the words of serverless.yml. */
export interface QueueMappingSettings {
  /** Messages of one invocation. */
  readonly batchSize: number
  /** Seconds that a batch waits to become full. */
  readonly maximumBatchingWindow?: number
  /** Invocations at a time. */
  readonly maximumConcurrency?: number
  /** The function names the messages that failed; otherwise all or none have. */
  readonly functionResponseType?: 'ReportBatchItemFailures'
}

export const queueMapping = {
  // A conversion fills the machine that it runs on; several in one invocation would share its time.
  batchSize: 1,
  functionResponseType: 'ReportBatchItemFailures',
} as const satisfies QueueMappingSettings

/** Calls of webhooks at a time: they wait most of their time, and each receiver has only so many of them. */
export const deliveriesAtATime = 192

export const mappingOf = (queue: QueueId): QueueMappingSettings =>
  queue === 'delivery' ? { ...queueMapping, maximumConcurrency: deliveriesAtATime } : queueMapping

/** `source` of every event of ours on the bus. */
export const eventSource = 'mutabor'

/** What the service tells itself by the bus; it is no event of a user. */
export type Signal = 'socket.opened'

/** What a function listens to; `job.*` are all of that beginning. */
export type Heard = EventName | Signal | `${string}.*`

/** The events that a function listens to, as a pattern of EventBridge. */
export const eventPattern = (events: readonly Heard[], listener?: Listener) => ({
  source: [eventSource],
  'detail-type': events.map((name) => (name.endsWith('.*') ? { prefix: name.slice(0, -1) } : name)),
  ...(listener && { detail: { listeners: [listener] } }),
})

/** Files that arrive in a bucket, as a pattern of EventBridge. */
export const uploadPattern = (bucketName: unknown, prefix: string) => ({
  source: ['aws.s3'],
  'detail-type': ['Object Created'],
  detail: { bucket: { name: [bucketName] }, object: { key: [{ prefix }] } },
})

/** What calls a function. */
export type Trigger =
  /** Routes of the HTTP API, as `GET /items/{id}`, `ANY /files/{path+}`; `true` takes what no other function has. */
  | { readonly http: true | readonly string[] }
  | { readonly schedule: string }
  /** Events of the bus that it listens to: all of them, or those that somebody outside wants to hear by this way. */
  | { readonly events: readonly Heard[]; readonly for?: Listener }
  /** Tasks of a queue. */
  | { readonly queue: QueueId }
  /** Files that arrive in the bucket below this prefix. */
  | { readonly uploads: string }
  /** Routes of the WebSocket API: `$connect`, `$disconnect`, `$default` and names. */
  | { readonly websocket: readonly string[] }

export interface FunctionDeclaration {
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutS: number
  readonly trigger: Trigger
  /** The image in which it runs; a zip package when left out. */
  readonly image?: ImageId
  /** Times that an asynchronous invocation is repeated after an error; 2 when left out, as on Lambda. */
  readonly retryAttempts?: 0 | 1 | 2
  /** Asynchronous invocations that failed for good go to the queue `<name>-dead`. */
  readonly deadLetter?: true
}

/** Functions by name; each image adds its `convert-<image>` function, made from the engines' limits. */
export const functions = {
  api: { handler: 'functions/api.handler', memoryMb: 1024, timeoutS: 29, trigger: { http: true } },
  /** Signing up and in, by a library as large as all of the API. */
  account: {
    handler: 'functions/account.handler',
    memoryMb: 1024,
    timeoutS: 29,
    trigger: { http: ['ANY /v1/auth/{path+}'] },
  },
  sweep: {
    handler: 'functions/sweep.handler',
    memoryMb: 512,
    timeoutS: 60,
    trigger: { schedule: 'rate(1 minute)' },
    // The next one comes within the minute.
    retryAttempts: 0,
  },
  'receive-upload': {
    handler: 'functions/receive-upload.handler',
    memoryMb: 512,
    timeoutS: 30,
    trigger: { uploads: 'uploads/' },
  },
  transfer: {
    handler: 'functions/transfer.handler',
    memoryMb: 1024,
    timeoutS: 900,
    trigger: { queue: 'transfer' },
  },
  capture: {
    handler: 'functions/capture.handler',
    memoryMb: 3264,
    timeoutS: 300,
    trigger: { queue: 'capture' },
    image: 'browser',
  },
  /** Finds out which webhooks want to know of an event. */
  dispatch: {
    handler: 'functions/dispatch.handler',
    memoryMb: 256,
    timeoutS: 30,
    trigger: { events: ['job.*', 'file.*', 'subscription.*', 'quota.*'], for: 'webhooks' },
    deadLetter: true,
  },
  deliver: {
    handler: 'functions/deliver.handler',
    memoryMb: 512,
    timeoutS: 120,
    trigger: { queue: 'delivery' },
  },
  'record-metrics': {
    handler: 'functions/record-metrics.handler',
    memoryMb: 256,
    timeoutS: 10,
    trigger: { events: ['job.completed', 'job.failed', 'file.deleted'] },
  },
  /** Adds the ends of jobs to the figures of their owners and of the service. */
  'count-usage': {
    handler: 'functions/count-usage.handler',
    memoryMb: 256,
    timeoutS: 15,
    trigger: { events: endings },
    deadLetter: true,
  },
  sockets: {
    handler: 'functions/live.sockets',
    memoryMb: 512,
    timeoutS: 20,
    trigger: { websocket: ['$connect', '$disconnect', '$default'] },
  },
  broadcast: {
    handler: 'functions/live.broadcast',
    memoryMb: 512,
    timeoutS: 20,
    trigger: { events: ['job.*', 'file.*', 'subscription.*', 'quota.*', 'socket.opened'], for: 'sockets' },
  },
} as const satisfies Readonly<Record<string, FunctionDeclaration>>
export type FunctionName = keyof typeof functions
/** The function that a queue feeds, where it is not that of an image. */
export const functionOfQueue = (queue: QueueId): FunctionName | undefined =>
  functionNames.find((name) => {
    const { trigger }: FunctionDeclaration = functions[name]
    return 'queue' in trigger && trigger.queue === queue
  })
export const functionNames = Object.keys(functions) as FunctionName[] // keys of a const table

/** The WebSocket API, of which there is one when a function has routes in it. */
export const webSocketApi = {
  /** Where clients find it: all that an owner has. */
  paths: ['/ws/user/jobs', '/v1/ws/user/jobs'],
  /** What stands before the id of a job whose socket it is. */
  jobPath: '/v1/ws/jobs/',
  routeSelectionExpression: '$request.body.action',
} as const

import type { EventName, Listener } from '../events/index.ts'
import type { ImageId } from './engines/engine.ts'
import type { FilePrefix, FileVerb, Right, TableVerb } from './rights.ts'
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
 * Queues of tasks: `ready` of those that have to be signed for; one per image, one for what brings files in or out, which needs no engine, and one for websites; and
 * one of what webhooks are told. The last three have functions of their own because these alone have a way out.
 */
export const queueIds = [...imageIds, 'transfer', 'capture', 'delivery', 'ready'] as const
export type QueueId = (typeof queueIds)[number]

/** Receives of one message before it is put aside; the job itself fails after three attempts, long before. */
export const maxReceiveCount = 10

/** The longest of a function, and so the longest for which a queue hides what one works on. */
export const queueVisibilityS = 900

/**
 * Seconds for which a queue hides what it hands over: six times what its function may take, as AWS advises for times when
 * it cannot be called at once, as long as a function takes no longer than that. Workers shorten it on receipt.
 */
export const visibilityOf = (queue: QueueId): number => {
  const timeoutS = rowOf(functionOfQueue(queue))?.timeoutS ?? queueVisibilityS
  return Math.min(queueVisibilityS, 6 * timeoutS)
}

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
    // Signed work that was too large for a message.
    { ID: 'work', Prefix: 'work/', ExpirationInDays: 1, AbortIncompleteMultipartDays: 1 },
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

export function mappingOf(queue: QueueId): QueueMappingSettings {
  const maximumConcurrency = rowOf(functionOfQueue(queue))?.maximumConcurrency
  return {
    ...queueMapping,
    // It takes a moment for each.
    ...(queue === 'ready' && { batchSize: 10 }),
    ...(maximumConcurrency !== undefined && { maximumConcurrency }),
  }
}

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
  /** Nobody but who runs the service. */
  | { readonly operator: true }

/** What is reached by a way out of the closed network alone, and why. */
export const outside = {
  stores: 'files come from and go to addresses that users name',
  websites: 'websites are captured at addresses that users name',
  receivers: 'webhooks are called at addresses that users name',
  drives: 'drives are asked at addresses of their makers',
  'sign-in': 'people sign in by OpenID providers that the operator names',
  mail: 'letters go by the mail server that the operator names',
  sockets: 'AWS has no endpoint in a network for the connections of a WebSocket API',
} as const
export type Outside = keyof typeof outside

/** Settings that nobody but the functions that need them may read; on AWS each is an object of a bucket of their own. */
export const secretNames = [
  'SERVICE_SECRET',
  'SMTP_URL',
  'OPENID_PROVIDERS',
  'DRIVES',
  'ORIGIN_SECRET',
] as const
export type SecretName = (typeof secretNames)[number]

export interface FunctionDeclaration {
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutS: number
  readonly trigger: Trigger
  /** Beyond writing its log and what its trigger takes. */
  readonly rights: readonly Right[]
  /** The image in which it runs; a zip package when left out. */
  readonly image?: ImageId
  /** MB of /tmp; 512 when left out, and what the engines ask for in an image. */
  readonly diskMb?: number
  /** Those that it reads when it starts. */
  readonly secrets?: readonly SecretName[]
  /** What it has a way out for; without any it is in the closed network, and reaches the parts of the service alone. */
  readonly reaches?: readonly Outside[]
  /**
   * Invocations at a time, so that an attack costs a bounded sum and nobody takes what the others need. Fed by a queue it has
   * no more; any other has as many kept for it, too. Those of tasks have what the stage says (`conversionsAtATime`).
   */
  readonly maximumConcurrency?: number
  /** It looks into files of users: it has what tells formats apart. */
  readonly readsFiles?: true
  /** It plans conversions, so that it knows of all engines. */
  readonly plans?: true
  /** Times that an asynchronous invocation is repeated after an error; 2 when left out, as on Lambda. */
  readonly retryAttempts?: 0 | 1 | 2
  /** Asynchronous invocations that failed for good go to the queue `<name>-dead`. */
  readonly deadLetter?: true
  /** It is deployed where the stage asks for it by this setting. */
  readonly onlyWith?: 'facades'
}

const records = (...verbs: readonly TableVerb[]) => ({
  table: verbs.map((verb) => `dynamodb:${verb}` as const),
})
const files = (below: readonly FilePrefix[], ...verbs: readonly FileVerb[]) => ({
  files: verbs.map((verb) => `s3:${verb}` as const),
  below: below.map((prefix) => `${prefix}/`),
})
const everyFile = ['jobs', 'uploads', 'received'] as const satisfies readonly FilePrefix[]

/** What any change of a job may lead to: records, tasks that are ready, events for those who listen. */
const moveJobs = [
  records('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  { queues: ['ready'], may: ['sqs:SendMessage'] },
  { publish: true },
] as const satisfies readonly Right[]

/** Lanes of webhooks are called by whoever has something to deliver. */
const callLanes = { queues: ['delivery'], may: ['sqs:SendMessage'] } as const satisfies Right

/**
 * To run tasks whose files and passwords come in the message: none to any file. Tasks of an owner whose plan lets them
 * run one after the other wait in records of theirs.
 */
const runTasks = (queue: ImageId | 'capture' | 'transfer') =>
  [
    ...moveJobs,
    records('PutItem', 'DeleteItem'),
    { queues: [queue], may: ['sqs:ChangeMessageVisibility'] },
  ] as const satisfies readonly Right[]

/** What any request may lead to: who sends it and how much of his plan is left, told when it runs out. */
const serve = [
  records('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  { publish: true },
] as const satisfies readonly Right[]

/** Images with an engine that shares out its work. */
const sharing: readonly ImageId[] = ['av', 'pdf']

/** Of the function that runs the tasks of an image. */
export const convertRights = (image: ImageId): readonly Right[] => [
  ...runTasks(image),
  ...(sharing.includes(image) ? [records('BatchWriteItem')] : []),
]

/** All below a path, and the path itself. */
const below = (...paths: readonly string[]) => paths.flatMap((path) => [`ANY ${path}`, `ANY ${path}/{rest+}`])

/** What functions of the HTTP API have in common; a request ends after 29 s. */
const http = { memoryMb: 1024, timeoutS: 29 } as const

/**
 * Functions by name; each image adds its `convert-<image>` function, made from the engines' limits. Which endpoints a
 * function of the HTTP API has stands in its file; on one machine one of them, `api`, serves all.
 */
export const functions = {
  api: {
    ...{ ...http, handler: 'functions/api.handler', trigger: { http: true } },
    // Files are in the bucket and tasks in the queues when `/health` looks.
    rights: [
      ...serve,
      records('PutItem'),
      { list: true },
      { queues: queueIds, may: ['sqs:GetQueueAttributes'] },
    ],
    ...{ secrets: ['SERVICE_SECRET'], plans: true },
    maximumConcurrency: 50,
  },
  conversion: {
    ...{ ...http, handler: 'functions/conversion.handler', trigger: { http: below('/v1/convert') } },
    // The estimate counts who waits before it.
    rights: [
      ...moveJobs,
      records('PutItem', 'BatchWriteItem'),
      files(everyFile, 'GetObject'),
      files(['received'], 'PutObject', 'DeleteObject'),
      { list: true },
      { queues: imageIds, may: ['sqs:GetQueueAttributes'] },
    ],
    ...{ secrets: ['SERVICE_SECRET'], readsFiles: true, plans: true },
    maximumConcurrency: 50,
  },
  jobs: {
    handler: 'functions/jobs.handler',
    ...http,
    trigger: { http: below('/v1/jobs', '/v1/status', '/v1/download', '/v1/import') },
    rights: [
      ...moveJobs,
      records('PutItem', 'DeleteItem', 'BatchWriteItem'),
      files(everyFile, 'GetObject', 'DeleteObject'),
      files(['received', 'uploads'], 'PutObject'),
      { list: true },
      { index: 'byList' },
      { index: 'byTag' },
    ],
    ...{ secrets: ['SERVICE_SECRET'], readsFiles: true, plans: true },
    maximumConcurrency: 100,
  },
  uploads: {
    ...{ ...http, handler: 'functions/uploads.handler', trigger: { http: below('/v1/uploads') } },
    rights: [
      ...serve,
      records('PutItem', 'BatchWriteItem'),
      files(
        ['uploads'],
        ...([
          'GetObject',
          'PutObject',
          'DeleteObject',
          'AbortMultipartUpload',
          'ListMultipartUploadParts',
        ] as const),
      ),
      // Whether an upload has come.
      { list: true },
    ],
    ...{ secrets: ['SERVICE_SECRET'] },
    maximumConcurrency: 50,
  },
  /** What happens without anybody asking: a test of a webhook calls it. */
  automation: {
    handler: 'functions/automation.handler',
    ...http,
    trigger: { http: below('/v1/webhooks', '/v1/workflows') },
    rights: [
      ...moveJobs,
      records('PutItem', 'DeleteItem', 'BatchWriteItem'),
      files(['received'], 'PutObject', 'DeleteObject'),
      callLanes,
      { index: 'byList' },
    ],
    ...{
      secrets: ['SERVICE_SECRET', 'SMTP_URL'],
      reaches: ['receivers', 'mail'],
      readsFiles: true,
      plans: true,
    },
    maximumConcurrency: 10,
  },
  drives: {
    ...{ ...http, handler: 'functions/drives.handler', trigger: { http: below('/v1/cloud') } },
    rights: [...moveJobs, records('PutItem', 'DeleteItem')],
    ...{ secrets: ['SERVICE_SECRET', 'DRIVES'], reaches: ['drives'], plans: true },
    maximumConcurrency: 10,
  },
  access: {
    handler: 'functions/access.handler',
    ...http,
    trigger: { http: below('/v1/account', '/v1/api-keys', '/v1/oauth') },
    rights: [...serve, records('PutItem', 'DeleteItem'), { index: 'byList' }],
    ...{ secrets: ['SERVICE_SECRET'] },
    maximumConcurrency: 20,
  },
  admin: {
    ...{ ...http, handler: 'functions/admin.handler', trigger: { http: below('/v1/admin') } },
    rights: [...serve, records('PutItem', 'DeleteItem'), { index: 'byList' }],
    ...{ secrets: ['SERVICE_SECRET'] },
    maximumConcurrency: 5,
  },
  /** Asks endpoints of most others, so it may do what they may. */
  facade: {
    handler: 'functions/facade.handler',
    ...http,
    trigger: { http: below('/v2', '/sync/v2') },
    rights: [
      ...moveJobs,
      records('PutItem', 'DeleteItem', 'BatchWriteItem'),
      files(everyFile, 'GetObject', 'DeleteObject'),
      files(['received', 'uploads'], 'PutObject'),
      { list: true },
      { index: 'byList' },
      { index: 'byTag' },
    ],
    ...{ secrets: ['SERVICE_SECRET'], readsFiles: true, plans: true, onlyWith: 'facades' },
    maximumConcurrency: 50,
  },
  /** Signing up and in, by a library as large as all of the API. */
  account: {
    ...{ ...http, handler: 'functions/account.handler', trigger: { http: ['ANY /v1/auth/{path+}'] } },
    rights: [
      records('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
      { index: 'byList' },
    ],
    ...{ secrets: ['SERVICE_SECRET', 'SMTP_URL', 'OPENID_PROVIDERS'], reaches: ['mail', 'sign-in'] },
    maximumConcurrency: 20,
  },
  sweep: {
    handler: 'functions/sweep.handler',
    memoryMb: 512,
    timeoutS: 60,
    trigger: { schedule: 'rate(1 minute)' },
    rights: [
      ...moveJobs,
      records('PutItem', 'DeleteItem', 'BatchWriteItem'),
      callLanes,
      { index: 'byWake' },
      { index: 'byList' },
      files(['uploads'], 'GetObject'),
      files(['received'], 'PutObject'),
      files(everyFile, 'DeleteObject'),
      { list: true },
      { sockets: ['GET', 'POST', 'DELETE'] },
    ],
    // The next one comes within the minute.
    retryAttempts: 0,
    // A workflow that is switched off is told of by mail.
    ...{
      secrets: ['SERVICE_SECRET', 'SMTP_URL'],
      reaches: ['mail', 'sockets'],
      readsFiles: true,
      plans: true,
    },
    maximumConcurrency: 2,
  },
  'receive-upload': {
    handler: 'functions/receive-upload.handler',
    memoryMb: 512,
    timeoutS: 30,
    trigger: { uploads: 'uploads/' },
    rights: [...moveJobs, files(['uploads'], 'GetObject', 'DeleteObject'), { list: true }],
    ...{ secrets: ['SERVICE_SECRET'], readsFiles: true },
    maximumConcurrency: 20,
  },
  /** Plans tasks that are ready, and signs what their workers need: engines reach no file by themselves. */
  prepare: {
    handler: 'functions/prepare.handler',
    memoryMb: 512,
    timeoutS: 30,
    trigger: { queue: 'ready' },
    rights: [
      ...moveJobs,
      records('DeleteItem'),
      { queues: [...imageIds, 'capture', 'transfer'], may: ['sqs:SendMessage'] },
      files(everyFile, 'GetObject'),
      files(['jobs', 'work'], 'PutObject'),
      // Who has its address learns that an input is deleted.
      { list: true },
    ],
    ...{ secrets: ['SERVICE_SECRET'], plans: true },
    maximumConcurrency: 20,
  },
  transfer: {
    handler: 'functions/transfer.handler',
    memoryMb: 1024,
    timeoutS: 900,
    diskMb: 10_240,
    trigger: { queue: 'transfer' },
    rights: [
      ...runTasks('transfer'),
      files(everyFile, 'GetObject'),
      files(['jobs', 'uploads'], 'PutObject', 'DeleteObject', 'AbortMultipartUpload'),
    ],
    ...{ secrets: ['SERVICE_SECRET'], reaches: ['stores'], readsFiles: true },
  },
  capture: {
    handler: 'functions/capture.handler',
    memoryMb: 3264,
    timeoutS: 300,
    trigger: { queue: 'capture' },
    rights: runTasks('capture'),
    image: 'browser',
    reaches: ['websites'],
  },
  /** Finds out which webhooks want to know of an event. */
  dispatch: {
    handler: 'functions/dispatch.handler',
    memoryMb: 256,
    timeoutS: 30,
    trigger: { events: ['job.*', 'file.*', 'subscription.*', 'quota.*'], for: 'webhooks' },
    rights: [records('GetItem', 'Query', 'PutItem', 'UpdateItem'), callLanes],
    deadLetter: true,
    maximumConcurrency: 20,
  },
  deliver: {
    handler: 'functions/deliver.handler',
    memoryMb: 512,
    timeoutS: 120,
    trigger: { queue: 'delivery' },
    rights: [records('GetItem', 'Query', 'UpdateItem'), callLanes],
    ...{ secrets: ['SERVICE_SECRET', 'SMTP_URL'], reaches: ['receivers', 'mail'] },
    maximumConcurrency: deliveriesAtATime,
  },
  'record-metrics': {
    handler: 'functions/record-metrics.handler',
    memoryMb: 256,
    timeoutS: 10,
    trigger: { events: ['job.completed', 'job.failed', 'file.deleted'] },
    rights: [records('GetItem', 'BatchWriteItem')],
    maximumConcurrency: 10,
  },
  /** Adds the ends of jobs to the figures of their owners and of the service. */
  'count-usage': {
    handler: 'functions/count-usage.handler',
    memoryMb: 256,
    timeoutS: 15,
    trigger: { events: endings },
    rights: [records('GetItem', 'BatchGetItem', 'UpdateItem')],
    deadLetter: true,
    maximumConcurrency: 10,
  },
  sockets: {
    handler: 'functions/live.sockets',
    memoryMb: 512,
    timeoutS: 20,
    trigger: { websocket: ['$connect', '$disconnect', '$default'] },
    rights: [
      records('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'),
      { index: 'byList' },
      { publish: true },
      { sockets: ['POST', 'DELETE'] },
    ],
    ...{ secrets: ['SERVICE_SECRET'], reaches: ['sockets'] },
    maximumConcurrency: 30,
  },
  broadcast: {
    handler: 'functions/live.broadcast',
    memoryMb: 512,
    timeoutS: 20,
    trigger: { events: ['job.*', 'file.*', 'subscription.*', 'quota.*', 'socket.opened'], for: 'sockets' },
    rights: [
      records('GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'BatchWriteItem'),
      { index: 'byList' },
      { sockets: ['POST', 'GET', 'DELETE'] },
    ],
    ...{ secrets: ['SERVICE_SECRET'], reaches: ['sockets'] },
    maximumConcurrency: 20,
  },
  /** How far engines can be held where functions run. */
  probe: {
    handler: 'functions/probe.handler',
    memoryMb: 1024,
    timeoutS: 60,
    trigger: { operator: true },
    rights: [],
    // The smallest; what is found holds for all.
    image: 'archive',
    maximumConcurrency: 1,
  },
} as const satisfies Readonly<Record<string, FunctionDeclaration>>
export type FunctionName = keyof typeof functions
/** The row of a function; what runs the tasks of an image has none. */
export const rowOf = (name: string | undefined): FunctionDeclaration | undefined =>
  (functions as Readonly<Record<string, FunctionDeclaration>>)[name ?? '']
/** What a function finds where secrets lie: who is reached by the address in front knows it by its secret. */
export const secretsOf = ({ secrets = [], trigger }: FunctionDeclaration): readonly SecretName[] =>
  'http' in trigger || 'websocket' in trigger ? [...secrets, 'ORIGIN_SECRET'] : secrets
/** The function that a queue feeds, where it is not that of an image. */
export const functionOfQueue = (queue: QueueId | FunctionName): FunctionName | undefined =>
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

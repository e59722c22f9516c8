import type { ImageId } from './engines/engine.ts'

/**
 * What the service consists of, as data: `serverless.yml` deploys it and the one-machine runtime starts it.
 * Names of AWS properties are AWS's own, so that both sides pass them on as they stand.
 */
export const imageIds = ['av', 'image', 'office', 'pdf'] as const satisfies readonly ImageId[]

/** Receives of one message before it is put aside; the job itself fails after three attempts, long before. */
export const maxReceiveCount = 10

/** Lambda wants the visibility of a queue at or above the time limit of its function; workers shorten it on receipt. */
export const queueVisibilityS = 900

export const table = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'owner', AttributeType: 'S' },
    { AttributeName: 'id', AttributeType: 'S' },
    { AttributeName: 'wakeShard', AttributeType: 'S' },
    { AttributeName: 'wakeAt', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byOwner',
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
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

export const bucket = {
  cors: [
    {
      AllowedOrigins: ['*'],
      AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST'],
      AllowedHeaders: ['*'],
      ExposeHeaders: ['ETag', 'Content-Disposition', 'Content-Range', 'Accept-Ranges'],
      MaxAgeSeconds: 3600,
    },
  ],
  lifecycle: [
    // Jobs and uploads delete their own files; this catches what a crash left without a record.
    { ID: 'uploads', Prefix: 'uploads/', ExpirationInDays: 2, AbortIncompleteMultipartDays: 1 },
    { ID: 'jobs', Prefix: 'jobs/', ExpirationInDays: 366, AbortIncompleteMultipartDays: 1 },
  ],
} as const

/** Functions in zip packages; each image adds its `convert-<image>` function, made from the engines' limits. */
export const functions = {
  api: { handler: 'functions/api.handler', memoryMb: 1024, timeoutS: 29, trigger: { http: true } },
  sweep: {
    handler: 'functions/sweep.handler',
    memoryMb: 512,
    timeoutS: 60,
    trigger: { schedule: 'rate(1 minute)' },
  },
} as const

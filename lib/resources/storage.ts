/**
 * Number of shards of the index of pending wake-ups. One shard would not be enough, because DynamoDB allows a thousand
 * writes a second per partition key.
 */
export const wakeShardCount = 16

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
    // All indexes only contain keys; records are read from the table when needed.
    {
      // Lists the jobs of an owner with one status.
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

/**
 * Days after which S3 deletes uploads; an upload uses the smallest value that exceeds the retention of its owner's
 * jobs.
 */
export const uploadRetentionDays = [2, 9, 368] as const

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
    // Jobs delete their own files; these rules delete unused uploads, and files that arrive too late.
    ...uploadRetentionDays.flatMap((days) =>
      (['uploads', 'received'] as const).map((kind) => ({
        ID: `${kind}-${days}d`,
        Prefix: `${kind}/${days}d/`,
        ExpirationInDays: days,
        AbortIncompleteMultipartDays: 1,
      })),
    ),
    // This rule deletes task messages that were too large for SQS.
    { ID: 'work', Prefix: 'work/', ExpirationInDays: 1, AbortIncompleteMultipartDays: 1 },
    { ID: 'jobs', Prefix: 'jobs/', ExpirationInDays: 366, AbortIncompleteMultipartDays: 1 },
  ],
} as const

/**
 * Headers of files that share an origin with the API. A script in them could read everything that the visitor can see,
 * so a browser must neither run scripts in them nor guess another type.
 */
export const fileHeaders = {
  'content-security-policy':
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'",
  'x-content-type-options': 'nosniff',
} as const

/** Returns the EventBridge pattern for files created in a bucket. */
export const createUploadPattern = (bucketName: unknown, prefix: string) => ({
  source: ['aws.s3'],
  'detail-type': ['Object Created'],
  detail: { bucket: { name: [bucketName] }, object: { key: [{ prefix }] } },
})

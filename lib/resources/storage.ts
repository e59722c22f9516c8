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
    // Jobs delete their own files and those that they took; this catches what nobody took, or a late upload left.
    ...uploadRetentionDays.flatMap((days) =>
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

/** Files that arrive in a bucket, as a pattern of EventBridge. */
export const uploadPattern = (bucketName: unknown, prefix: string) => ({
  source: ['aws.s3'],
  'detail-type': ['Object Created'],
  detail: { bucket: { name: [bucketName] }, object: { key: [{ prefix }] } },
})

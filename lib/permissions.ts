/** What a function may do with what the service consists of, in AWS's own names; the roles of the deployment follow. */
export type Permission =
  /** Records of the table, in partitions that begin so; in all of them when left out. */
  | { readonly table: readonly TableAction[]; readonly partitions?: readonly string[] }
  /** Reads an index of the table. */
  | { readonly index: string }
  /** Files whose keys begin so. */
  | { readonly files: readonly FileAction[]; readonly prefixes: readonly string[] }
  /** Finds files by the beginning of their keys, and learns that one is not there: without it S3 says "forbidden". */
  | { readonly list: true }
  | { readonly queues: readonly string[]; readonly actions: readonly QueueAction[] }
  /** Publishes events. */
  | { readonly publish: true }
  /** Commands of open WebSockets, by method: sends, looks whether one is there, closes. */
  | { readonly sockets: readonly ('POST' | 'GET' | 'DELETE')[] }

export type TableVerb =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
export type TableAction = `dynamodb:${TableVerb}`

export type FileVerb =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'
export type FileAction = `s3:${FileVerb}`
/** What jobs made, what was uploaded, what came with a request, and messages that were too large for a queue. */
export type FilePrefix = 'jobs' | 'uploads' | 'received' | 'work'

export type QueueAction = `sqs:${'SendMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes'}`

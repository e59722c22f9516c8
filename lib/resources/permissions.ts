/**
 * What a function may do with the service's resources, in AWS action names; the deployment's IAM roles are built from
 * it.
 */
export type Permission =
  /** Records of the table, in partitions with these prefixes. */
  | { readonly table: readonly TableAction[]; readonly partitions: readonly string[] }
  /** Reads an index of the table. */
  | { readonly index: string }
  /** Files whose keys have these prefixes. */
  | { readonly files: readonly FileAction[]; readonly prefixes: readonly string[] }
  /** Lists files by key prefix, and gets "not found" for missing files: without it S3 returns "forbidden". */
  | { readonly list: true }
  | { readonly queues: readonly string[]; readonly actions: readonly QueueAction[] }
  /** Publishes events. */
  | { readonly publish: true }
  /** Commands for open WebSockets, by HTTP method: send a frame, check the connection, close it. */
  | { readonly sockets: readonly ('POST' | 'GET' | 'DELETE')[] }

export type TableVerb =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
type TableAction = `dynamodb:${TableVerb}`

export type FileVerb =
  | 'GetObject'
  | 'PutObject'
  | 'DeleteObject'
  | 'AbortMultipartUpload'
  | 'ListMultipartUploadParts'
type FileAction = `s3:${FileVerb}`
/** Results of jobs, uploads, files sent with a request, and messages that are too large for a queue. */
export type FilePrefix = 'jobs' | 'uploads' | 'received' | 'work'

type QueueAction = `sqs:${'SendMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes'}`

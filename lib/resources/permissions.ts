/**
 * What a function may do with the service's resources, with AWS's action names. The IAM roles of the deployment are
 * built from these permissions.
 */
export type Permission =
  /** Access to records of the table, in partitions with these prefixes */
  | { readonly table: readonly TableAction[]; readonly partitions: readonly string[] }
  /** Reading an index of the table */
  | { readonly index: string }
  /** Access to files whose keys have these prefixes */
  | { readonly files: readonly FileAction[]; readonly prefixes: readonly string[] }
  /**
   * Listing files by key prefix. Without this permission, S3 returns "forbidden" instead of "not found" for a missing
   * file.
   */
  | { readonly list: true }
  | { readonly queues: readonly string[]; readonly actions: readonly QueueAction[] }
  /** Publishing events */
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
/** First part of a file's key in the bucket, which says what kind of file it is. */
export type FilePrefix =
  /** Results of jobs */
  | 'jobs'
  /** Uploads */
  | 'uploads'
  /** Files that were sent with a request */
  | 'received'
  /** Task messages that are too large for a queue */
  | 'work'

type QueueAction = `sqs:${'SendMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes'}`

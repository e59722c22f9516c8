import type { ImageId } from '../component-ids.ts'
import { allGroups, contentGroups, listPrefixes, type PartitionName } from './partitions.ts'
import type { FilePrefix, FileVerb, Permission, TableVerb } from './permissions.ts'

/**
 * Returns a permission for records of the table.
 * @param names partitions, by group or prefix, whose records the function reads or writes.
 */
export const tableAccess = (names: readonly PartitionName[], ...verbs: readonly TableVerb[]) => ({
  table: verbs.map((verb) => `dynamodb:${verb}` as const),
  partitions: listPrefixes(names),
})
export const fileAccess = (prefixes: readonly FilePrefix[], ...verbs: readonly FileVerb[]) => ({
  files: verbs.map((verb) => `s3:${verb}` as const),
  prefixes: prefixes.map((prefix) => `${prefix}/`),
})
export const allFilePrefixes = ['jobs', 'uploads', 'received'] as const satisfies readonly FilePrefix[]

/** Permissions to store files, and to move uploaded files to keys that no presigned URL can overwrite. */
export const uploadPermissions = [
  fileAccess(['received'], 'PutObject', 'DeleteObject', 'AbortMultipartUpload'),
  fileAccess(['uploads'], 'DeleteObject'),
] as const satisfies readonly Permission[]

/**
 * Permissions for any change to a job: its records, tasks that become ready, events and their subscribers. The account
 * is read because its plan limits how many of its jobs run.
 */
export const jobUpdatePermissions = [
  tableAccess(['jobs'], 'GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  tableAccess(['OWNER#', 'WEBHOOK#'], 'GetItem', 'BatchGetItem', 'Query'),
  tableAccess(['ACCOUNT#'], 'GetItem'),
  { queues: ['ready'], actions: ['sqs:SendMessage'] },
  { publish: true },
] as const satisfies readonly Permission[]

/** Permission to queue webhook deliveries. */
export const deliveryQueuePermission = {
  queues: ['delivery'],
  actions: ['sqs:SendMessage'],
} as const satisfies Permission

/**
 * Permissions to run tasks. They include no access to files, because the message contains signed URLs and passwords.
 * Tasks beyond the owner's concurrency limit wait in records.
 */
export const createTaskPermissions = (queue: ImageId | 'capture' | 'transfer') =>
  [
    ...jobUpdatePermissions,
    tableAccess(['jobs'], 'PutItem', 'DeleteItem'),
    { queues: [queue], actions: ['sqs:ChangeMessageVisibility'] },
  ] as const satisfies readonly Permission[]

/** Permissions for any request: authentication, usage of the plan, and the event when its quota is used up. */
export const requestPermissions = [
  tableAccess(allGroups, 'GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  { publish: true },
] as const satisfies readonly Permission[]

/** Permissions for requests that create or change jobs. */
export const jobRequestPermissions = [
  ...requestPermissions,
  { queues: ['ready'], actions: ['sqs:SendMessage'] },
] as const satisfies readonly Permission[]

/** Returns a permission for all records except those of accounts and credentials. */
export const createContentPermission = (...verbs: readonly TableVerb[]) =>
  tableAccess(contentGroups, ...verbs)

/** Container images with an engine that splits tasks into chunks. */
const imagesWithChunks: readonly ImageId[] = ['av', 'pdf']

/** Permissions of the `convert-<image>` function. */
export const createConvertPermissions = (image: ImageId): readonly Permission[] => [
  ...createTaskPermissions(image),
  ...(imagesWithChunks.includes(image) ? [tableAccess(['jobs'], 'BatchWriteItem')] : []),
]

import type { ImageId } from '../engines/engine.ts'
import type { FilePrefix, FileVerb, Permission, TableVerb } from '../permissions.ts'

export const tableAccess = (...verbs: readonly TableVerb[]) => ({
  table: verbs.map((verb) => `dynamodb:${verb}` as const),
})
export const fileAccess = (prefixes: readonly FilePrefix[], ...verbs: readonly FileVerb[]) => ({
  files: verbs.map((verb) => `s3:${verb}` as const),
  prefixes: prefixes.map((prefix) => `${prefix}/`),
})
export const allFilePrefixes = ['jobs', 'uploads', 'received'] as const satisfies readonly FilePrefix[]

/** What any change of a job may lead to: records, tasks that are ready, events for those who listen. */
export const updateJobs = [
  tableAccess('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  { queues: ['ready'], actions: ['sqs:SendMessage'] },
  { publish: true },
] as const satisfies readonly Permission[]

/** Lanes of webhooks are called by whoever has something to deliver. */
export const queueDeliveries = {
  queues: ['delivery'],
  actions: ['sqs:SendMessage'],
} as const satisfies Permission

/**
 * To run tasks whose files and passwords come in the message: none to any file. Tasks of an owner whose plan lets them
 * run one after the other wait in records of theirs.
 */
export const runTasks = (queue: ImageId | 'capture' | 'transfer') =>
  [
    ...updateJobs,
    tableAccess('PutItem', 'DeleteItem'),
    { queues: [queue], actions: ['sqs:ChangeMessageVisibility'] },
  ] as const satisfies readonly Permission[]

/** What any request may lead to: who sends it and how much of his plan is left, told when it runs out. */
export const serveRequests = [
  tableAccess('GetItem', 'BatchGetItem', 'Query', 'UpdateItem'),
  { publish: true },
] as const satisfies readonly Permission[]

/** Images with an engine that shares out its work. */
const imagesWithChunks: readonly ImageId[] = ['av', 'pdf']

/** Of the function that runs the tasks of an image. */
export const convertPermissions = (image: ImageId): readonly Permission[] => [
  ...runTasks(image),
  ...(imagesWithChunks.includes(image) ? [tableAccess('BatchWriteItem')] : []),
]

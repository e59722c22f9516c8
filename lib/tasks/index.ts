import { exportBlobstoreOperation, importBlobstoreOperation } from './blobstore.ts'
import { captureWebsiteOperation } from './capture-website.ts'
import { compressOperation } from './compress.ts'
import { convertOperation } from './convert.ts'
import { engineOperations } from './engine-tasks.ts'
import { exportDriveOperation } from './export-drive.ts'
import { exportUrlOperation } from './export-url.ts'
import { exportGcsOperation, importGcsOperation } from './gcs.ts'
import { importBase64Operation, importRawOperation } from './import-base64.ts'
import { importUploadOperation } from './import-upload.ts'
import { importUrlOperation } from './import-url.ts'
import { mergeOperation } from './merge.ts'
import type { ExportOperation, ImportOperation, ProcessOperation, TaskOperation } from './operation.ts'
import { packResultsOperation } from './pack-results.ts'
import { pdfToolOperations } from './pdf-tools.ts'
import { exportS3Operation, importS3Operation } from './s3.ts'
import { exportSftpOperation, importSftpOperation } from './sftp.ts'

/** All public task operations. To add an operation, create its file and add a line here. */
export const taskOperations: readonly TaskOperation[] = [
  importUploadOperation,
  importBase64Operation,
  importRawOperation,
  importUrlOperation,
  importS3Operation,
  importBlobstoreOperation,
  importGcsOperation,
  importSftpOperation,
  captureWebsiteOperation,
  convertOperation,
  compressOperation,
  mergeOperation,
  ...engineOperations,
  ...pdfToolOperations,
  exportUrlOperation,
  exportS3Operation,
  exportBlobstoreOperation,
  exportGcsOperation,
  exportSftpOperation,
]

/** Operations of tasks that only the service's own endpoints create. */
const internalOperations: readonly TaskOperation[] = [packResultsOperation, exportDriveOperation]

const operationsByName = new Map(
  [...taskOperations, ...internalOperations].flatMap((operation) =>
    [operation.name, operation.alias ?? operation.name].map((name) => [name, operation]),
  ),
)

export const findTaskOperation = (name: string): TaskOperation | undefined => operationsByName.get(name)

/** Finds an operation that clients may request. */
export function findPublicOperation(name: string): TaskOperation | undefined {
  const operation = operationsByName.get(name)
  return operation && !internalOperations.includes(operation) ? operation : undefined
}

/** An operation that imports, exports or packs files; most of them need access to the internet. */
export type TransferOperation =
  | (ImportOperation & { readonly find: NonNullable<ImportOperation['find']> })
  | (ImportOperation & { readonly capture: NonNullable<ImportOperation['capture']> })
  | (ImportOperation & { readonly packs: true })
  | (ExportOperation & { readonly openStore: NonNullable<ExportOperation['openStore']> })
  | (ExportOperation & { readonly unpacks: true })

export const isTransferOperation = (operation: TaskOperation): operation is TransferOperation =>
  ['find', 'capture', 'packs', 'openStore', 'unpacks'].some((name) => name in operation)

/** Returns the queue of the operation's tasks. */
export const getTransferQueue = (operation: TransferOperation) =>
  'capture' in operation ? ('capture' as const) : ('transfer' as const)

export function findTransferOperation(name: string): TransferOperation | undefined {
  const operation = operationsByName.get(name)
  return operation && isTransferOperation(operation) ? operation : undefined
}

/** Returns the operation of a task that an engine runs. @throws for imports and exports. */
export function requireProcessOperation(name: string): ProcessOperation {
  const operation = operationsByName.get(name)
  if (operation?.kind === 'process') return operation
  throw new Error(`${name} is not a processing operation`)
}

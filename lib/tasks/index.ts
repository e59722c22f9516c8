import { exportBlobstore, importBlobstore } from './blobstore.ts'
import { captureWebsite } from './capture-website.ts'
import { compress } from './compress.ts'
import { convert } from './convert.ts'
import { engineTasks } from './engine-tasks.ts'
import { exportUrl } from './export-url.ts'
import { exportGcs, importGcs } from './gcs.ts'
import { importBase64, importRaw } from './import-base64.ts'
import { importUpload } from './import-upload.ts'
import { importUrl } from './import-url.ts'
import { merge } from './merge.ts'
import type { ExportOperation, ImportOperation, ProcessOperation, TaskOperation } from './operation.ts'
import { pdfTools } from './pdf-tools.ts'
import { exportS3, importS3 } from './s3.ts'
import { exportSftp, importSftp } from './sftp.ts'

/** Every operation of a task. To add one: its file and its line here. */
export const taskOperations: readonly TaskOperation[] = [
  importUpload,
  importBase64,
  importRaw,
  importUrl,
  importS3,
  importBlobstore,
  importGcs,
  importSftp,
  captureWebsite,
  convert,
  compress,
  merge,
  ...engineTasks,
  ...pdfTools,
  exportUrl,
  exportS3,
  exportBlobstore,
  exportGcs,
  exportSftp,
]

const byName = new Map(
  taskOperations.flatMap((operation) =>
    [operation.name, operation.alias ?? operation.name].map((name) => [name, operation]),
  ),
)

export const findOperation = (name: string): TaskOperation | undefined => byName.get(name)

/** An operation that moves files over a connection, and needs a way out for that. */
export type TransferOperation =
  | (ImportOperation & { readonly find: NonNullable<ImportOperation['find']> })
  | (ImportOperation & { readonly capture: NonNullable<ImportOperation['capture']> })
  | (ExportOperation & { readonly openStore: NonNullable<ExportOperation['openStore']> })

export const isTransfer = (operation: TaskOperation): operation is TransferOperation =>
  'find' in operation || 'capture' in operation || 'openStore' in operation

/** The queue of its tasks. */
export const queueOfTransfer = (operation: TransferOperation) =>
  'capture' in operation ? ('capture' as const) : ('transfer' as const)

export function transferOperation(name: string): TransferOperation | undefined {
  const operation = byName.get(name)
  return operation && isTransfer(operation) ? operation : undefined
}

/** @throws for the name of an import or export, whose tasks nobody runs. */
export function processOperation(name: string): ProcessOperation {
  const operation = byName.get(name)
  if (operation?.kind === 'process') return operation
  throw new Error(`the operation ${name} does not run`)
}

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
import { packResults } from './pack-results.ts'
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

/** Those of tasks that only endpoints of ours make. */
const ownOperations: readonly TaskOperation[] = [packResults]

const byName = new Map(
  [...taskOperations, ...ownOperations].flatMap((operation) =>
    [operation.name, operation.alias ?? operation.name].map((name) => [name, operation]),
  ),
)

export const findOperation = (name: string): TaskOperation | undefined => byName.get(name)

/** Of those that a client may ask for. */
export function offeredOperation(name: string): TaskOperation | undefined {
  const operation = byName.get(name)
  return operation && !ownOperations.includes(operation) ? operation : undefined
}

/** An operation that moves files, most over a connection, for which it needs a way out. */
export type TransferOperation =
  | (ImportOperation & { readonly find: NonNullable<ImportOperation['find']> })
  | (ImportOperation & { readonly capture: NonNullable<ImportOperation['capture']> })
  | (ImportOperation & { readonly packs: true })
  | (ExportOperation & { readonly openStore: NonNullable<ExportOperation['openStore']> })

export const isTransfer = (operation: TaskOperation): operation is TransferOperation =>
  ['find', 'capture', 'packs', 'openStore'].some((name) => name in operation)

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

import { compress } from './compress.ts'
import { convert } from './convert.ts'
import { engineTasks } from './engine-tasks.ts'
import { exportUrl } from './export-url.ts'
import { importBase64, importRaw } from './import-base64.ts'
import { importUpload } from './import-upload.ts'
import { merge } from './merge.ts'
import type { ProcessOperation, TaskOperation } from './operation.ts'
import { pdfTools } from './pdf-tools.ts'

/** Every operation of a task. To add one: its file and its line here. */
export const taskOperations: readonly TaskOperation[] = [
  importUpload,
  importBase64,
  importRaw,
  convert,
  compress,
  merge,
  ...engineTasks,
  ...pdfTools,
  exportUrl,
]

const byName = new Map(taskOperations.map((operation) => [operation.name, operation]))

export const findOperation = (name: string): TaskOperation | undefined => byName.get(name)

/** @throws for the name of an import or export, whose tasks nobody runs. */
export function processOperation(name: string): ProcessOperation {
  const operation = byName.get(name)
  if (operation?.kind === 'process') return operation
  throw new Error(`the operation ${name} does not run`)
}

/** Names that differ in the API of functions/compat-v2 and its webhooks. */

/**
 * The service's operation for each operation name of the compatible v2 API; operations with the same name are omitted.
 */
export const operationsByCompatName: Readonly<Record<string, string>> = {
  optimize: 'compress',
  'import/azure/blob': 'import/blobstore',
  'export/azure/blob': 'export/blobstore',
  'import/google-cloud-storage': 'import/gcs',
  'export/google-cloud-storage': 'export/gcs',
  'archive/extract': 'extract',
}
const compatNamesByOperation = Object.fromEntries(
  Object.entries(operationsByCompatName).map(([compatName, operation]) => [operation, compatName]),
)

export const toCompatOperation = (operation: string): string => compatNamesByOperation[operation] ?? operation

/**
 * Name prefix of tasks that the service adds to a job. Their results and states are reported with the requested tasks.
 */
export const internalTaskPrefix = '__facade-'
export const isInternalTask = (taskName: string): boolean => taskName.startsWith(internalTaskPrefix)

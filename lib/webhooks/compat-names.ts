/** What the interface of functions/compat-v2 and its webhooks call by other names. */

/** Names of operations there, and what we call them; those that are left out are called the same. */
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

export const compatOperation = (operation: string): string => compatNamesByOperation[operation] ?? operation

/** Tasks that nobody asked for begin so: their results and states are told at those that they stand beside. */
export const internalTaskPrefix = '__facade-'
export const isInternalTask = (taskName: string): boolean => taskName.startsWith(internalTaskPrefix)

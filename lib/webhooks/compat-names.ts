/** What the interface of functions/compat-v2 and its webhooks call by other names. */

/** Names of operations there, and what we call them; those that are left out are called the same. */
export const ourNames: Readonly<Record<string, string>> = {
  optimize: 'compress',
  'import/azure/blob': 'import/blobstore',
  'export/azure/blob': 'export/blobstore',
  'import/google-cloud-storage': 'import/gcs',
  'export/google-cloud-storage': 'export/gcs',
  'archive/extract': 'extract',
}
const theirNames = Object.fromEntries(Object.entries(ourNames).map(([theirs, ours]) => [ours, theirs]))

export const theirOperation = (operation: string): string => theirNames[operation] ?? operation

/** Tasks that nobody asked for begin so: their results and states are told at those that they stand beside. */
export const ownTasks = '__facade-'
export const isOwn = (taskName: string): boolean => taskName.startsWith(ownTasks)

/** Operations that clients select with the field `toolOperation` instead of a target format. */
export const toolOperations = [
  'ocr-pdf',
  'split-pdf',
  'encrypt-pdf',
  'decrypt-pdf',
  'rotate-pdf',
  'compress-pdf',
  'to-pdfa',
  'extract-pdf-pages',
  'remove-pdf-pages',
  'extract-pdf-images',
  'add-watermark-pdf',
  'merge-pdf',
  'flatten-pdf',
  'repair-pdf',
  'reorder-pdf-pages',
  'add-page-numbers-pdf',
  'edit-pdf-metadata',
  'linearize-pdf',
  'crop-pdf',
  'redact-pdf',
  'sanitize-pdf',
  'grayscale-pdf',
  'remove-blank-pages-pdf',
  'pdf-info',
  'compress',
] as const

export type ToolOperation = (typeof toolOperations)[number]

/** All operations that an engine can perform on a file. */
export const operations = [
  'convert',
  'merge',
  ...toolOperations,
  'thumbnail',
  'watermark',
  'metadata',
  'metadata/write',
  'archive',
  'extract',
  // Decrypts a document before another operation. Clients cannot request it alone.
  'unlock',
] as const

export type Operation = (typeof operations)[number]

const shownOperations: readonly string[] = ['metadata', 'pdf-info'] satisfies Operation[]

/** Whether the result of an operation is shown in its task, so that no other task has to use its file. */
export const isShownInTask = (operation: string) => shownOperations.includes(operation)

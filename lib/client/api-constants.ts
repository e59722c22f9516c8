// Made by make-types.ts from the contracts of the service. Not edited by hand.
/** Operations that take an Idempotency-Key. */
export const idempotentOperations = [
  'POST /v1/convert',
  'POST /v1/convert/merge',
  'POST /v1/convert/batch',
  'POST /v1/jobs',
  'POST /v1/download/zip',
  'POST /v1/jobs/{jobId}/retry',
  'POST /v1/import/url',
  'POST /v1/ws/tickets',
  'POST /v1/uploads/presign',
  'POST /v1/uploads/multipart',
  'POST /v1/cloud/{drive}/import',
  'POST /v1/workflows',
  'POST /v1/webhooks',
  'POST /v1/api-keys',
  'POST /v1/api-keys/{keyId}/rotate',
] as const

/** Options that are on or off. */
export const booleanOptions = [
  'allowAnnotating',
  'allowCopying',
  'allowFormFilling',
  'allowModifying',
  'allowPrinting',
  'boomerang',
  'deskew',
  'ebookDisableFontRescaling',
  'ebookEmbedFonts',
  'ebookSmartenPunctuation',
  'embedAllFonts',
  'embedFonts',
  'fitToWidth',
  'fullPage',
  'headers',
  'invert',
  'landscape',
  'lossless',
  'preserveLayout',
  'printBackground',
  'progressive',
  'removeLinks',
  'removeMetadata',
  'strip',
  'twoPass',
] as const

/** What `tool` runs. */
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

/** Operations whose body is a form. */
export const formOperations = [
  'POST /v1/oauth/token',
  'POST /v1/oauth/revoke',
  'POST /v1/oauth/introspect',
] as const

/** What an error of the service can be. */
export type ErrorCode =
  | 'INVALID_API_KEY'
  | 'AUTHENTICATION_REQUIRED'
  | 'INSUFFICIENT_PERMISSIONS'
  | 'RATE_LIMITED'
  | 'INVALID_INPUT'
  | 'INVALID_REQUEST'
  | 'FILE_TOO_LARGE'
  | 'UNSUPPORTED_FORMAT'
  | 'UNSUPPORTED_CONVERSION'
  | 'FORMAT_NOT_FOUND'
  | 'JOB_NOT_FOUND'
  | 'TASK_NOT_FOUND'
  | 'CONVERSION_FAILED'
  | 'CORRUPT_FILE'
  | 'TIMEOUT'
  | 'INSUFFICIENT_DISK_SPACE'
  | 'STORAGE_NOT_CONFIGURED'
  | 'NO_FILES'
  | 'FILE_GONE'
  | 'EXPIRED'
  | 'PDF_ENCRYPTED'
  | 'DRIVE_NOT_CONFIGURED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'CONFLICT'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'HEADERS_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'UPLOAD_NOT_FOUND'
  | 'UPLOAD_INCOMPLETE'
  | 'WEBHOOK_NOT_FOUND'
  | 'WORKFLOW_NOT_FOUND'
  | 'API_KEY_NOT_FOUND'
  | 'URL_NOT_ALLOWED'
  | 'DRIVE_NOT_CONNECTED'
  | 'INVALID_SIGNATURE'
  | 'SERVICE_UNAVAILABLE'
  | 'FILE_ENCRYPTED'
  | 'IMPORT_FAILED'
  | 'EXPORT_FAILED'
  | 'INTERNAL_ERROR'

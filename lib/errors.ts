/**
 * Every error code a client can see, with its HTTP status. The first block is the interface's list, the second
 * the additive codes that the service needs beyond it.
 */
export const errorStatus = {
  INVALID_API_KEY: 401,
  AUTHENTICATION_REQUIRED: 401,
  INSUFFICIENT_PERMISSIONS: 403,
  RATE_LIMITED: 429,
  INVALID_INPUT: 400,
  INVALID_REQUEST: 400,
  FILE_TOO_LARGE: 413,
  UNSUPPORTED_FORMAT: 422,
  UNSUPPORTED_CONVERSION: 422,
  FORMAT_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  TASK_NOT_FOUND: 404,
  CONVERSION_FAILED: 500,
  CORRUPT_FILE: 400,
  TIMEOUT: 408,
  INSUFFICIENT_DISK_SPACE: 503,
  STORAGE_NOT_CONFIGURED: 503,
  NO_FILES: 400,
  FILE_GONE: 410,
  EXPIRED: 401,
  PDF_ENCRYPTED: 422,
  DRIVE_NOT_CONFIGURED: 503,

  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  FILE_ENCRYPTED: 422,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  IDEMPOTENCY_IN_PROGRESS: 409,
  UPLOAD_NOT_FOUND: 404,
  UPLOAD_INCOMPLETE: 409,
  WEBHOOK_NOT_FOUND: 404,
  WORKFLOW_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  URL_NOT_ALLOWED: 400,
  DRIVE_NOT_CONNECTED: 409,
  INVALID_SIGNATURE: 401,
  IMPORT_FAILED: 502,
  EXPORT_FAILED: 502,
  INTERNAL_ERROR: 500,
} as const

export type ErrorCode = keyof typeof errorStatus

export type ErrorDetails = Readonly<Record<string, unknown>>

/**
 * An error that a client may see. The sentence names the field, what was expected, what came and the way out;
 * it never holds a path, a command line or a stack trace. What a maintainer needs goes into `cause`.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | undefined

  constructor(code: ErrorCode, sentence: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(sentence, options)
    this.name = 'AppError'
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorStatus[this.code]
  }
}

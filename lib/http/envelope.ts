import { isNotConfigured } from '../aws/file-errors.ts'
import { isUnavailable } from '../aws/timeouts.ts'
import { AppError, type ErrorCode } from '../errors.ts'

export interface Meta {
  readonly requestId: string
  /** RFC 3339, UTC. */
  readonly timestamp: string
}

const metaOf = (requestId: string): Meta => ({ requestId, timestamp: new Date().toISOString() })

export const successBody = (data: unknown, requestId: string) => ({
  success: true,
  data,
  meta: metaOf(requestId),
})

/** `success` as JSON in two parts: what data that is JSON already begins, and what each reply has of its own. */
export const successHead = (data: string) => `{"success":true,"data":${data}`
export const successTail = (requestId: string) => `,"meta":${JSON.stringify(metaOf(requestId))}}`

/** Fields of `data` beside it, for clients written against the replies from before the envelope. */
export const mirroredBody = (data: object, requestId: string) => ({
  ...data,
  ...successBody(data, requestId),
})

export const errorBody = (error: AppError, requestId: string) => ({
  success: false,
  error: { code: error.code, message: error.message, ...(error.details && { details: error.details }) },
  meta: metaOf(requestId),
})

/** As it stands in the address of its page. */
export const errorSlug = (code: ErrorCode) => code.toLowerCase().replaceAll('_', '-')

/** "Job not found" for JOB_NOT_FOUND. */
export function errorTitle(code: ErrorCode): string {
  const words = errorSlug(code)
    .replaceAll('-', ' ')
    .replace(/\b(api|pdf|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The same error as RFC 9457 problem details, for clients that ask for `application/problem+json`. */
export function problemDetails(
  error: AppError,
  request: { requestId: string; path: string; baseUrl: string },
) {
  const { field, errors, ...rest } = error.details ?? {}
  return {
    // Before what RFC 9457, 3.1 defines: the status of a job is none of an answer.
    ...rest,
    type: `${request.baseUrl}/errors/${errorSlug(error.code)}`,
    title: errorTitle(error.code),
    status: error.status,
    detail: error.message,
    instance: request.path,
    code: error.code,
    ...(errors ? { errors } : field ? { errors: [{ field, error: error.message }] } : {}),
    requestId: request.requestId,
  }
}

/** Seconds in which a part of the service may be back. */
const retryAfterS = 5

/** Whatever was thrown, as something a client may see; a bug shows nothing of itself. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  if (isUnavailable(thrown))
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `A part of the service does not answer now. Send the request again in ${retryAfterS} s.`,
      { retryAfter: retryAfterS },
      { cause: thrown },
    )
  if (isNotConfigured(thrown))
    return new AppError(
      'STORAGE_NOT_CONFIGURED',
      'The storage of files is not there, or does not let the service in. Whoever runs the service can mend that.',
      undefined,
      { cause: thrown },
    )
  return new AppError(
    'INTERNAL_ERROR',
    'Something went wrong on our side. The request id helps us to find it.',
  )
}

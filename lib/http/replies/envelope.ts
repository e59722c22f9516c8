import { isBucketUnavailable } from '../../aws/file-errors.ts'
import { isUnavailable } from '../../aws/timeouts.ts'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { Warning } from '../../model/job.ts'
import { defined } from '../../validation/defined.ts'

interface Meta {
  readonly requestId: string
  /** Timestamp in UTC (RFC 3339). */
  readonly timestamp: string
  /** Parts of the request that were ignored; omitted if there are none. */
  readonly warnings?: readonly Warning[]
}

const createMeta = (requestId: string, warnings: readonly Warning[] = []): Meta => ({
  requestId,
  timestamp: new Date().toISOString(),
  ...(warnings.length > 0 && { warnings }),
})

export const createSuccessBody = (data: unknown, requestId: string, warnings?: readonly Warning[]) => ({
  success: true,
  data,
  meta: createMeta(requestId, warnings),
})

/**
 * Returns the start of a success body, for data that is already JSON. It can be cached; the rest of the body differs
 * for each reply.
 */
export const createSuccessHead = (data: string) => `{"success":true,"data":${data}`
export const createSuccessTail = (requestId: string, warnings?: readonly Warning[]) =>
  `,"meta":${JSON.stringify(createMeta(requestId, warnings))}}`

/**
 * Returns the envelope with the fields of `data` repeated at the top level, for clients written before the envelope
 * existed.
 */
export const createMirrorBody = (data: object, requestId: string, warnings?: readonly Warning[]) => ({
  ...data,
  ...createSuccessBody(data, requestId, warnings),
})

export const createErrorBody = (error: AppError, requestId: string) => ({
  success: false,
  error: { code: error.code, message: error.message, ...defined({ details: error.details }) },
  meta: createMeta(requestId),
})

/** Returns the code as it is written in the URL of its page, such as `job-not-found`. */
export const toErrorSlug = (code: ErrorCode) => code.toLowerCase().replaceAll('_', '-')

/** Returns the code as a title, such as "Job not found" for JOB_NOT_FOUND. */
export function toErrorTitle(code: ErrorCode): string {
  const words = toErrorSlug(code)
    .replaceAll('-', ' ')
    .replace(/\b(api|pdf|url)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Returns the error as RFC 9457 problem details, for clients that accept `application/problem+json`. */
export function createProblemDetails(
  error: AppError,
  request: { requestId: string; path: string; baseUrl: string },
) {
  const { field, errors, ...rest } = error.details ?? {}
  return {
    // Details come first, so that the members of RFC 9457, 3.1 override them. For example, the detail `status` is the
    // status of a job, but the member `status` is the HTTP status.
    ...rest,
    type: `${request.baseUrl}/errors/${toErrorSlug(error.code)}`,
    title: toErrorTitle(error.code),
    status: error.status,
    detail: error.message,
    instance: request.path,
    code: error.code,
    ...(errors ? { errors } : field ? { errors: [{ field, error: error.message }] } : {}),
    requestId: request.requestId,
  }
}

/** Value of `Retry-After` in seconds while a part of the service is unavailable. */
const retryAfterS = 5

/** Converts anything thrown into an error for clients; a bug becomes INTERNAL_ERROR without details. */
export function toAppError(thrownError: unknown): AppError {
  if (thrownError instanceof AppError) return thrownError
  if (isUnavailable(thrownError))
    return new AppError(
      'SERVICE_UNAVAILABLE',
      `Part of the service is temporarily unavailable. Send the request again in ${retryAfterS} s.`,
      { retryAfter: retryAfterS },
      { cause: thrownError },
    )
  if (isBucketUnavailable(thrownError))
    return new AppError(
      'STORAGE_NOT_CONFIGURED',
      'The file storage does not exist or denies access to the service. The operator of the service has to fix this.',
      undefined,
      { cause: thrownError },
    )
  return new AppError(
    'INTERNAL_ERROR',
    'An internal error occurred. Send the request again; if it keeps failing, report the request id.',
  )
}

import type { AppError } from '../../lib/errors.ts'

/** Errors for which clients of this API expect status 422; the service's own API uses 400. */
const inputErrorCodes: readonly string[] = [
  'INVALID_INPUT',
  'INVALID_REQUEST',
  'UNSUPPORTED_CONVERSION',
  'UNSUPPORTED_FORMAT',
]

/** Returns 422 for invalid input, 402 if the quota of the day or month is used up, otherwise the service's status. */
export function toCompatErrorStatus({ code, status, details }: AppError): number {
  if (inputErrorCodes.includes(code)) return 422
  return code === 'RATE_LIMITED' && ['day', 'month'].includes(String(details?.['window'])) ? 402 : status
}

/** Returns an error in the format of this API: `{ message, code, errors }`. */
export function toCompatErrorBody({ code, message, details }: AppError) {
  const { field } = details ?? {}
  return { message, code, ...(typeof field === 'string' && { errors: { [field]: [message] } }) }
}

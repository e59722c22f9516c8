import type { AppError } from '../../lib/errors.ts'

/** What clients of this interface take for a body that is not in order; ours is 400. */
const inputErrorCodes: readonly string[] = [
  'INVALID_INPUT',
  'INVALID_REQUEST',
  'UNSUPPORTED_CONVERSION',
  'UNSUPPORTED_FORMAT',
]

/** 422 for all that is wrong with what was sent, 402 where a plan is used up for the day or the month. */
export function compatStatus({ code, status, details }: AppError): number {
  if (inputErrorCodes.includes(code)) return 422
  return code === 'RATE_LIMITED' && ['day', 'month'].includes(String(details?.['window'])) ? 402 : status
}

/** Errors in the form of this interface: `{ message, code, errors }`. */
export function compatErrorBody({ code, message, details }: AppError) {
  const { field } = details ?? {}
  return { message, code, ...(typeof field === 'string' && { errors: { [field]: [message] } }) }
}

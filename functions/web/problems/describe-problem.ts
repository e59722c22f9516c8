import type { ErrorCode } from '../../../lib/error-catalog.ts'
import { formatMaxSize, formatSize } from '../ui/format-values.ts'
import words from './words/en.ts'

/** An error in the format in which the service reports it. */
export interface ServiceError {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterS?: number | undefined
}

export const getNumber = (details: ServiceError['details'], name: string): number | undefined => {
  const value = details?.[name]
  return typeof value === 'number' ? value : undefined
}

/**
 * Returns what happened and what to do, in the language of the page; for an unknown code, the message of the service.
 */
export function describeProblem({ code, message, details, retryAfterS }: ServiceError): string {
  if (code === 'FILE_TOO_LARGE') {
    const [size, max] = [getNumber(details, 'size'), getNumber(details, 'maxBytes')]
    if (max !== undefined)
      return size === undefined
        ? words.maxSize(formatMaxSize(max))
        : words.tooLarge(formatSize(size), formatMaxSize(max))
  }
  if (code === 'RATE_LIMITED' && retryAfterS !== undefined) return words.retryIn(retryAfterS)
  return words.texts[code as ErrorCode] ?? message // a newer service may have more codes
}

export const { wrongPassword } = words

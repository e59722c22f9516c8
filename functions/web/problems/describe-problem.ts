import type { ErrorCode } from '../../../lib/error-catalog.ts'
import type { Option } from '../api.ts'
import { describeLimit } from '../options/option-values.ts'
import { formatDuration, formatSize } from '../ui/format-values.ts'
import words from './words/en.ts'

/** An error as the service reports it. */
export interface ServiceError {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterS?: number | undefined
}

const numberIn = (details: ServiceError['details'], name: string): number | undefined => {
  const value = details?.[name]
  return typeof value === 'number' ? value : undefined
}

/** What happened and what to do, in the language of the page; an unknown code keeps the sentence of the service. */
export function describeProblem({ code, message, details, retryAfterS }: ServiceError): string {
  if (code === 'FILE_TOO_LARGE') {
    const [size, max] = [numberIn(details, 'size'), numberIn(details, 'maxBytes')]
    if (max !== undefined)
      return size === undefined
        ? words.maxSize(formatSize(max))
        : words.tooLarge(formatSize(size), formatSize(max))
  }
  if (code === 'RATE_LIMITED' && retryAfterS !== undefined) return words.retryIn(retryAfterS)
  return words.texts[code as ErrorCode] ?? message // a newer service may have more codes
}

/** At the field of an option: its name, its value, and what is possible. */
export function describeFieldProblem(
  details: ServiceError['details'],
  option: Option,
  value: string | boolean | undefined,
): string {
  const isShown = option.widget !== 'password' && typeof value === 'string'
  const shownValue = isShown ? (option.enumLabels?.[value] ?? value) : ''
  return words.fieldProblem(option.label, shownValue, describeReason(details) ?? describeLimit(option))
}

/** What the service found only in the file, or in several fields together. */
function describeReason(details: ServiceError['details']): string | undefined {
  const { reasons } = words
  const [lengthS, pages, max] = ['lengthS', 'pages', 'max'].map((name) => numberIn(details, name))
  switch (details?.['reason']) {
    case 'after-end':
      return lengthS === undefined ? undefined : reasons.afterEnd(formatDuration(lengthS * 1000))
    case 'no-such-page':
      return pages === undefined ? undefined : reasons.noSuchPage(pages)
    case 'too-many-images':
      return max === undefined ? undefined : reasons.tooManyImages(max)
    case 'end-before-start':
      return reasons.endBeforeStart
    case 'all-pages':
      return reasons.allPages
    case 'no-room':
      return reasons.noRoom
    case 'too-many-pixels':
      return reasons.tooManyPixels
    case 'nothing-to-do':
      return reasons.nothingToDo
    case 'either-or':
      return reasons.eitherOr
    default:
      return undefined
  }
}

export const { wrongPassword } = words

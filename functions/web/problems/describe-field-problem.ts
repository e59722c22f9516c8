import type { Option } from '../api.ts'
import { describeLimit } from '../options/option-values.ts'
import { formatDuration } from '../ui/format-values.ts'
import { getNumber, type ServiceError } from './describe-problem.ts'
import words from './words/en.ts'

/** Describes the problem of an option's field: the option's name, its value, and which values are possible. */
export function describeFieldProblem(
  details: ServiceError['details'],
  option: Option,
  value: string | boolean | undefined,
): string {
  const isShown = option.widget !== 'password' && typeof value === 'string'
  const shownValue = isShown ? (option.enumLabels?.[value] ?? value) : ''
  return words.fieldProblem(option.label, shownValue, describeReason(details) ?? describeLimit(option))
}

/** Describes a problem that the service only finds in the file, or when it compares several fields. */
function describeReason(details: ServiceError['details']): string | undefined {
  const { reasons } = words
  const [lengthS, pages, max] = ['lengthS', 'pages', 'max'].map((name) => getNumber(details, name))
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
    case 'signed':
      return reasons.signed
    case 'no-match':
      return reasons.noMatch
    default:
      return undefined
  }
}

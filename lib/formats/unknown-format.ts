import { AppError } from '../errors.ts'
import { findSimilar, formatSuggestion } from '../validation/did-you-mean.ts'
import { formatByAlias, formats } from './index.ts'
import { findBySynonym, formatWords } from './synonyms.ts'

const maxShownLength = 64

/** Returns the format that an unknown name most likely means, such as `docx` for `word` or `dcox`. */
export function suggestFormat(name: string): string | undefined {
  const [synonymFormat] = findBySynonym(name).formats
  if (synonymFormat !== undefined) return synonymFormat
  const similarName = findSimilar(name, listFormatNames())
  if (similarName === undefined) return undefined
  return formatByAlias(similarName)?.id ?? findBySynonym(similarName).formats[0]
}

let allNames: readonly string[] | undefined
function listFormatNames(): readonly string[] {
  const formatNames = formats.flatMap(({ id, extensions, aliases = [] }) => [id, ...extensions, ...aliases])
  allNames ??= [...formatNames, ...formatWords]
  return allNames
}

/** @param details for example the field that names the format. */
export function createUnknownFormatError(
  code: 'UNSUPPORTED_FORMAT' | 'FORMAT_NOT_FOUND',
  name: string,
  details: { readonly field?: string; readonly formatId?: string },
): AppError {
  const suggestion = suggestFormat(name)
  const prefix = details.field === undefined ? '' : `${details.field}: `
  return new AppError(
    code,
    `${prefix}"${name.slice(0, maxShownLength)}" is not a supported format.${formatSuggestion(suggestion)} GET /v1/formats lists the supported formats.`,
    { ...details, ...(suggestion !== undefined && { suggestion }) },
  )
}

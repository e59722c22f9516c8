import { AppError } from '../errors.ts'
import { type FormatId, formatByAlias } from '../formats/index.ts'
import { findBySynonym } from '../formats/synonyms.ts'
import { createUnknownFormatError } from '../formats/unknown-format.ts'
import { type ToolOperation, toolOperations } from '../model/operations.ts'
import { findSimilar, formatSuggestion } from '../validation/did-you-mean.ts'

/** Request fields that may contain the target format. */
interface TargetFields {
  readonly targetFormat?: string | undefined
  readonly output_format?: string | undefined
  readonly target?: string | undefined
}

/** Returns the target format; undefined if none is sent. @throws AppError INVALID_INPUT, UNSUPPORTED_FORMAT */
export function parseTargetFormat(fields: TargetFields, name = 'targetFormat'): FormatId | undefined {
  const sentTargets = [fields.targetFormat, fields.output_format, fields.target].filter(
    (target) => target !== undefined && target !== '',
  )
  const [firstTarget] = sentTargets
  if (firstTarget === undefined) return undefined
  if (sentTargets.some((target) => target !== firstTarget)) {
    const shownTargets = sentTargets.map((target) => target?.slice(0, 64)).join(', ')
    throw new AppError(
      'INVALID_INPUT',
      `targetFormat, output_format and target are aliases of one field, but have different values: ${shownTargets}.`,
      { field: name },
    )
  }
  const format = formatByAlias(firstTarget)
  if (format) return format.id
  throw createUnknownFormatError('UNSUPPORTED_FORMAT', firstTarget, { field: name })
}

/** Returns the tool that an unknown name most likely means, such as `split-pdf` for `split`. */
const suggestTool = (name: string) =>
  findBySynonym(name).tools.find((tool) => toolOperations.some((known) => known === tool)) ??
  findSimilar(name, toolOperations) ??
  findSimilar(`${name}-pdf`, toolOperations)

/** Returns the tool that a name without `-pdf` means, such as `to-pdfa`, `ocr` or `extract-pages`. */
export const findTool = (name: string): ToolOperation | undefined =>
  toolOperations.find((tool) => tool === name || tool === `${name}-pdf`) ??
  toolOperations.find((tool) => tool === suggestTool(name))

/** Parses the name of a tool. @throws AppError INVALID_REQUEST for an unknown tool. */
export function parseToolOperation(name: string | undefined): ToolOperation | undefined {
  if (name === undefined || name === '') return undefined
  const tool = toolOperations.find((candidate) => candidate === name.toLowerCase())
  if (tool) return tool
  const suggestion = suggestTool(name)
  throw new AppError(
    'INVALID_REQUEST',
    `toolOperation: expected one of ${toolOperations.join(', ')}, got "${name.slice(0, 64)}".${formatSuggestion(suggestion)}`,
    { field: 'toolOperation', expected: toolOperations, ...(suggestion && { suggestion }) },
  )
}

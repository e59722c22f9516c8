import { AppError } from '../errors.ts'
import { type FormatId, formatByAlias } from '../formats/index.ts'
import { type ToolOperation, toolOperations } from '../model/operations.ts'

/** Aliases of the field with the target format. */
interface TargetFields {
  readonly targetFormat?: string | undefined
  readonly output_format?: string | undefined
  readonly target?: string | undefined
}

/** Returns undefined when no target is sent. @throws AppError INVALID_INPUT, UNSUPPORTED_FORMAT */
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
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `${name}: "${firstTarget.slice(0, 64)}" is not a supported format. GET /v1/formats lists the supported formats.`,
    { field: name },
  )
}

/** @throws AppError INVALID_INPUT for an unknown tool. */
export function parseToolOperation(name: string | undefined): ToolOperation | undefined {
  if (name === undefined || name === '') return undefined
  const tool = toolOperations.find((candidate) => candidate === name.toLowerCase())
  if (tool) return tool
  throw new AppError(
    'INVALID_INPUT',
    `toolOperation: expected one of ${toolOperations.join(', ')}, got "${name.slice(0, 64)}".`,
    { field: 'toolOperation', expected: toolOperations },
  )
}

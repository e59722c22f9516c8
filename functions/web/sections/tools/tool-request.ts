import { defined } from '../../../../lib/validation/defined.ts'
import type { PageArrangement, PageOperation } from '../../grid/page-order.ts'
import type { PdfAccess } from '../../grid/use-pages.ts'
import type { GridUse } from './grid-uses.ts'
import type { ToolRequest } from './run-tool.ts'
import { createRangeSteps, isRange, type MergeKind } from './targets.ts'
import type { ToolFile } from './tool-file.ts'
import { getOperation, type Tool } from './tools.ts'
import words from './words/en.ts'

/** The user's input on a tool page, which is converted to a request. */
export interface ToolInput {
  readonly tool: Tool
  readonly files: readonly ToolFile[]
  readonly kind: MergeKind | undefined
  readonly targetFormat: string | undefined
  readonly from: string | undefined
  readonly gridUse: GridUse | undefined
  /** The page arrangement, if the grid is shown. */
  readonly arrangement: PageArrangement | undefined
  readonly access: PdfAccess
}

type Values = Readonly<Record<string, unknown>>

/** Returns the options that the page grid sets. */
export const listReplacedOptions = ({ gridUse, arrangement, access }: ToolInput): readonly string[] =>
  arrangement && gridUse
    ? [...gridUse.replacedOptions, ...(access.password === undefined ? [] : ['password'])]
    : []

type InputFault = 'mixed' | 'oneOnly' | 'nothingYet' | 'wrongRange'

/** Returns why the tool cannot run yet; `few` has no message, because the file field is right above the button. */
export function findInputFault({
  tool,
  files,
  kind,
  gridUse,
  arrangement,
}: ToolInput): InputFault | 'few' | undefined {
  if (kind === 'mixed') return 'mixed'
  if (tool.optionsOf !== undefined && files.length > 1) return 'oneOnly'
  if (files.length < (tool.id === 'merge' ? 2 : 1)) return 'few'
  if (kind === 'pdf' && !files.every(({ pages }) => isRange(pages))) return 'wrongRange'
  if (arrangement && gridUse) return gridUse.steps(arrangement, tool.id) ? undefined : 'nothingYet'
  return tool.optionsOf === undefined ? undefined : 'few'
}

/** Returns a result name that says what was done; tools with several results name them themselves. */
function buildResultName(
  tool: Tool['id'],
  values: Values,
  steps: readonly PageOperation[],
): string | undefined {
  if (tool === 'merge') return `${words.resultNames.merge}.{ext}`
  const lastStep = steps.at(-1)
  const pages = lastStep?.options['pages'] ?? values['pages']
  if (tool === 'extract-pdf-pages' && typeof pages === 'string')
    return `{name}-${words.resultNames.pages}-${pages.replaceAll(/[^\d-]/g, '_')}.{ext}`
  if (lastStep?.operation === 'split-pdf') return undefined
  const suffix = (words.resultNames as Readonly<Record<string, string>>)[tool]
  return suffix && `{name}-${suffix}.{ext}`
}

export function toToolRequest(input: ToolInput, optionValues: Values): ToolRequest {
  const { tool, files, kind, targetFormat, from, gridUse, arrangement, access } = input
  const values = {
    ...(arrangement && access.password !== undefined && { password: access.password }),
    ...optionValues,
  }
  const singleStep: readonly PageOperation[] = [{ operation: getOperation(tool.id), options: {} }]
  const fileSteps = (arrangement && gridUse?.steps(arrangement, tool.id)) ?? singleStep
  const getSteps = (toolFile: ToolFile): readonly PageOperation[] => {
    if (tool.usesAllFiles) return kind === 'pdf' ? createRangeSteps(toolFile, values) : []
    return fileSteps.map(({ operation, options }) => ({ operation, options: { ...values, ...options } }))
  }
  return {
    files: files.map((toolFile) => ({ file: toolFile.file, steps: getSteps(toolFile) })),
    ...defined({ combiningStep: tool.usesAllFiles && { operation: tool.id, options: values } }),
    targetFormat,
    from,
    filename: buildResultName(tool.id, values, fileSteps),
    storingJobId: arrangement && files.length === 1 ? access.jobId : undefined,
  }
}

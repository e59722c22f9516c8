import type { PageArrangement, Step } from '../../grid/page-order.ts'
import type { PdfAccess } from '../../grid/use-pages.ts'
import type { GridUse } from './grid-uses.ts'
import type { ToolRequest } from './run-tool.ts'
import { isRange, type MergeKind, rangeSteps } from './targets.ts'
import type { ToolFile } from './tool-file.ts'
import type { Tool } from './tools.ts'

/** What was chosen on the page of a tool, and what that is for the service. */
export interface ToolInput {
  readonly tool: Tool
  readonly files: readonly ToolFile[]
  readonly kind: MergeKind | undefined
  readonly targetFormat: string | undefined
  readonly from: string | undefined
  readonly gridUse: GridUse | undefined
  /** Pages as they were put in the grid, where it is shown. */
  readonly arrangement: PageArrangement | undefined
  readonly access: PdfAccess
}

type Values = Readonly<Record<string, unknown>>

/** Options for which the grid stands. */
export const replacedOptions = ({ gridUse, arrangement: arranged, access }: ToolInput): readonly string[] =>
  arranged && gridUse
    ? [...gridUse.replacedOptions, ...(access.password === undefined ? [] : ['password'])]
    : []

export type InputFault = 'mixed' | 'oneOnly' | 'nothingYet' | 'wrongRange'

/** Why it cannot be done yet; `few` needs no words, as the field for files stands above. */
export function findFault({
  tool,
  files,
  kind,
  gridUse,
  arrangement: arranged,
}: ToolInput): InputFault | 'few' | undefined {
  if (kind === 'mixed') return 'mixed'
  if (tool.optionsOf !== undefined && files.length > 1) return 'oneOnly'
  if (files.length < (tool.id === 'merge' ? 2 : 1)) return 'few'
  if (kind === 'pdf' && !files.every(({ pages }) => isRange(pages))) return 'wrongRange'
  if (arranged && gridUse) return gridUse.steps(arranged, tool.id) ? undefined : 'nothingYet'
  return tool.optionsOf === undefined ? undefined : 'few'
}

export function toToolRequest(input: ToolInput, optionValues: Values): ToolRequest {
  const { tool, files, kind, targetFormat, from, gridUse, arrangement: arranged, access } = input
  const values = {
    ...(arranged && access.password !== undefined && { password: access.password }),
    ...optionValues,
  }
  const asIs: readonly Step[] = [{ operation: tool.id, options: {} }]
  const fileSteps = (arranged && gridUse?.steps(arranged, tool.id)) ?? asIs
  const stepsOf = (toolFile: ToolFile): readonly Step[] => {
    if (tool.usesAllFiles) return kind === 'pdf' ? rangeSteps(toolFile, values) : []
    return fileSteps.map(({ operation, options }) => ({ operation, options: { ...values, ...options } }))
  }
  return {
    files: files.map((toolFile) => ({ file: toolFile.file, steps: stepsOf(toolFile) })),
    ...(tool.usesAllFiles && { joint: { operation: tool.id, options: values } }),
    targetFormat,
    from,
    uploadedWithJob: arranged && files.length === 1 ? access.jobId : undefined,
  }
}

import type { Arranged, Step } from '../../grid/page-order.ts'
import type { Way } from '../../grid/use-pages.ts'
import type { Chosen } from './tool-file.ts'
import type { Order } from './run-tool.ts'
import { isRange, type MergeKind, rangeSteps } from './targets.ts'
import type { Tool } from './tools.ts'
import type { Use } from './grid-uses.ts'

/** What was chosen on the page of a tool, and what that is for the service. */
export interface Choice {
  readonly tool: Tool
  readonly files: readonly Chosen[]
  readonly kind: MergeKind | undefined
  readonly targetFormat: string | undefined
  readonly from: string | undefined
  readonly use: Use | undefined
  /** Pages as they were put in the grid, where it is shown. */
  readonly arranged: Arranged | undefined
  readonly way: Way
}

type Values = Readonly<Record<string, unknown>>

/** Options for which the grid stands. */
export const instead = ({ use, arranged, way }: Choice): readonly string[] =>
  arranged && use ? [...use.instead, ...(way.password === undefined ? [] : ['password'])] : []

export type Fault = 'mixed' | 'oneOnly' | 'nothingYet' | 'wrongRange'

/** Why it cannot be done yet; `few` needs no words, as the field for files stands above. */
export function faultOf({ tool, files, kind, use, arranged }: Choice): Fault | 'few' | undefined {
  if (kind === 'mixed') return 'mixed'
  if (tool.optionsOf !== undefined && files.length > 1) return 'oneOnly'
  if (files.length < (tool.id === 'merge' ? 2 : 1)) return 'few'
  if (kind === 'pdf' && !files.every(({ pages }) => isRange(pages))) return 'wrongRange'
  if (arranged && use) return use.steps(arranged, tool.id) ? undefined : 'nothingYet'
  return tool.optionsOf === undefined ? undefined : 'few'
}

export function orderOf(choice: Choice, given: Values): Order {
  const { tool, files, kind, targetFormat, from, use, arranged, way } = choice
  const values = { ...(arranged && way.password !== undefined && { password: way.password }), ...given }
  const asIs: readonly Step[] = [{ operation: tool.id, options: {} }]
  const alone = (arranged && use?.steps(arranged, tool.id)) ?? asIs
  const stepsOf = (chosen: Chosen): readonly Step[] => {
    if (tool.isJoint) return kind === 'pdf' ? rangeSteps(chosen, values) : []
    return alone.map(({ operation, options }) => ({ operation, options: { ...values, ...options } }))
  }
  return {
    files: files.map((chosen) => ({ file: chosen.file, steps: stepsOf(chosen) })),
    ...(tool.isJoint && { joint: { operation: tool.id, options: values } }),
    targetFormat,
    from,
    sentWith: arranged && files.length === 1 ? way.jobId : undefined,
  }
}

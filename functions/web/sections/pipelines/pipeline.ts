import type { Option } from '../../api.ts'
import { changedValues, type Values } from '../../options/option-values.ts'

/** What a pipeline is, and how it is said to the service. Pure: no request, no page. */

export interface Step {
  readonly key: string
  /** A format to convert to, or else a tool. */
  readonly to?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
}

export interface Pipeline {
  /** Format of the files that go in. */
  readonly from: string
  /** Where a file is fetched from; empty where it is sent. */
  readonly url: string
  readonly steps: readonly Step[]
}

export const emptyPipeline: Pipeline = { from: '', url: '', steps: [] }

/** A task that brings the file: the one part that differs between a try, a command and a workflow. */
export type Source = Readonly<Record<string, string>>

/** @param options of each step, as the service describes them: what stands at its default is left out. */
export function buildTasks(
  source: Source,
  steps: readonly Step[],
  options: readonly (readonly Option[])[],
): Record<string, Record<string, unknown>> {
  const stepTasks = steps.map(({ to, tool, values }, at): [string, Record<string, unknown>] => {
    const stepOptions = changedValues(options[at] ?? [], values)
    return [
      `step-${at + 1}`,
      {
        ...(tool === undefined ? { operation: 'convert' } : { operation: tool }),
        input: at === 0 ? 'file' : `step-${at}`,
        ...(tool === undefined && { output_format: to }),
        ...(Object.keys(stepOptions).length > 0 && { options: stepOptions }),
      },
    ]
  })
  const last = stepTasks.at(-1)?.[0] ?? 'file'
  return {
    file: source,
    ...Object.fromEntries(stepTasks),
    result: { operation: 'export/url', input: last },
  }
}

/** Stands for the bytes in a command; no option can hold it, as it is no text that JSON would leave as it is. */
const filePlaceholder = '\u0000'

/** A command for a shell that sends a file of one's own, or the address of one. */
export function buildCommand(
  { url, from }: Pipeline,
  origin: string,
  tasks: (source: Source) => Readonly<Record<string, unknown>>,
): string {
  const name = `sample.${from}`
  const source: Source = url
    ? { operation: 'import/url', url }
    : { operation: 'import/base64', filename: name, file: filePlaceholder }
  // Within an unquoted here-document the shell would read these signs.
  const text = JSON.stringify({ tasks: tasks(source) }, null, 2)
    .replace(/[\\$`]/g, '\\$&')
    .replace('\\\\u0000', `$(base64 -w0 ${name})`)
  return [
    `curl -sS '${origin}/v1/jobs' -H 'Content-Type: application/json' -H 'Prefer: wait=25' \\`,
    '  -H "Authorization: Bearer $API_KEY" --data-binary @- <<JSON',
    text,
    'JSON',
  ].join('\n')
}

/** What was kept of an earlier visit; somebody may have written anything there. */
export function parsePipeline(text: string | null): Pipeline {
  try {
    const stored = JSON.parse(text ?? '') as Partial<Pipeline> // checked below
    const steps = Array.isArray(stored.steps) ? stored.steps.filter((step) => step?.key && step.values) : []
    return { from: String(stored.from ?? ''), url: String(stored.url ?? ''), steps }
  } catch {
    return emptyPipeline
  }
}

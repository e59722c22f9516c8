import type { Option } from '../../api.ts'
import { collectValues, type Values } from '../../options/option-values.ts'

/** The pipeline and its conversion to tasks. The functions are pure: no requests, no DOM. */

export interface PipelineStep {
  readonly key: string
  /** The target format of the step; undefined if the step uses a tool. */
  readonly to?: string | undefined
  readonly tool?: string | undefined
  readonly values: Values
}

export interface Pipeline {
  /** Format of the input files. */
  readonly from: string
  /** URL of the input file; empty if the file is uploaded. */
  readonly url: string
  readonly steps: readonly PipelineStep[]
}

const emptyPipeline: Pipeline = { from: '', url: '', steps: [] }

/** The task that imports the input file. A trial run, a command and a workflow import it in different ways. */
export type PipelineSource = Readonly<Record<string, string>>

/**
 * Returns the tasks of a pipeline.
 * @param options options of each step as described by the service; values equal to the default are omitted
 */
export function buildTasks(
  source: PipelineSource,
  steps: readonly PipelineStep[],
  options: readonly (readonly Option[])[],
): Record<string, Record<string, unknown>> {
  const stepTasks = steps.map(({ to, tool, values }, at): [string, Record<string, unknown>] => {
    const stepOptions = collectValues(options[at] ?? [], values)
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
  const lastTask = stepTasks.at(-1)?.[0] ?? 'file'
  return {
    file: source,
    ...Object.fromEntries(stepTasks),
    result: { operation: 'export/url', input: lastTask },
  }
}

/** Stands for the contents of the file in a command. No option value can contain it, because JSON escapes it. */
const filePlaceholder = '\u0000'

/** Returns a shell command that uploads a local file or sends its URL. */
export function buildCommandLine(
  { url, from }: Pipeline,
  origin: string,
  tasks: (source: PipelineSource) => Readonly<Record<string, unknown>>,
): string {
  const name = `sample.${from}`
  const source: PipelineSource = url
    ? { operation: 'import/url', url }
    : { operation: 'import/base64', filename: name, file: filePlaceholder }
  // Escapes the characters that the shell would interpret in an unquoted here-document.
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

/** Parses a stored pipeline; the stored text is not trusted. */
export function parsePipeline(text: string | null): Pipeline {
  try {
    const storedPipeline = JSON.parse(text ?? '') as Partial<Pipeline> // checked below
    const steps = Array.isArray(storedPipeline.steps)
      ? storedPipeline.steps.filter((step) => step?.key && step.values)
      : []
    return { from: String(storedPipeline.from ?? ''), url: String(storedPipeline.url ?? ''), steps }
  } catch {
    return emptyPipeline
  }
}

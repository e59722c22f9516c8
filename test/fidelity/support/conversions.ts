import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { Engine, InputFile } from '../../../lib/engines/engine.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import type { StepsRun } from '../../../lib/jobs/run/run-steps.ts'
import { createLog } from '../../../lib/log.ts'
import type { ConversionStep } from '../../../lib/model/job.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

export const folder = scratchFolder('loss-detector')

export const formats: readonly FormatId[] = ['html', 'txt', 'md', 'wav', 'png', 'srt', 'xpm', 'docx']

export const createText = (count: number) =>
  Array.from({ length: count }, (_, at) => `word${'abcdefghij'[at % 10]}`).join(' ')

/** Creates an engine that always writes this output, with these warnings, and splits conversions into two chunks. */
export function createEngine(
  output: string | Buffer,
  warnings: readonly string[],
  hiddenText?: string,
): Engine {
  const options = z.object({ pages: z.string().optional() })
  const row = { from: formats, to: formats, options, cost: 1, same: true } as const
  return {
    id: 'pandoc',
    image: 'document',
    capabilities: [
      { ...row, operation: 'convert' },
      { ...row, operation: 'merge' },
    ],
    limits: { memoryMb: 1, diskMb: 1, timeoutS: 1 },
    version: () => '1',
    runsInWorker: true,
    run: async ({ outDir, to }, tools) => {
      for (const code of warnings) tools.warn(code, code)
      const path = join(outDir, `made.${to}`)
      await writeFile(path, output)
      return { files: [{ path }], ...defined({ hiddenText }) }
    },
    split: async () => [{ spec: { half: 1 } }, { spec: { half: 2 } }],
    join: async ({ outDir, to }) => {
      const path = join(outDir, `joined.${to}`)
      await writeFile(path, output)
      return { files: [{ path }] }
    },
  }
}

export interface ConversionCase {
  readonly sources: readonly (string | Buffer)[]
  readonly output: string | Buffer
  readonly steps: readonly Partial<ConversionStep>[]
  /** Codes of the engine's warnings. */
  readonly warnings?: readonly string[]
  /** Invisible text found by the engine. */
  readonly hiddenText?: string
}

export async function createRun({
  sources,
  output,
  steps,
  warnings = [],
  hiddenText,
}: ConversionCase): Promise<StepsRun> {
  const workDir = await mkdtemp(join(folder, 'run-'))
  const [firstStep] = steps
  const format = (firstStep?.from ?? 'html') as FormatId // from the tests below
  const inputs: InputFile[] = []
  for (const [at, content] of sources.entries()) {
    const path = join(workDir, `source-${at}`)
    await writeFile(path, content)
    inputs.push({ path, filename: 'a', format, size: content.length })
  }
  const defaults = { operation: 'convert', engine: 'pandoc', image: 'document', options: {} } as const
  return {
    steps: steps.map((step) => ({ ...defaults, from: 'html', to: 'txt', ...step })),
    firstIndex: 0,
    inputs,
    workDir,
    signal: new AbortController().signal,
    log: createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }),
    engines: [createEngine(output, warnings, hiddenText)],
    progress: () => {},
  }
}

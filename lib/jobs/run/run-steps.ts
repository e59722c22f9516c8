// Runs conversion steps on local files. Used by the workers, and by tools that only replay a conversion.

import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ImageId } from '../../component-ids.ts'
import { runEngine } from '../../decoders/run-engine.ts'
import type {
  Chunk,
  ChunkResult,
  ChunkSpec,
  Engine,
  EngineResult,
  EngineWork,
  InputFile,
  OutputFile,
  WorkerPool,
} from '../../engines/engine.ts'
import { computeEffectiveLimits } from '../../engines/host-limits.ts'
import { engines as allEngines } from '../../engines/index.ts'
import type { OnCommand, ToolsOptions } from '../../engines/sandbox/exec.ts'
import { engineVersion } from '../../engines/version.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import type { Fidelity } from '../../model/fidelity.ts'
import type { ConversionStep, Warning } from '../../model/job.ts'
import type { StoredSummary } from '../../model/stored-summary.ts'
import { withExtension } from '../../names/file-name.ts'
import { runSpan } from '../../trace.ts'
import { defined } from '../../validation/defined.ts'
import { findCapability } from './find-capability.ts'
import { findInterruption } from './find-interruption.ts'
import { getExtension, requireFormatId } from './format-id.ts'
import { LossDetector } from './loss-detector.ts'
import { requireReadable } from './require-readable.ts'

export interface StepsRun {
  readonly steps: readonly ConversionStep[]
  /** Index of the first step to run. */
  readonly firstIndex: number
  /** Container image whose steps are run, up to the first step of another image; if omitted, all steps are run. */
  readonly image?: ImageId
  readonly inputs: readonly InputFile[]
  /** If set, only this chunk of the first step is run. */
  readonly chunk?: ChunkSpec | undefined
  /** Results of chunks to join instead of running the first step. Needs the inputs if `joinNeedsInputs` is true. */
  readonly results?: readonly ChunkResult[] | undefined
  /** Content of the source files of `results`. */
  readonly sourceContent?: StoredSummary | undefined
  /** Folder in which each step gets a folder. */
  readonly workDir: string
  readonly signal: AbortSignal
  readonly log: Log
  /** Available engines; all if omitted. */
  readonly engines?: readonly Engine[]
  /** Called for each program that an engine runs. */
  readonly onCommand?: OnCommand
  /** Called when a step starts. */
  readonly onStep?: (at: number) => void
  /**
   * Called with the output before the output is opened and compared with the source, so that it can be stored at the
   * same time. The comparison may still reject the output.
   * @returns a promise of the upload, which is not awaited.
   */
  readonly onOutput?: (stepsOutput: StepsOutput) => Promise<unknown>
  progress(percent: number, stage: string): void
}

/** Output of the last step. */
export interface StepsOutput {
  readonly engine: Engine
  readonly result: EngineResult
  readonly format: FormatId
  readonly nextStep: number
}

export interface StepsResult extends StepsOutput {
  readonly warnings: readonly Warning[]
  /** How much of the source was kept, if known. */
  readonly fidelity?: Fidelity | undefined
}

export async function runSteps(run: StepsRun): Promise<StepsResult> {
  const { steps, image } = run
  const warnings: Warning[] = []
  using lossDetector = new LossDetector(run.log, run.signal)
  let { inputs } = run
  let index = run.firstIndex
  if (run.sourceContent) lossDetector.restoreSource(run.sourceContent)
  // The comparison is skipped for a chunk, which is not the whole output, and for a join whose inputs were not fetched.
  else if (!run.chunk && (!run.results || joinNeedsInputs(run))) lossDetector.start(inputs, steps[index])
  for (;;) {
    const step = steps[index]
    if (!step) throw new Error(`the task has no step ${index}`)
    run.onStep?.(index)
    const { engine, result } = await runStep(run, step, index, inputs, warnings)
    index += 1
    const format = requireFormatId(step.to)
    const nextStep = steps[index]
    const isLast = !nextStep || (image && nextStep.image !== image)
    const output = { engine, result, format, nextStep: index }
    if (isLast && run.onOutput) await waitForUpload(run.onOutput(output))
    if (!run.chunk) await lossDetector.checkStep(step, result, warnings)
    if (!run.chunk && !nextStep) await requireReadable(step, result, run.log)
    run.signal.throwIfAborted()
    if (isLast) {
      const { fidelity, shortfall } = lossDetector
      return {
        ...output,
        warnings: [...warnings, ...lossDetector.warnings],
        fidelity,
        result: { ...result, ...defined({ shortfall }) },
      }
    }
    inputs = [await toNextInput(result.files[0], inputs[0]?.filename ?? '', format)]
  }
}

/** How long to wait for an upload to start; an upload that has started does not need this thread until it ends. */
const maxUploadStartWaitMs = 5

/** Waits briefly so that an upload can start; the caller handles its failure. */
export const waitForUpload = (uploadPromise: Promise<unknown>): Promise<unknown> =>
  Promise.race([uploadPromise.catch(() => undefined), sleep(maxUploadStartWaitMs)])

interface SplitResult {
  readonly chunks: readonly Chunk[]
  /** Content of the source files, for a join that does not read them. */
  readonly sourceContent?: StoredSummary | undefined
}

/** Whether joining the chunks of the first step needs its inputs. */
export function joinNeedsInputs({
  steps,
  firstIndex,
  engines = allEngines,
}: Pick<StepsRun, 'steps' | 'firstIndex' | 'engines'>): boolean {
  const step = getFirstStep({ steps, firstIndex })
  const { engine, capability } = findCapability(step, engines)
  return (
    engine.joinNeedsInputs?.({ operation: capability.operation, from: requireFormatId(step.from) }) ?? false
  )
}

/** Splits the first step among the available workers; undefined if it should be run as a whole. */
export async function splitFirstStep(
  run: StepsRun,
  getWorkerPool: () => Promise<WorkerPool>,
): Promise<SplitResult | undefined> {
  const step = getFirstStep(run)
  const { engine, work, options } = await prepareStep(run, step, run.firstIndex, run.inputs, [])
  if (!engine.split) return undefined
  const pool = await getWorkerPool()
  const chunks = (await runEngine(engine, { method: 'split', work, pool }, options)) ?? []
  if (chunks.length < 2) return undefined
  if (joinNeedsInputs(run)) return { chunks }
  using lossDetector = new LossDetector(run.log, run.signal)
  lossDetector.start(run.inputs, step)
  return { chunks, sourceContent: await lossDetector.getStoredSummary() }
}

function getFirstStep({ steps, firstIndex }: Pick<StepsRun, 'steps' | 'firstIndex'>): ConversionStep {
  const step = steps[firstIndex]
  if (!step) throw new Error(`the task has no step ${firstIndex}`)
  return step
}

async function prepareStep(
  run: StepsRun,
  step: ConversionStep,
  index: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<{ engine: Engine; work: EngineWork; options: ToolsOptions }> {
  const { steps, workDir, signal } = run
  const { engine, capability } = findCapability(step, run.engines ?? allEngines)
  const outDir = join(workDir, `step-${index + 1}`)
  await mkdir(outDir, { recursive: true })
  const options: ToolsOptions = {
    workDir,
    signal,
    limits: computeEffectiveLimits(engine.limits),
    onProgress: (ratio, stage) =>
      run.progress(((index + Math.min(1, Math.max(0, ratio))) / steps.length) * 100, stage ?? 'convert'),
    onWarning: (code, message, details) => warnings.push({ code, message, ...(details && { details }) }),
    onCommand: logFailedCommands(run),
  }
  const work: EngineWork = {
    operation: step.operation,
    inputs,
    from: requireFormatId(step.from),
    to: requireFormatId(step.to),
    options: capability.options.parse(step.options),
    chunk: index === run.firstIndex ? run.chunk : undefined,
    outDir,
  }
  return { engine, work, options }
}

async function runStep(
  run: StepsRun,
  step: ConversionStep,
  index: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<{ engine: Engine; result: EngineResult }> {
  const { log } = run
  const { engine, work, options } = await prepareStep(run, step, index, inputs, warnings)
  const results = index === run.firstIndex ? run.results : undefined
  const logFields = { engine: engine.id, from: step.from, to: step.to }
  log.debug(logFields, 'step started')
  const startedAt = performance.now()
  const measureMs = () => Math.round(performance.now() - startedAt)
  try {
    const request = results
      ? ({ method: 'join', work, results } as const)
      : ({ method: 'run', work } as const)
    const span = { name: `run ${engine.id}`, attributes: createSpanAttributes(step, inputs) }
    const result = await runSpan(span, () => runEngine(engine, request, options))
    log.info({ ...logFields, ms: measureMs(), method: result.method }, 'step completed')
    return { engine, result }
  } catch (error) {
    // Logged because the task's record only contains the version of a successful engine.
    const version = await engineVersion(engine).catch(() => 'not installed')
    log.info({ ...logFields, engineVersion: version, ms: measureMs() }, 'step failed')
    throw findInterruption(error) ?? error
  }
}

const createSpanAttributes = (
  { operation, engine, from, to }: ConversionStep,
  inputs: readonly InputFile[],
) => ({
  'mutabor.operation': operation,
  'mutabor.engine': engine,
  'mutabor.from': from,
  'mutabor.to': to,
  'mutabor.input.bytes': inputs.reduce((sum, { size }) => sum + size, 0),
})

/** Maximum number of characters of a program's output in the log; the end is kept. */
const maxLoggedCharacters = 4000

/**
 * Logs the output of failed programs, which would be lost if the engine takes another route, reports its own message or
 * is aborted. Arguments are not logged, because they may contain passwords.
 */
function logFailedCommands({ log, onCommand }: StepsRun): OnCommand {
  return (command, args) => {
    const watch = onCommand?.(command, args)
    return {
      stderr: (chunk) => watch?.stderr(chunk),
      ended: (end) => {
        const { how, ms, stderr } = end
        if (!end.hasSucceeded)
          log.info({ command, how, ms, stderr: stderr.slice(-maxLoggedCharacters) }, 'command failed')
        watch?.ended(end)
      },
    }
  }
}

async function toNextInput(output: OutputFile, filename: string, to: FormatId): Promise<InputFile> {
  const format = output.format ?? to
  const { size } = await stat(output.path)
  return { path: output.path, filename: withExtension(filename, getExtension(format)), format, size }
}

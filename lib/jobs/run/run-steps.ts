// Runs steps on files of this machine. What stores the result, and what only wants to see it happen, call the same.
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Chunk,
  ChunkResult,
  ChunkSpec,
  Engine,
  EngineResult,
  EngineWork,
  ImageId,
  InputFile,
  OutputFile,
  Tools,
  WorkerPool,
} from '../../engines/engine.ts'
import { effectiveLimits } from '../../engines/host-limits.ts'
import { engines as allEngines } from '../../engines/index.ts'
import { createTools, type OnCommand } from '../../engines/sandbox/exec.ts'
import { engineVersion } from '../../engines/version.ts'
import type { Held } from '../../fidelity/content-summary.ts'
import type { Fidelity } from '../../fidelity/fidelity.ts'
import { Guard } from '../../fidelity/loss-detector.ts'
import { withExtension } from '../../file-name.ts'
import type { FormatId } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import type { ConversionStep, Warning } from '../job.ts'
import { findCapability } from './find-capability.ts'
import { preferredExtension, requireFormatId } from './format-id.ts'

export interface StepsRun {
  readonly steps: readonly ConversionStep[]
  /** Index of the first step to run. */
  readonly firstIndex: number
  /** Ends before a step of another image; all steps are run when left out. */
  readonly image?: ImageId
  readonly inputs: readonly InputFile[]
  /** Of the first step only this much is run. */
  readonly share?: ChunkSpec | undefined
  /** The first step is not run: these are joined. The inputs are there if `joinReads` says so. */
  readonly results?: readonly ChunkResult[] | undefined
  /** What went into these. */
  readonly sourceContent?: Held | undefined
  /** Each step gets a folder of its own in it. */
  readonly workDir: string
  readonly signal: AbortSignal
  readonly log: Log
  /** Where its engine is looked up; every one there is when left out. */
  readonly engines?: readonly Engine[]
  /** Hears of each program that an engine runs. */
  readonly onCommand?: OnCommand
  /** Hears of each step as it begins. */
  readonly onStep?: (at: number) => void
  /**
   * Hears of what came out before it is held to what went in, which may still refuse it: to store it meanwhile.
   * @returns a promise of its end, which is not waited for.
   */
  readonly onOutput?: (made: StepsOutput) => Promise<unknown>
  progress(percent: number, stage: string): void
}

/** What came out of the last step. */
export interface StepsOutput {
  readonly engine: Engine
  readonly result: EngineResult
  readonly format: FormatId
  readonly nextStep: number
}

export interface StepsResult extends StepsOutput {
  readonly warnings: readonly Warning[]
  /** What was kept of what went in, where it is known. */
  readonly fidelity?: Fidelity | undefined
}

export async function runSteps(run: StepsRun): Promise<StepsResult> {
  const { steps, image } = run
  const warnings: Warning[] = []
  using guard = new Guard(run.log)
  let { inputs } = run
  let index = run.firstIndex
  if (run.sourceContent) guard.recall(run.sourceContent)
  // A share of a step is not all of it, and where it is joined the inputs may be elsewhere.
  else if (!run.share && (!run.results || joinNeedsInputs(run))) guard.begin(inputs, steps[index])
  for (;;) {
    const step = steps[index]
    if (!step) throw new Error(`the task has no step ${index}`)
    run.onStep?.(index)
    const { engine, result } = await runStep(run, step, index, inputs, warnings)
    index += 1
    const format = requireFormatId(step.to)
    const next = steps[index]
    const isLast = !next || (image && next.image !== image)
    const output = { engine, result, format, nextStep: index }
    if (isLast && run.onOutput) await waitForUpload(run.onOutput(output))
    if (!run.share) await guard.end(step, result, warnings)
    if (isLast) {
      const { fidelity, shortfall } = guard
      return { ...output, warnings, fidelity, result: { ...result, ...(shortfall && { shortfall }) } }
    }
    inputs = [await toNextInput(result.files[0], inputs[0]?.filename ?? '', format)]
  }
}

/** Within this time a file is on its way to the storage, which needs none of this thread until it has it. */
const maxSendWaitMs = 5

/** Whoever began to store it hears of its failure. */
export const waitForUpload = (storing: Promise<unknown>): Promise<unknown> =>
  Promise.race([storing.catch(() => undefined), sleep(maxSendWaitMs)])

export interface SplitResult {
  readonly chunks: readonly Chunk[]
  /** What is in the files, for who joins what comes out without them. */
  readonly sourceContent?: Held | undefined
}

/** Whether the inputs of the first step are needed where its shares are joined. */
export function joinNeedsInputs({
  steps,
  firstIndex,
  engines = allEngines,
}: Pick<StepsRun, 'steps' | 'firstIndex' | 'engines'>): boolean {
  const step = firstStepOf({ steps, firstIndex })
  const { engine, capability } = findCapability(step, engines)
  return (
    engine.joinNeedsInputs?.({ operation: capability.operation, from: requireFormatId(step.from) }) ?? false
  )
}

/** How the first step can be shared out among those that are free; undefined when it is to be run as a whole. */
export async function splitFirstStep(
  run: StepsRun,
  getWorkerPool: () => Promise<WorkerPool>,
): Promise<SplitResult | undefined> {
  const step = firstStepOf(run)
  const { engine, work, tools } = await prepareStep(run, step, run.firstIndex, run.inputs, [])
  if (!engine.split) return undefined
  const chunks = (await engine.split(work, tools, await getWorkerPool())) ?? []
  if (chunks.length < 2) return undefined
  if (joinNeedsInputs(run)) return { chunks }
  using guard = new Guard(run.log)
  guard.begin(run.inputs, step)
  return { chunks, sourceContent: await guard.held() }
}

function firstStepOf({ steps, firstIndex }: Pick<StepsRun, 'steps' | 'firstIndex'>): ConversionStep {
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
): Promise<{ engine: Engine; work: EngineWork; tools: Tools }> {
  const { steps, workDir, signal } = run
  const { engine, capability } = findCapability(step, run.engines ?? allEngines)
  const outDir = join(workDir, `step-${index + 1}`)
  await mkdir(outDir, { recursive: true })
  const tools = createTools({
    workDir,
    signal,
    limits: effectiveLimits(engine.limits),
    onProgress: (ratio, stage) =>
      run.progress(((index + Math.min(1, Math.max(0, ratio))) / steps.length) * 100, stage ?? 'convert'),
    onWarning: (code, message) => warnings.push({ code, message }),
    onCommand: logFailedCommands(run),
  })
  const work: EngineWork = {
    operation: step.operation,
    inputs,
    from: requireFormatId(step.from),
    to: requireFormatId(step.to),
    options: capability.options.parse(step.options),
    chunk: index === run.firstIndex ? run.share : undefined,
    outDir,
  }
  return { engine, work, tools }
}

async function runStep(
  run: StepsRun,
  step: ConversionStep,
  index: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<{ engine: Engine; result: EngineResult }> {
  const { log } = run
  const { engine, work, tools } = await prepareStep(run, step, index, inputs, warnings)
  const results = index === run.firstIndex ? run.results : undefined
  const logFields = { engine: engine.id, from: step.from, to: step.to }
  log.debug(logFields, 'step begins')
  const startedAt = performance.now()
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  try {
    const result = await (results ? joinResults(engine, work, results, tools) : engine.run(work, tools))
    log.info({ ...logFields, ms: elapsedMs(), method: result.method }, 'step done')
    return { engine, result }
  } catch (error) {
    // The record of a task knows the version of an engine that was successful only.
    const version = await engineVersion(engine).catch(() => 'not installed')
    log.info({ ...logFields, engineVersion: version, ms: elapsedMs() }, 'step failed')
    throw error
  }
}

function joinResults(
  engine: Engine,
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  if (!engine.join) throw new Error(`${engine.id} cannot join what it has shared out`)
  return engine.join(work, results, tools)
}

/** Characters of what a program said that are kept in the log, from the end. */
const maxLoggedCharacters = 4000

/**
 * Keeps what a program said that failed: the engine may go on another way, end by a sentence for the client, or be
 * ended by us, and then nothing else would tell. Without arguments, which may hold a password.
 */
function logFailedCommands({ log, onCommand }: StepsRun): OnCommand {
  return (command, args) => {
    const watch = onCommand?.(command, args)
    return {
      stderr: (chunk) => watch?.stderr(chunk),
      ended: (end) => {
        const { how, ms, stderr } = end
        if (!end.succeeded)
          log.info({ command, how, ms, stderr: stderr.slice(-maxLoggedCharacters) }, 'command failed')
        watch?.ended(end)
      },
    }
  }
}

async function toNextInput(output: OutputFile, filename: string, to: FormatId): Promise<InputFile> {
  const format = output.format ?? to
  const { size } = await stat(output.path)
  return { path: output.path, filename: withExtension(filename, preferredExtension(format)), format, size }
}

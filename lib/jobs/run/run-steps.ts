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
import { capabilityOf } from './find-capability.ts'
import { extensionOf, formatId } from './format-id.ts'

export interface FilesRun {
  readonly steps: readonly ConversionStep[]
  /** Index of the first step to run. */
  readonly from: number
  /** Ends before a step of another image; all steps are run when left out. */
  readonly image?: ImageId
  readonly inputs: readonly InputFile[]
  /** Of the first step only this much is run. */
  readonly share?: ChunkSpec | undefined
  /** The first step is not run: these are joined. The inputs are there if `joinReads` says so. */
  readonly results?: readonly ChunkResult[] | undefined
  /** What went into these. */
  readonly held?: Held | undefined
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
  readonly onMade?: (made: FilesMade) => Promise<unknown>
  progress(percent: number, stage: string): void
}

/** What came out of the last step. */
export interface FilesMade {
  readonly engine: Engine
  readonly result: EngineResult
  readonly format: FormatId
  readonly nextStep: number
}

export interface FilesDone extends FilesMade {
  readonly warnings: readonly Warning[]
  /** What was kept of what went in, where it is known. */
  readonly fidelity?: Fidelity | undefined
}

export async function convertFiles(run: FilesRun): Promise<FilesDone> {
  const { steps, image } = run
  const warnings: Warning[] = []
  using guard = new Guard(run.log)
  let { inputs } = run
  let at = run.from
  if (run.held) guard.recall(run.held)
  // A share of a step is not all of it, and where it is joined the inputs may be elsewhere.
  else if (!run.share && (!run.results || joinReads(run))) guard.begin(inputs, steps[at])
  for (;;) {
    const step = steps[at]
    if (!step) throw new Error(`the task has no step ${at}`)
    run.onStep?.(at)
    const { engine, result } = await runStep(run, step, at, inputs, warnings)
    at += 1
    const format = formatId(step.to)
    const next = steps[at]
    const isLast = !next || (image && next.image !== image)
    const made = { engine, result, format, nextStep: at }
    if (isLast && run.onMade) await underWay(run.onMade(made))
    if (!run.share) await guard.end(step, result, warnings)
    if (isLast) {
      const { fidelity, shortfall } = guard
      return { ...made, warnings, fidelity, result: { ...result, ...(shortfall && { shortfall }) } }
    }
    inputs = [await nextInput(result.files[0], inputs[0]?.filename ?? '', format)]
  }
}

/** Within this time a file is on its way to the storage, which needs none of this thread until it has it. */
const sendingMs = 5

/** Whoever began to store it hears of its failure. */
export const underWay = (storing: Promise<unknown>): Promise<unknown> =>
  Promise.race([storing.catch(() => undefined), sleep(sendingMs)])

export interface SplitFiles {
  readonly portions: readonly Chunk[]
  /** What is in the files, for who joins what comes out without them. */
  readonly held?: Held | undefined
}

/** Whether the inputs of the first step are needed where its shares are joined. */
export function joinReads({
  steps,
  from,
  engines = allEngines,
}: Pick<FilesRun, 'steps' | 'from' | 'engines'>): boolean {
  const step = firstStep({ steps, from })
  const { engine, capability } = capabilityOf(step, engines)
  return engine.joinNeedsInputs?.({ operation: capability.operation, from: formatId(step.from) }) ?? false
}

/** How the first step can be shared out among those that are free; undefined when it is to be run as a whole. */
export async function splitFiles(
  run: FilesRun,
  crew: () => Promise<WorkerPool>,
): Promise<SplitFiles | undefined> {
  const step = firstStep(run)
  const { engine, work, tools } = await prepare(run, step, run.from, run.inputs, [])
  if (!engine.split) return undefined
  const portions = (await engine.split(work, tools, await crew())) ?? []
  if (portions.length < 2) return undefined
  if (joinReads(run)) return { portions }
  using guard = new Guard(run.log)
  guard.begin(run.inputs, step)
  return { portions, held: await guard.held() }
}

function firstStep({ steps, from }: Pick<FilesRun, 'steps' | 'from'>): ConversionStep {
  const step = steps[from]
  if (!step) throw new Error(`the task has no step ${from}`)
  return step
}

async function prepare(
  run: FilesRun,
  step: ConversionStep,
  at: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<{ engine: Engine; work: EngineWork; tools: Tools }> {
  const { steps, workDir, signal } = run
  const { engine, capability } = capabilityOf(step, run.engines ?? allEngines)
  const outDir = join(workDir, `step-${at + 1}`)
  await mkdir(outDir, { recursive: true })
  const tools = createTools({
    workDir,
    signal,
    limits: effectiveLimits(engine.limits),
    onProgress: (ratio, stage) =>
      run.progress(((at + Math.min(1, Math.max(0, ratio))) / steps.length) * 100, stage ?? 'convert'),
    onWarning: (code, message) => warnings.push({ code, message }),
    onCommand: logged(run),
  })
  const work: EngineWork = {
    operation: step.operation,
    inputs,
    from: formatId(step.from),
    to: formatId(step.to),
    options: capability.options.parse(step.options),
    chunk: at === run.from ? run.share : undefined,
    outDir,
  }
  return { engine, work, tools }
}

async function runStep(
  run: FilesRun,
  step: ConversionStep,
  at: number,
  inputs: readonly InputFile[],
  warnings: Warning[],
): Promise<{ engine: Engine; result: EngineResult }> {
  const { log } = run
  const { engine, work, tools } = await prepare(run, step, at, inputs, warnings)
  const results = at === run.from ? run.results : undefined
  const about = { engine: engine.id, from: step.from, to: step.to }
  log.debug(about, 'step begins')
  const started = performance.now()
  const ms = () => Math.round(performance.now() - started)
  try {
    const result = await (results ? joined(engine, work, results, tools) : engine.run(work, tools))
    log.info({ ...about, ms: ms(), method: result.method }, 'step done')
    return { engine, result }
  } catch (error) {
    // The record of a task knows the version of an engine that was successful only.
    const version = await engineVersion(engine).catch(() => 'not installed')
    log.info({ ...about, engineVersion: version, ms: ms() }, 'step failed')
    throw error
  }
}

function joined(
  engine: Engine,
  work: EngineWork,
  results: readonly ChunkResult[],
  tools: Tools,
): Promise<EngineResult> {
  if (!engine.join) throw new Error(`${engine.id} cannot join what it has shared out`)
  return engine.join(work, results, tools)
}

/** Characters of what a program said that are kept in the log, from the end. */
const lastWords = 4000

/**
 * Keeps what a program said that failed: the engine may go on another way, end by a sentence for the client, or be
 * ended by us, and then nothing else would tell. Without arguments, which may hold a password.
 */
function logged({ log, onCommand }: FilesRun): OnCommand {
  return (command, args) => {
    const watch = onCommand?.(command, args)
    return {
      stderr: (chunk) => watch?.stderr(chunk),
      ended: (end) => {
        const { how, ms, stderr } = end
        if (!end.succeeded) log.info({ command, how, ms, stderr: stderr.slice(-lastWords) }, 'command failed')
        watch?.ended(end)
      },
    }
  }
}

async function nextInput(output: OutputFile, filename: string, to: FormatId): Promise<InputFile> {
  const format = output.format ?? to
  const { size } = await stat(output.path)
  return { path: output.path, filename: withExtension(filename, extensionOf(format)), format, size }
}

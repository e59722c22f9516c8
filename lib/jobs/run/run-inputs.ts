import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpaceWatch } from '../../disk-space.ts'
import type { ImageId } from '../../engines/engine.ts'
import { engineVersion } from '../../engines/version.ts'
import { AppError } from '../../errors.ts'
import { inTurn, together } from '../../fidelity/fidelity.ts'
import type { Log } from '../../log.ts'
import type { JobError, InputPlan, StoredFile, Task, Warning } from '../job.ts'
import { maxAttempts } from '../job-state-machine.ts'
import { fetchResults } from './chunks.ts'
import { afterEnd, afterFailure, type FindWay, type Turn, warningsOfWay, waysOf } from './fallbacks.ts'
import { fetchInputs, inputsOf } from './fetch-inputs.ts'
import { freeWorkers } from './idle-workers.ts'
import {
  convertFiles,
  type FilesDone,
  type FilesMade,
  type FilesRun,
  joinReads,
  splitFiles,
} from './run-steps.ts'
import { type StoredPortion, storeFiles, storePortions } from './store-files.ts'
import type { TaskServices } from './task-services.ts'

export interface PiecesRun {
  readonly services: TaskServices
  readonly image: ImageId
  readonly task: Task
  /** Secrets opened. */
  readonly pieces: readonly InputPlan[]
  readonly workDir: string
  readonly space: SpaceWatch
  readonly signal: AbortSignal
  readonly log: Log
  progress(percent: number, stage: string): void
  /** Of the piece at this place. */
  findWay(at: number, ...asked: Parameters<FindWay>): ReturnType<FindWay>
  /** Stores what is left before a piece begins another way: who takes over begins there. */
  note(pieces: readonly InputPlan[]): Promise<void>
}

export interface PiecesResult {
  readonly pieces: readonly InputPlan[]
  readonly warnings: readonly Warning[]
  /** What the record of the task says of how it was done. */
  readonly facts: Pick<Task, 'engine' | 'engineVersion' | 'method' | 'details' | 'fidelity'>
  /** Keys of all that was stored. */
  readonly made: readonly string[]
  /** Keys of what is of no use any more once this is known. */
  readonly dropped: readonly string[]
  readonly isLast: boolean
}

/** The next step of the only piece is better shared out among workers: nothing was done of it. */
export interface SharedOut {
  readonly pieces: readonly InputPlan[]
  readonly portions: readonly StoredPortion[]
}

const isDone = ({ steps, step }: InputPlan) => step >= steps.length

/** Takes each piece as far as this image goes, and stores what comes out. */
export async function runPieces(run: PiecesRun): Promise<PiecesResult | SharedOut> {
  const { image } = run
  const pieces = [...run.pieces]
  const went: Went[] = []
  for (const [at, given] of run.pieces.entries()) {
    let piece = given
    while (!isDone(piece) && piece.steps[piece.step]?.image === image) {
      const progress = (percent: number, stage: string) =>
        run.progress((at * 100 + percent) / pieces.length, stage)
      const next = await goOn({ ...run, progress }, piece, at)
      if ('portions' in next) return next
      went.push(next)
      const isTurned = waysOf(next.piece) > waysOf(piece)
      piece = next.piece
      pieces[at] = piece
      // Its parts were those of the way before: it begins the next one anew.
      if (isTurned && run.task.expandedBy !== undefined) break
      if (isTurned && piece.steps[0]?.image === image) await run.note(pieces)
    }
  }
  const fidelity = together(pieces.map((piece) => piece.fidelity))
  return {
    pieces,
    warnings: went.flatMap(({ warnings }) => warnings),
    facts: went.reduce<Facts>((facts, one) => withFacts(facts, one.facts), fidelity ? { fidelity } : {}),
    made: went.flatMap(({ made }) => made),
    dropped: went.flatMap(({ dropped }) => dropped),
    isLast: pieces.every(isDone),
  }
}

type Facts = PiecesResult['facts']

/** What came of a piece on this image: some of its steps, or another way. */
interface Went {
  readonly piece: InputPlan
  readonly warnings: readonly Warning[]
  readonly facts: Facts
  readonly made: readonly string[]
  readonly dropped: readonly string[]
}

async function goOn(run: PiecesRun, piece: InputPlan, at: number): Promise<Went | SharedOut> {
  const way = waysOf(piece)
  const workDir = join(run.workDir, `piece-${at + 1}${way > 0 ? `-way-${way + 1}` : ''}`)
  await mkdir(workDir)
  const { reached = 0 } = piece
  const isPart = run.task.part !== undefined
  const findWay: FindWay = (tried) => run.findWay(at, tried)
  let [step, percent] = [piece.step, reached]
  const progress: PiecesRun['progress'] = (own, stage) => {
    percent = reached + (own * (100 - reached)) / 100
    run.progress(percent, stage)
  }
  const onStep = (begun: number) => {
    step = begun
  }
  let storing: Promise<StoredFile[]> = Promise.resolve([])
  const onMade = (made: FilesMade) => {
    storing = run.space.requireWhole().then(() => storeFiles(run, piece, at, made))
    return storing
  }
  let done: FilesDone | SharedOut
  try {
    if (run.task.attempt > maxAttempts) throw lostTooOften()
    if (piece.failure) throw fromPart(piece.failure)
    done = await runPiece({ ...run, workDir, progress, onStep, onMade }, piece)
  } catch (error) {
    await unstore(storing, run)
    // The task of a part goes another way, with all of its parts.
    if (run.signal.aborted) throw error
    // No other way needs less room for certain.
    const ofDisk = await run.space.explain(error)
    if (ofDisk) throw ofDisk
    if (isPart) throw error
    const isLastAttempt = run.task.attempt >= maxAttempts
    const turn = afterFailure(piece, { error, step, percent, isLastAttempt }, findWay)
    await rm(workDir, { recursive: true, force: true })
    return endOf(turn, piece, [])
  }
  if ('portions' in done) return done
  const files = await storing
  const keys = keysOf(files)
  const warnings = [...done.warnings]
  const facts = await factsOf(done)
  const fidelity = inTurn(piece.fidelity, done.fidelity)
  const known = fidelity ? { fidelity } : {}
  if (done.nextStep < piece.steps.length || isPart) {
    const went = { ...piece, step: done.nextStep, files, ...known }
    // The next image knows nothing of it.
    const lost = done.result.shortfall?.warning
    return { piece: went, warnings: lost ? [...warnings, lost] : warnings, facts, made: keys, dropped: [] }
  }
  const said = [...warningsOfWay(piece, await run.services.engines()), ...warnings]
  const made = { files, warnings: said, ...facts, ...known }
  return endOf(afterEnd(piece, made, done.result.shortfall, findWay), piece, keys)
}

/** Files that were on their way when they turned out to hold too little. What stays of them goes with the job. */
async function unstore(storing: Promise<StoredFile[]>, { services, log }: PiecesRun): Promise<void> {
  try {
    await services.files.delete(keysOf(await storing))
  } catch (error) {
    log.info({ error }, 'a result that is of no use may stay')
  }
}

const keysOf = (files: readonly StoredFile[]) => files.map(({ key }) => key)

const lostTooOften = () =>
  new AppError(
    'CONVERSION_FAILED',
    'The conversion did not survive three attempts. The file may need more memory or time than one conversion gets.',
  )

const fromPart = ({ code, message, details }: JobError) => new AppError(code, message, details)

/** The piece at the end of a way. What is neither its result nor kept for that is dropped. */
function endOf(turn: Turn, before: InputPlan, made: readonly string[]): Went {
  const kept = 'made' in turn ? turn.made : turn.piece.fallback
  const keys = new Set(kept?.files.map(({ key }) => key))
  const earlier = before.fallback?.files.map(({ key }) => key) ?? []
  const dropped = [...earlier, ...made].filter((key) => !keys.has(key))
  if ('piece' in turn) return { piece: turn.piece, warnings: [], facts: {}, made, dropped }
  const { files, warnings, kept: _share, fidelity, ...facts } = turn.made
  const { steps, tried } = before
  const piece = { steps, step: steps.length, files, ...(tried && { tried }), ...(fidelity && { fidelity }) }
  return { piece, warnings, facts, made, dropped }
}

async function runPiece(
  run: PiecesRun & Required<Pick<FilesRun, 'onStep' | 'onMade'>>,
  piece: InputPlan,
): Promise<FilesDone | SharedOut> {
  const { services, image, task, workDir, signal, log, progress, onStep, onMade } = run
  const { steps, step, files } = piece
  const engines = await services.engines()
  const filesRun = {
    steps,
    from: step,
    image,
    workDir,
    signal,
    log,
    engines,
    progress,
    onStep,
    onMade,
  }
  const fetch = () => fetchInputs(services.files, files, workDir, signal)
  if (task.expandedBy !== undefined) {
    const { results, warnings } = await fetchResults(task, { services, workDir, signal })
    const { held } = piece
    const inputs = joinReads(filesRun) ? await fetch() : inputsOf(files, workDir)
    const done = await convertFiles({ ...filesRun, inputs, results, held })
    return { ...done, warnings: [...warnings, ...done.warnings] }
  }
  const inputs = await fetch()
  if (task.part !== undefined) return convertFiles({ ...filesRun, inputs, share: task.spec })
  const split = await portionsOf({ ...filesRun, inputs }, run)
  if (!split) return convertFiles({ ...filesRun, inputs })
  const { portions, held } = split
  return {
    portions: await storePortions(run, piece, portions),
    pieces: [held ? { ...piece, held } : piece],
  }
}

/** One of several pieces is not worth it. */
async function portionsOf(filesRun: FilesRun, { pieces, image, services }: PiecesRun) {
  if (pieces.length > 1) return undefined
  return splitFiles(filesRun, async () => ({
    workers: await freeWorkers(image, services),
    timeoutS: services.config.TASK_LIMIT_S ?? Number.POSITIVE_INFINITY,
  }))
}

async function factsOf({ engine, result }: FilesDone): Promise<Facts> {
  const { method, details } = result
  return {
    ...{ engine: engine.id, engineVersion: await engineVersion(engine) },
    ...(method && { method }),
    ...(details && { details: { ...details } }),
  }
}

const withFacts = (before: Facts, facts: Facts): Facts => ({
  ...before,
  ...facts,
  ...(facts.details && { details: { ...before.details, ...facts.details } }),
})

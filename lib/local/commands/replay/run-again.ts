// Runs a task of a job again, as a worker does, but on this machine and with output to the terminal.
import { mkdir, mkdtemp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../../aws/files.ts'
import type { Vault } from '../../../crypto/sealed.ts'
import type { Engine, InputFile } from '../../../engines/engine.ts'
import { AppError } from '../../../errors.ts'
import { hashFile } from '../../../io/file-hash.ts'
import { toClientError } from '../../../jobs/failure.ts'
import { resolveConversion } from '../../../jobs/next-image.ts'
import { createTimeoutError, tooMuchWorkHint } from '../../../jobs/run/claimed-task.ts'
import { convertWithFallbacks } from '../../../jobs/run/convert-with-fallbacks.ts'
import type { FindFallback } from '../../../jobs/run/fallbacks.ts'
import { fetchInputs } from '../../../jobs/run/fetch-inputs.ts'
import type { StepsResult } from '../../../jobs/run/run-steps.ts'
import { createLog } from '../../../log.ts'
import type { InputPlan, JobState, StoredFile, Task } from '../../../model/job.ts'
import { planFallback } from '../../../plan/fallback-route.ts'
import { getTimeLimitS } from '../../../plan/time-limits.ts'
import { createCommandPrinter, createStepPrinter } from './command-logger.ts'
import { openSecrets } from './job-secrets.ts'
import type { Printer } from './printer.ts'
import { planTask } from './task-plans.ts'

interface FetchedInput {
  readonly inputPlan: InputPlan
  readonly findFallback: FindFallback
  readonly inputs: readonly InputFile[]
  readonly folder: string
}

/** A task with its files in a new folder. */
export interface FetchedTask {
  readonly task: Task
  readonly inputs: readonly FetchedInput[]
  readonly folder: string
}

export interface ReplayContext {
  readonly files: Files
  readonly vault: Vault | undefined
  readonly engines: readonly Engine[]
  readonly WORK_DIR: string
}

/** Fetches the files of a task. Returns the task with its files, or the reason why it cannot run. */
export async function fetchTaskFiles(
  sealedTask: Task,
  state: JobState,
  { files, vault, engines, WORK_DIR: parent }: ReplayContext,
): Promise<FetchedTask | string> {
  const task = openSecrets(sealedTask, vault)
  if (!task)
    return 'its passwords cannot be decrypted. Set SERVICE_SECRET to the secret of the service that created the job.'
  const plan = planTask(task, state, engines)
  if ('unavailable' in plan) return plan.unavailable
  const { inputPlans } = plan
  const missingFiles = await listMissingFiles(
    inputPlans.flatMap((piece) => piece.files),
    files,
  )
  if (missingFiles.length > 0)
    return `files are no longer in the bucket (${missingFiles.join(', ')}). Files are deleted when a job expires or is deleted.`
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, `replay-${task.jobId}-`))
  const fetchedInputs: FetchedInput[] = []
  for (const [index, piece] of inputPlans.entries()) {
    const inputFolder = join(folder, `piece-${index + 1}`)
    await mkdir(inputFolder)
    const inputs = await fetchInputs(files, piece.files, inputFolder, new AbortController().signal)
    const findFallback: FindFallback = (triedRoutes) =>
      planFallback(...resolveConversion(task, state), { index, triedRoutes, engines })
    fetchedInputs.push({ inputPlan: piece, findFallback, inputs, folder: inputFolder })
  }
  return { task, inputs: fetchedInputs, folder }
}

async function listMissingFiles(sources: readonly StoredFile[], files: Files): Promise<string[]> {
  const foundSources = await Promise.all(
    sources.map(async (file) => ({ file, storedObject: await files.head(file.key) })),
  )
  return foundSources.filter(({ storedObject }) => !storedObject).map(({ file }) => file.filename)
}

/** Runs the task. @returns true if it succeeds */
export async function runAgain(
  { task, inputs, folder }: FetchedTask,
  interruptSignal: AbortSignal,
  printer: Printer,
): Promise<boolean> {
  const limitS = getTimeLimitS(inputs.map(({ inputPlan }) => inputPlan))
  const limitController = new AbortController()
  const timer = setTimeout(
    () => limitController.abort(createTimeoutError(limitS, tooMuchWorkHint)),
    limitS * 1000,
  )
  const signal = AbortSignal.any([limitController.signal, interruptSignal])
  const startedAtMs = performance.now()
  const formatDuration = () => `after ${Math.round(performance.now() - startedAtMs)} ms`
  try {
    const earlierResults: StepsResult[] = []
    for (const piece of inputs) earlierResults.push(await runInputPlan(piece, signal, printer))
    printer.printHeading(`It works now, ${formatDuration()}`)
    for (const piece of earlierResults) await printResult(piece, task, printer)
    return true
  } catch (error) {
    interruptSignal.throwIfAborted()
    printer.printHeading(`It fails ${task.status === 'failed' ? 'again' : 'now'}, ${formatDuration()}`)
    printFailure(signal.aborted ? signal.reason : error, printer)
    printer.line(`  The files of the task are in ${folder}`)
    return false
  } finally {
    clearTimeout(timer)
  }
}

const runInputPlan = (
  { inputPlan, findFallback, inputs, folder }: FetchedInput,
  signal: AbortSignal,
  printer: Printer,
) =>
  convertWithFallbacks(
    inputPlan,
    {
      inputs,
      workDir: folder,
      signal,
      log: createLog({ LOG_LEVEL: 'debug', LOG_FILE: undefined }, createStepPrinter(printer)),
      onCommand: createCommandPrinter(printer),
      progress: () => undefined,
    },
    findFallback,
  )

function printFailure(error: unknown, printer: Printer): void {
  const { code, message } = toClientError(error)
  printer.line(`  ${code}: ${message}`)
  const isExpected = error instanceof AppError
  for (let cause = isExpected ? error.cause : error; cause instanceof Error; cause = cause.cause) {
    // The output of the program was already shown while it ran.
    if (!('stderr' in cause)) printer.printQuote(cause.stack ?? cause.message)
  }
}

async function printResult({ result, warnings }: StepsResult, task: Task, printer: Printer): Promise<void> {
  for (const { code, message } of warnings) printer.line(`  warning ${code}: ${message}`)
  for (const { path } of result.files) {
    const { size } = await stat(path)
    const sha256 = await hashFile(path, size)
    const isSame = task.files.some((file) => file.sha256 === sha256)
    printer.line(`  ${path} (${size} bytes${isSame ? ', the same as the stored result' : ''})`)
  }
}

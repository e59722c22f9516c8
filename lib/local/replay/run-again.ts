// Runs a task of a job once more, as a worker does, but on this machine and for one who looks on.
import { mkdir, mkdtemp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Files } from '../../aws/files.ts'
import type { InputFile } from '../../engines/engine.ts'
import { AppError } from '../../errors.ts'
import { convertFiles, type FilesDone } from '../../jobs/convert-files.ts'
import type { Job, StoredFile, Task } from '../../jobs/job.ts'
import type { JobState } from '../../jobs/machine.ts'
import { fetchInputs, sha256Of } from '../../jobs/run-steps.ts'
import { errorForClient, timeout } from '../../jobs/run-task.ts'
import { createLog } from '../../log.ts'
import { printedCommands, printedSteps } from './onlooker.ts'
import type { Printer } from './printer.ts'

export interface Fetched {
  readonly job: Job
  readonly task: Task
  readonly inputs: readonly InputFile[]
  readonly folder: string
}

/** The task that does the work, with its files in a fresh folder; or why there is none. */
export async function fetchTask(
  { job, tasks }: JobState,
  files: Files,
  parent: string,
): Promise<Fetched | string> {
  const task = tasks.find(({ steps }) => steps.length > 0)
  if (!task) return 'The job has no task that runs an engine.'
  // Its own files are the result when it is done, and what the next step reads when it was handed over.
  const sources = tasks.filter(({ name }) => task.input.includes(name)).flatMap((source) => source.files)
  const gone = await missingOf(sources, files)
  if (gone.length > 0 || sources.length === 0)
    return `It cannot be run again: ${gone.join(', ') || 'its input'} is no longer in the bucket. Files are deleted when a job expires or is deleted.`
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, `replay-${job.id}-`))
  const inputs = await fetchInputs(files, sources, folder, new AbortController().signal)
  return { job, task, inputs, folder }
}

async function missingOf(sources: readonly StoredFile[], files: Files): Promise<string[]> {
  const found = await Promise.all(sources.map(async (file) => ({ file, there: await files.head(file.key) })))
  return found.filter(({ there }) => !there).map(({ file }) => file.filename)
}

/** True when it works. */
export async function runAgain(
  { job, task, inputs, folder }: Fetched,
  interrupted: AbortSignal,
  printer: Printer,
): Promise<boolean> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(timeout(job)), job.timeoutS * 1000)
  const signal = AbortSignal.any([limit.signal, interrupted])
  const started = performance.now()
  const after = () => `after ${Math.round(performance.now() - started)} ms`
  try {
    const done = await convertFiles({
      steps: task.steps,
      from: 0,
      inputs,
      workDir: folder,
      signal,
      log: createLog({ LOG_LEVEL: 'debug', LOG_FILE: undefined }, printedSteps(printer)),
      onCommand: printedCommands(printer),
      progress: () => undefined,
    })
    printer.heading(`It works now, ${after()}`)
    await printResult(done, job, printer)
    return true
  } catch (error) {
    interrupted.throwIfAborted()
    printer.heading(`It fails ${job.status === 'failed' ? 'again' : 'now'}, ${after()}`)
    printFailure(signal.aborted ? signal.reason : error, printer)
    printer.line(`  its files are in ${folder}`)
    return false
  } finally {
    clearTimeout(timer)
  }
}

function printFailure(error: unknown, printer: Printer): void {
  const { code, message } = errorForClient(error)
  printer.line(`  ${code}: ${message}`)
  const isExpected = error instanceof AppError
  for (let cause = isExpected ? error.cause : error; cause instanceof Error; cause = cause.cause) {
    // What a program said was shown while it ran.
    if (!('stderr' in cause)) printer.quote(cause.stack ?? cause.message)
  }
}

async function printResult({ result, warnings }: FilesDone, job: Job, printer: Printer): Promise<void> {
  for (const { code, message } of warnings) printer.line(`  warning ${code}: ${message}`)
  for (const { path } of result.files) {
    const [{ size }, sha256] = await Promise.all([stat(path), sha256Of(path)])
    const isSame = job.files.some((file) => file.sha256 === sha256)
    printer.line(`  ${path} (${size} bytes${isSame ? ', the same as the stored result' : ''})`)
  }
}

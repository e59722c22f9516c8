import { parseArgs } from 'node:util'
import { ConfigError, processEnvironment, readConfig } from '../../config.ts'
import { stopDecoderProcesses } from '../../decoders/stop-processes.ts'
import { engines } from '../../engines/index.ts'
import { idPattern } from '../../ids.ts'
import type { JobState, Task } from '../../model/job.ts'
import { formatFailure } from '../runtime/failure-text.ts'
import { findInstalledEngines } from '../runtime/installed-engines.ts'
import { printJob } from './replay/job-report.ts'
import { collectSecrets } from './replay/job-secrets.ts'
import { listLogFiles, readJobLines } from './replay/log-files.ts'
import { formatLogLine, printEngineOutput } from './replay/log-report.ts'
import { Printer } from './replay/printer.ts'
import { openReplayTarget, ReplayError, type ReplayTarget } from './replay/replay-target.ts'
import { type FetchedTask, fetchTaskFiles, type ReplayContext, runAgain } from './replay/run-again.ts'
import { listEngineTasks, planTasks } from './replay/task-plans.ts'

/**
 * Shows everything that is known about a job, then runs its tasks again on this machine. Stored data does not change.
 */
const usage = `Usage: npm run replay -- job_… [--task NAME] [--no-run]

  --task NAME  runs only this task
  --no-run     only shows what is known about the job

Each task runs on the stored files of its inputs.
Exit code: 0 if the tasks work now, 1 if one fails, 2 if there is nothing to run.`

interface Arguments {
  readonly jobId: string
  readonly task: string | undefined
  readonly run: boolean
}

const printer = new Printer((text) => process.stdout.write(text))

async function main(): Promise<number> {
  const args = readArguments()
  const interruptController = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruptController.abort(new ReplayError('Interrupted.')))
  const fetchedTasks = await reportJob(args)
  if (!args.run) return 0
  if (fetchedTasks.length === 0) return 2
  try {
    let failedCount = 0
    for (const fetchedTask of fetchedTasks) {
      printer.printHeading(`Running ${fetchedTask.task.name} again in ${fetchedTask.folder}`)
      if (!(await runAgain(fetchedTask, interruptController.signal, printer))) failedCount++
    }
    return failedCount === 0 ? 0 : 1
  } finally {
    await Promise.all([...engines.map((engine) => engine.close?.()), stopDecoderProcesses()])
  }
}

function readArguments(): Arguments {
  const options = { task: { type: 'string' }, 'no-run': { type: 'boolean', default: false } } as const
  let parsed: { values: { task?: string; 'no-run': boolean }; positionals: string[] }
  try {
    parsed = parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new ReplayError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
  const { values, positionals } = parsed
  const [jobId, ...otherArgs] = positionals
  if (jobId === undefined || otherArgs.length > 0) throw new ReplayError(usage)
  if (!idPattern('job').test(jobId))
    throw new ReplayError(
      `"${printer.redact(jobId)}" is not a job id: expected job_ followed by 26 letters and digits.`,
    )
  return { jobId, task: values.task, run: !values['no-run'] }
}

/** Shows the job and fetches its files. Closes table and bucket before any task runs, so that a service can start. */
async function reportJob({ jobId, task, run }: Arguments): Promise<FetchedTask[]> {
  const target = await openReplayTarget()
  try {
    const state = await target.store.getState(jobId)
    const { ENGINES, WORK_DIR } = readConfig(processEnvironment)
    const installedEngines = await findInstalledEngines(
      engines.filter(({ id }) => ENGINES?.includes(id) ?? true),
    )
    if (state) {
      printer.hideSecrets(collectSecrets(state, target.vault))
      printJob(state, planTasks(state, installedEngines), target.name, printer)
    }
    const isInLog = await printLog(target, jobId, state?.job.requestId)
    if (!state) throw createUnknownJobError(jobId, target, isInLog)
    return run
      ? await fetchTasks(selectTasks(state, task), state, { ...target, engines: installedEngines, WORK_DIR })
      : []
  } finally {
    await target.close()
  }
}

function selectTasks(state: JobState, name: string | undefined): readonly Task[] {
  const tasks = listEngineTasks(state)
  if (tasks.length === 0) printer.printHeading('The job has no task that runs an engine.')
  if (name === undefined) return tasks
  const chosenTasks = tasks.filter((task) => task.name === name)
  if (chosenTasks.length > 0) return chosenTasks
  throw new ReplayError(`The job has no task "${printer.redact(name)}" that runs an engine.`)
}

/** Fetches the files of the tasks that can run, and prints why the other tasks cannot run. */
async function fetchTasks(
  tasks: readonly Task[],
  state: JobState,
  context: ReplayContext,
): Promise<FetchedTask[]> {
  const fetchedTasks: FetchedTask[] = []
  for (const task of tasks) {
    const taskFiles = await fetchTaskFiles(task, state, context)
    if (typeof taskFiles !== 'string') fetchedTasks.push(taskFiles)
    else printer.printHeading(`${task.name} cannot be run again: ${taskFiles}`)
  }
  return fetchedTasks
}

/** Prints the log lines of the job. @returns whether there are any */
async function printLog(
  { logFile }: ReplayTarget,
  jobId: string,
  requestId: string | undefined,
): Promise<boolean> {
  if (logFile === undefined) {
    const ids = [jobId, ...(requestId ? [requestId] : [])].map((id) => `"${id}"`)
    printer.printHeading(
      `The log of a deployment is in CloudWatch: search the log groups of its functions for ${ids.join(' or ')}. To see it here, set LOG_FILE to a copy.`,
    )
    return false
  }
  const { lines, requestCount } = await readJobLines(await listLogFiles(logFile), jobId, requestId)
  if (lines.length === 0 && requestId === undefined) return false
  printer.printHeading(`Log, ${logFile}`)
  for (const line of lines) printer.line(`  ${formatLogLine(line)}`)
  if (lines.length === 0) printer.line('  no lines about this job')
  if (requestCount > 0) printer.line(`  and ${requestCount} other requests about this job`)
  printer.printHeading('Output of the engines')
  printEngineOutput(lines, printer)
  return lines.length > 0
}

function createUnknownJobError(jobId: string, { name }: ReplayTarget, isInLog: boolean): ReplayError {
  return new ReplayError(
    isInLog
      ? `The record of ${jobId} is no longer in ${name}: the job was deleted, or it expired more than 30 days ago. Only its log is left.`
      : `There is no job ${jobId} in ${name}. Check the id, and set DATA_DIR to the data folder of the service that created the job.`,
  )
}

main()
  .then((code) => {
    process.exitCode = code
  })
  .catch((error: unknown) => {
    process.stderr.write(`${formatFailure(error, ReplayError, ConfigError)}\n`)
    process.exitCode = 2
  })

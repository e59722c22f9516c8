import { parseArgs } from 'node:util'
import { ConfigError, processEnvironment, readConfig } from '../config.ts'
import { engines } from '../engines/index.ts'
import { idPattern } from '../ids.ts'
import type { JobState, Task } from '../jobs/job.ts'
import { failureText } from './failure-text.ts'
import { findInstalledEngines } from './installed-engines.ts'
import { printJob } from './replay/job-report.ts'
import { collectSecrets } from './replay/job-secrets.ts'
import { listLogFiles, readJobLines } from './replay/log-files.ts'
import { formatLogLine, printEngineOutput } from './replay/log-report.ts'
import { Printer } from './replay/printer.ts'
import { openReplayTarget, ReplayError, type ReplayTarget } from './replay/replay-target.ts'
import { type FetchedTask, fetchTaskFiles, type ReplayContext, runAgain } from './replay/run-again.ts'
import { engineTasks, planTasks } from './replay/task-plans.ts'

/** Tells all that is known of a job, then runs its tasks again on this machine; nothing that is stored changes. */
const usage = `Use: npm run replay -- job_… [--task NAME] [--no-run]

  --task NAME  runs one task only
  --no-run     only tells what is known of the job

Each task runs on the files that are stored of its inputs.
Ends with 0 when the tasks work now, 1 when one fails, 2 when there is nothing to run.`

interface Arguments {
  readonly jobId: string
  readonly task: string | undefined
  readonly run: boolean
}

const printer = new Printer((text) => process.stdout.write(text))

async function main(): Promise<number> {
  const args = readArguments()
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new ReplayError('Interrupted.')))
  const fetched = await reportJob(args)
  if (!args.run) return 0
  if (fetched.length === 0) return 2
  try {
    let failed = 0
    for (const one of fetched) {
      printer.heading(`Running ${one.task.name} again in ${one.folder}`)
      if (!(await runAgain(one, interrupted.signal, printer))) failed++
    }
    return failed === 0 ? 0 : 1
  } finally {
    await Promise.all(engines.map((engine) => engine.close?.()))
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
  const [jobId, ...more] = positionals
  if (jobId === undefined || more.length > 0) throw new ReplayError(usage)
  if (!idPattern('job').test(jobId))
    throw new ReplayError(
      `"${printer.redact(jobId)}" is no id of a job: expected job_ and 26 letters and digits.`,
    )
  return { jobId, task: values.task, run: !values['no-run'] }
}

/** Table and bucket are left alone before anything runs: a service may want the data folder meanwhile. */
async function reportJob({ jobId, task, run }: Arguments): Promise<FetchedTask[]> {
  const target = await openReplayTarget()
  try {
    const state = await target.store.getState(jobId)
    const { ENGINES, WORK_DIR } = readConfig(processEnvironment)
    const present = await findInstalledEngines(engines.filter(({ id }) => ENGINES?.includes(id) ?? true))
    if (state) {
      printer.hideSecrets(collectSecrets(state, target.vault))
      printJob(state, planTasks(state, present), target.name, printer)
    }
    const isInLog = await printLog(target, jobId, state?.job.requestId)
    if (!state) throw unknownJobError(jobId, target, isInLog)
    return run
      ? await fetchTasks(chosenTasks(state, task), state, { ...target, engines: present, WORK_DIR })
      : []
  } finally {
    await target.close()
  }
}

function chosenTasks(state: JobState, name: string | undefined): readonly Task[] {
  const tasks = engineTasks(state)
  if (tasks.length === 0) printer.heading('The job has no task that runs an engine.')
  if (name === undefined) return tasks
  const chosen = tasks.filter((task) => task.name === name)
  if (chosen.length > 0) return chosen
  throw new ReplayError(`The job has no task "${printer.redact(name)}" that runs an engine.`)
}

/** Those that can run; of the others is told why they cannot. */
async function fetchTasks(
  tasks: readonly Task[],
  state: JobState,
  means: ReplayContext,
): Promise<FetchedTask[]> {
  const fetched: FetchedTask[] = []
  for (const task of tasks) {
    const found = await fetchTaskFiles(task, state, means)
    if (typeof found !== 'string') fetched.push(found)
    else printer.heading(`${task.name} cannot be run again: ${found}`)
  }
  return fetched
}

/** Whether there is anything of the job in it. */
async function printLog(
  { logFile }: ReplayTarget,
  jobId: string,
  requestId: string | undefined,
): Promise<boolean> {
  if (logFile === undefined) {
    const ids = [jobId, ...(requestId ? [requestId] : [])].map((id) => `"${id}"`)
    printer.heading(
      `The log of a deployment is in CloudWatch: search the log groups of its functions for ${ids.join(' or ')}. With LOG_FILE set to a copy it is shown here.`,
    )
    return false
  }
  const { lines, requests } = await readJobLines(await listLogFiles(logFile), jobId, requestId)
  if (lines.length === 0 && requestId === undefined) return false
  printer.heading(`Log, ${logFile}`)
  for (const line of lines) printer.line(`  ${formatLogLine(line)}`)
  if (lines.length === 0) printer.line('  no line of this job')
  if (requests > 0) printer.line(`  and ${requests} requests about it`)
  printer.heading('What the engines said')
  printEngineOutput(lines, printer)
  return lines.length > 0
}

function unknownJobError(jobId: string, { name }: ReplayTarget, isInLog: boolean): ReplayError {
  return new ReplayError(
    isInLog
      ? `The record of ${jobId} is gone from ${name}: somebody deleted the job, or it expired a month ago. The log is all that is left.`
      : `There is no job ${jobId} in ${name}. Look at the id, and set DATA_DIR to the folder of the service that gave it.`,
  )
}

main()
  .then((code) => {
    process.exitCode = code
  })
  .catch((error: unknown) => {
    process.stderr.write(`${failureText(error, ReplayError, ConfigError)}\n`)
    process.exitCode = 2
  })

import { parseArgs } from 'node:util'
import { ConfigError, processEnvironment, readConfig } from '../config.ts'
import { engines } from '../engines/index.ts'
import { idPattern } from '../ids.ts'
import { failureText } from './failure-text.ts'
import { printJob } from './replay/job-report.ts'
import { linesOfJob, logFilesOf } from './replay/log-files.ts'
import { printEngineWords, shownLine } from './replay/log-report.ts'
import { openPlace, type Place, ReplayError } from './replay/place.ts'
import { Printer, secretsOf } from './replay/printer.ts'
import { type Fetched, fetchTask, runAgain } from './replay/run-again.ts'

/** Tells all that is known of a job, then runs its conversion again on this machine; nothing that is stored changes. */
const usage = `Use: npm run replay -- job_… [--no-run]

  --no-run   only tells what is known of the job

Ends with 0 when the conversion works now, 1 when it fails, 2 when there is nothing to run.`

const printer = new Printer((text) => process.stdout.write(text))

async function main(): Promise<number> {
  const { jobId, run } = readArguments()
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interrupted.abort(new ReplayError('Interrupted.')))
  const fetched = await tell(jobId, run)
  if (!run) return 0
  if (!fetched) return 2
  printer.heading(`Running ${fetched.task.name} again in ${fetched.folder}`)
  try {
    return (await runAgain(fetched, interrupted.signal, printer)) ? 0 : 1
  } finally {
    await Promise.all(engines.map((engine) => engine.close?.()))
  }
}

function readArguments(): { jobId: string; run: boolean } {
  let parsed: { values: { 'no-run': boolean }; positionals: string[] }
  try {
    parsed = parseArgs({ allowPositionals: true, options: { 'no-run': { type: 'boolean', default: false } } })
  } catch (error) {
    throw new ReplayError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
  }
  const [jobId, ...more] = parsed.positionals
  if (jobId === undefined || more.length > 0) throw new ReplayError(usage)
  if (!idPattern('job').test(jobId))
    throw new ReplayError(
      `"${printer.clean(jobId)}" is no id of a job: expected job_ and 26 letters and digits.`,
    )
  return { jobId, run: !parsed.values['no-run'] }
}

/** Table and bucket are left alone before anything runs: a service may want the data folder meanwhile. */
async function tell(jobId: string, run: boolean): Promise<Fetched | undefined> {
  const place = await openPlace()
  try {
    const state = await place.store.whole(jobId)
    if (state) {
      printer.hide(secretsOf(state.tasks.flatMap(({ steps }) => steps)))
      printJob(state, place.name, printer)
    }
    const isInLog = await printLog(place, jobId, state?.job.requestId)
    if (!state) throw unknown(jobId, place, isInLog)
    if (!run) return undefined
    const fetched = await fetchTask(state, place.files, readConfig(processEnvironment).WORK_DIR)
    if (typeof fetched !== 'string') return fetched
    printer.heading(fetched)
    return undefined
  } finally {
    await place.close()
  }
}

/** Whether there is anything of the job in it. */
async function printLog({ logFile }: Place, jobId: string, requestId: string | undefined): Promise<boolean> {
  if (logFile === undefined) {
    const ids = [jobId, ...(requestId ? [requestId] : [])].map((id) => `"${id}"`)
    printer.heading(
      `The log of a deployment is in CloudWatch: search the log groups of its functions for ${ids.join(' or ')}. With LOG_FILE set to a copy it is shown here.`,
    )
    return false
  }
  const { lines, requests } = await linesOfJob(await logFilesOf(logFile), jobId, requestId)
  if (lines.length === 0 && requestId === undefined) return false
  printer.heading(`Log, ${logFile}`)
  for (const line of lines) printer.line(`  ${shownLine(line)}`)
  if (lines.length === 0) printer.line('  no line of this job')
  if (requests > 0) printer.line(`  and ${requests} requests about it`)
  printer.heading('What the engines said')
  printEngineWords(lines, printer)
  return lines.length > 0
}

function unknown(jobId: string, { name }: Place, isInLog: boolean): ReplayError {
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

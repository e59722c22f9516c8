// What the table says of a job, for a terminal.
import {
  type FixedTask,
  isTaskOver,
  type Job,
  type JobState,
  type StoredFile,
  type Task,
} from '../../jobs/job.ts'
import { hasRecord, statusOfFixed, warningsOf } from '../../jobs/job-state-machine.ts'
import type { Plan } from './task-plans.ts'
import type { Printer } from './printer.ts'

/** @param plans of the tasks that work, by number. */
export function printJob(
  state: JobState,
  plans: ReadonlyMap<number, Plan>,
  place: string,
  printer: Printer,
): void {
  const { job, tasks } = state
  const { source, target, operations } = job.display
  const from = source ? `${source.filename} (${source.format}, ${source.size} bytes)` : 'uploads'
  printer.line(`${job.id}: ${job.status}, in ${place}`)
  printer.line(`  ${from} to ${target?.format ?? 'what comes out'}, by ${operations.join(', ')}`)
  if (job.error) printer.line(`  ${job.error.code}: ${job.error.message}`)
  if (job.error?.details) printer.line(`  details ${JSON.stringify(job.error.details)}`)
  for (const { code, message } of warningsOf(job, tasks)) printer.line(`  warning ${code}: ${message}`)
  printer.line(`  request ${job.requestId}${job.retryOf ? `, ${job.retryOf} once more` : ''}`)
  printer.line(`  ${timesOf(job)}`)
  printer.heading('Tasks')
  const inOrder = [...state.fixed, ...tasks].sort((a, b) => a.number - b.number)
  const names = new Map(inOrder.map(({ number, name }) => [number, name]))
  for (const task of inOrder) {
    const inputs = task.ins.map((number) => names.get(number)).join(', ')
    const what = `${task.operation}${inputs ? ` of ${inputs}` : ''}`
    if (hasRecord(task)) printTask(task, what, plans.get(task.number), state, printer)
    else printFixed(task, what, state, printer)
  }
}

function printFixed(task: FixedTask, what: string, state: JobState, printer: Printer): void {
  printer.line(`  ${task.name}: ${statusOfFixed(task, state)}`)
  printer.line(`    ${what}`)
  printFiles(task.files ?? [], printer)
  printError(task, printer)
}

function printTask(
  task: Task,
  what: string,
  plan: Plan | undefined,
  { chunks }: JobState,
  printer: Printer,
): void {
  const attempt = task.attempt > 0 ? [`attempt ${task.attempt}`] : []
  const engine = task.engine ? [`${task.engine} ${task.engineVersion ?? ''}`.trim()] : []
  printer.line(`  ${[`${task.name}: ${task.status}`, ...attempt, ...engine].join(', ')}`)
  printer.line(`    ${what}, ${timesOf(task)}`)
  if (plan) printPlan(plan, task, printer)
  for (const part of chunks.filter(({ number }) => number === task.number)) printPart(part, printer)
  printFiles(task.files, printer)
  printError(task, printer)
}

function printPlan(plan: Plan, task: Task, printer: Printer): void {
  if ('none' in plan) {
    printer.line(`    ${plan.none}`)
    return
  }
  for (const { steps, step: next, files } of plan.pieces) {
    if (plan.pieces.length > 1) printer.line(`    ${files.map(({ filename }) => filename).join(', ')}:`)
    for (const [at, { operation, engine, image, from, to, options }] of steps.entries()) {
      const verb = operation === 'convert' ? '' : `${operation} `
      const way = `${verb}${from} to ${to} by ${engine} (image ${image})`
      const here = at === next && !isTaskOver(task) ? '  ← here' : ''
      printer.line(`    ${at + 1}. ${way} ${JSON.stringify(options)}${here}`)
    }
  }
}

function printPart(part: Task, printer: Printer): void {
  printer.line(`    part ${part.part}: ${part.status}, attempt ${part.attempt}, ${timesOf(part)}`)
  printError(part, printer)
}

/** An archive may have given thousands. */
const mostFiles = 10

function printFiles(files: readonly StoredFile[], printer: Printer): void {
  for (const { filename, format, size } of files.slice(0, mostFiles))
    printer.line(`    gave ${filename} (${format}, ${size} bytes)`)
  if (files.length > mostFiles) printer.line(`    and ${files.length - mostFiles} files more`)
}

function printError({ code, message }: Pick<Task, 'code' | 'message'>, printer: Printer): void {
  if (code) printer.line(`    ${code}${message ? `: ${message}` : ''}`)
}

/** The first moment whole, then how long after it. */
function timesOf(times: Pick<Job, 'createdAt' | 'startedAt' | 'endedAt'>): string {
  const after = (moment: string) => `${(Date.parse(moment) - Date.parse(times.createdAt)) / 1000} s later`
  return [
    `created ${times.createdAt}`,
    ...(times.startedAt ? [`started ${after(times.startedAt)}`] : []),
    ...(times.endedAt ? [`ended ${after(times.endedAt)}`] : []),
  ].join(', ')
}

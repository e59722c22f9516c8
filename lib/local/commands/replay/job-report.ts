// Prints the records of a job to a terminal.

import { collectWarnings, getFixedTaskStatus, hasRecord } from '../../../jobs/job-state-machine.ts'
import {
  type FixedTask,
  isTaskOver,
  type Job,
  type JobState,
  type StoredFile,
  type Task,
} from '../../../model/job.ts'
import type { Printer } from './printer.ts'
import type { TaskPlan } from './task-plans.ts'

/** Prints a job. @param plans plans of the tasks that run engines, by task number */
export function printJob(
  state: JobState,
  plans: ReadonlyMap<number, TaskPlan>,
  location: string,
  printer: Printer,
): void {
  const { job, tasks } = state
  const { source, target, operations } = job.display
  const sourceText = source ? `${source.filename} (${source.format}, ${source.size} bytes)` : 'uploads'
  printer.line(`${job.id}: ${job.status}, in ${location}`)
  printer.line(`  ${sourceText} to ${target?.format ?? 'its results'}, with ${operations.join(', ')}`)
  if (job.error) printer.line(`  ${job.error.code}: ${job.error.message}`)
  if (job.error?.details) printer.line(`  details ${JSON.stringify(job.error.details)}`)
  for (const { code, message } of collectWarnings(job, tasks)) printer.line(`  warning ${code}: ${message}`)
  printer.line(`  request ${job.requestId}${job.retryOf ? `, retry of ${job.retryOf}` : ''}`)
  printer.line(`  ${formatTimes(job)}`)
  printer.printHeading('Tasks')
  const allTasks = [...state.fixed, ...tasks].sort((a, b) => a.number - b.number)
  const names = new Map(allTasks.map(({ number, name }) => [number, name]))
  for (const task of allTasks) {
    const inputs = task.ins.map((number) => names.get(number)).join(', ')
    const description = `${task.operation}${inputs ? ` of ${inputs}` : ''}`
    if (hasRecord(task)) printTask(task, description, plans.get(task.number), state, printer)
    else printFixedTask(task, description, state, printer)
  }
}

function printFixedTask(task: FixedTask, description: string, state: JobState, printer: Printer): void {
  printer.line(`  ${task.name}: ${getFixedTaskStatus(task, state)}`)
  printer.line(`    ${description}`)
  printFiles(task.files ?? [], printer)
  printError(task, printer)
}

function printTask(
  task: Task,
  description: string,
  plan: TaskPlan | undefined,
  { chunks }: JobState,
  printer: Printer,
): void {
  const attempt = task.attempt > 0 ? [`attempt ${task.attempt}`] : []
  const engine = task.engine ? [`${task.engine} ${task.engineVersion ?? ''}`.trim()] : []
  printer.line(`  ${[`${task.name}: ${task.status}`, ...attempt, ...engine].join(', ')}`)
  printer.line(`    ${description}, ${formatTimes(task)}`)
  if (plan) printPlan(plan, task, printer)
  for (const chunk of chunks.filter(({ number }) => number === task.number)) printChunk(chunk, printer)
  printFiles(task.files, printer)
  printError(task, printer)
}

function printPlan(plan: TaskPlan, task: Task, printer: Printer): void {
  if ('unavailable' in plan) {
    printer.line(`    ${plan.unavailable}`)
    return
  }
  for (const { steps, step: next, files } of plan.inputPlans) {
    if (plan.inputPlans.length > 1) printer.line(`    ${files.map(({ filename }) => filename).join(', ')}:`)
    for (const [at, { operation, engine, image, from, to, options }] of steps.entries()) {
      const verb = operation === 'convert' ? '' : `${operation} `
      const route = `${verb}${from} to ${to} with ${engine} (image ${image})`
      const marker = at === next && !isTaskOver(task) ? '  ← here' : ''
      printer.line(`    ${at + 1}. ${route} ${JSON.stringify(options)}${marker}`)
    }
  }
}

function printChunk(chunk: Task, printer: Printer): void {
  printer.line(`    chunk ${chunk.part}: ${chunk.status}, attempt ${chunk.attempt}, ${formatTimes(chunk)}`)
  printError(chunk, printer)
}

/** Maximum number of files shown, because an archive may contain thousands. */
const maxFiles = 10

function printFiles(files: readonly StoredFile[], printer: Printer): void {
  for (const { filename, format, size } of files.slice(0, maxFiles))
    printer.line(`    result ${filename} (${format}, ${size} bytes)`)
  if (files.length > maxFiles) printer.line(`    and ${files.length - maxFiles} more files`)
}

function printError({ code, message }: Pick<Task, 'code' | 'message'>, printer: Printer): void {
  if (code) printer.line(`    ${code}${message ? `: ${message}` : ''}`)
}

/** Formats the creation time, then the other times as seconds after it. */
function formatTimes(times: Pick<Job, 'createdAt' | 'startedAt' | 'endedAt'>): string {
  const formatElapsed = (timestamp: string) =>
    `${(Date.parse(timestamp) - Date.parse(times.createdAt)) / 1000} s later`
  return [
    `created ${times.createdAt}`,
    ...(times.startedAt ? [`started ${formatElapsed(times.startedAt)}`] : []),
    ...(times.endedAt ? [`ended ${formatElapsed(times.endedAt)}`] : []),
  ].join(', ')
}

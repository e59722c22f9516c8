// What the table says of a job, for a terminal.
import type { Job, Task } from '../../jobs/job.ts'
import type { JobState } from '../../jobs/machine.ts'
import { type Printer, shownOptions } from './printer.ts'

export function printJob({ job, tasks }: JobState, place: string, printer: Printer): void {
  const { source, target } = job
  printer.line(`${job.id}: ${job.status}, in ${place}`)
  printer.line(`  ${source.filename} (${source.format}, ${source.size} bytes) to ${target.format}`)
  if (job.error) printer.line(`  ${job.error.code}: ${job.error.message}`)
  if (job.error?.details) printer.line(`  details ${JSON.stringify(job.error.details)}`)
  for (const { code, message } of job.warnings) printer.line(`  warning ${code}: ${message}`)
  printer.line(`  request ${job.requestId}, time limit ${job.timeoutS} s`)
  printer.line(`  ${timesOf(job)}`)
  printer.heading('Tasks')
  const inOrder = tasks.toSorted((a, b) => job.taskNames.indexOf(a.name) - job.taskNames.indexOf(b.name))
  for (const task of inOrder) printTask(task, printer)
}

function printTask(task: Task, printer: Printer): void {
  const attempt = task.attempt > 0 ? [`attempt ${task.attempt}`] : []
  const engine = task.engine ? [`${task.engine} ${task.engineVersion ?? ''}`.trim()] : []
  printer.line(`  ${[`${task.name}: ${task.status}`, ...attempt, ...engine].join(', ')}`)
  printer.line(`    ${timesOf(task)}`)
  for (const [at, step] of task.steps.entries()) {
    const { operation, engine: id, image, from, to, options } = step
    const verb = operation === 'convert' ? '' : `${operation} `
    const here = at === task.step && task.status !== 'completed' ? '  ← here' : ''
    printer.line(
      `    ${at + 1}. ${verb}${from} to ${to} by ${id} (image ${image}) ${shownOptions(options)}${here}`,
    )
  }
  if (task.code) printer.line(`    ${task.code}${task.message ? `: ${task.message}` : ''}`)
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

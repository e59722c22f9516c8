import { type Category, type FormatId, formatById } from '../formats/index.ts'
import type { Job, Step, StoredFile, Task, Warning } from './job.ts'
import type { JobState } from './machine.ts'

/** Seconds that a conversion may take, by category of source or target, whichever gives more. */
const timeLimitS = {
  video: 1800,
  audio: 1800,
  image: 120,
  document: 600,
  ebook: 600,
  archive: 900,
  font: 300,
} as const satisfies Record<Category, number>

const mergeTimeLimitS = 2700

export interface NewConversion {
  readonly jobId: string
  readonly owner: string
  readonly requestId: string
  readonly tag: string | null
  /** The one that names the result, then those that go into it as well. */
  readonly files: readonly [StoredFile, ...StoredFile[]]
  readonly steps: readonly Step[]
  readonly warnings: readonly Warning[]
  readonly retentionHours: number
}

/** A conversion as a job of three tasks: the files are there, they are converted, the result can be fetched. */
export function conversionJob(conversion: NewConversion, now: Date): JobState {
  const { jobId, files, steps } = conversion
  const [source] = files
  const last = steps.at(-1)
  if (!last) throw new Error('a conversion without a step')
  const createdAt = now.toISOString()
  const task = (fields: Pick<Task, 'name' | 'operation'> & Partial<Task>): Task => ({
    jobId,
    version: 1,
    input: [],
    dependents: [],
    waitingFor: 0,
    status: 'pending',
    percent: 0,
    attempt: 0,
    steps: [],
    step: 0,
    files: [],
    warnings: [],
    createdAt,
    ...fields,
  })
  const tasks = [
    task({
      name: 'import-file',
      operation: 'import/upload',
      dependents: ['convert-file'],
      status: 'completed',
      percent: 100,
      files: [...files],
      startedAt: createdAt,
      endedAt: createdAt,
    }),
    task({
      name: 'convert-file',
      operation: last.operation === 'merge' || last.operation === 'compress' ? last.operation : 'convert',
      input: ['import-file'],
      dependents: ['export-file'],
      steps: [...steps],
      files: [...files],
    }),
    task({ name: 'export-file', operation: 'export/url', input: ['convert-file'], waitingFor: 1 }),
  ]
  const job: Job = {
    id: jobId,
    owner: conversion.owner,
    version: 1,
    status: 'queued',
    tag: conversion.tag,
    requestId: conversion.requestId,
    sequence: 2,
    source: { filename: source.filename, format: source.format, size: source.size },
    target: { format: last.to },
    taskNames: tasks.map(({ name }) => name),
    workTasks: 1,
    openTasks: 1,
    percentSum: 0,
    percent: 0,
    stage: 'import',
    timeoutS: last.operation === 'merge' ? mergeTimeLimitS : timeLimit(steps),
    warnings: [...conversion.warnings],
    files: [],
    createdAt,
    queuedAt: createdAt,
    expiresAt: new Date(now.getTime() + conversion.retentionHours * 3_600_000).toISOString(),
    wakeAt: new Date(now.getTime() + 60_000).toISOString(),
  }
  return { job, tasks }
}

function timeLimit(steps: readonly Step[]): number {
  // Formats of steps come from our own planner.
  const formats = steps.flatMap(({ from, to }) => [from, to] as FormatId[])
  return Math.max(...formats.map((format) => timeLimitS[formatById(format).category]))
}

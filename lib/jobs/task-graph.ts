import type { FixedTask, Job, JobStatus, Latch, Piece, Task, Warning } from './job.ts'
import { bucketOf, bucketSize } from './keys.ts'

/** Turns the tasks of a request into the records of a job: who waits for whom, as sets of numbers. Pure. */

export interface NewTask {
  readonly name: string
  readonly operation: string
  /** Numbers of the tasks whose files it takes. */
  readonly ins: readonly number[]
  readonly spec: Readonly<Record<string, unknown>>
  readonly continueOnError: boolean
  readonly warnings: readonly Warning[]
  /** Of a task that needs no work. */
  readonly fixed?: Pick<FixedTask, 'status' | 'files' | 'code' | 'message' | 'details'>
  /** Of one that fetches a file into an upload. */
  readonly uploadId?: string
  /** Of an upload that is awaited. */
  readonly awaited?: Pick<Task, 'form' | 'uploadId'>
}

export interface NewJob {
  readonly id: string
  readonly owner: string
  readonly keyId?: string | undefined
  readonly requestId: string
  readonly tag: string | null
  readonly retryOf?: string | undefined
  readonly display: Job['display']
  readonly warnings: readonly Warning[]
  readonly retentionS: number
  readonly require: Job['require']
  readonly failFast: boolean
  readonly hasWebhook?: boolean | undefined
  readonly tasks: readonly NewTask[]
}

/** Dependents beyond these stand in records of their own: a task's record is written again and again. */
const mostEdgesInside = 32
const edgesOfPage = 1000
/** Bytes of what needs no work that the job's own record takes. */
const mostFixedInside = 2000
/** Seconds that a record outlives all that its job can last: what nobody deletes, the table does. */
const spareS = 14 * 24 * 3600
/** Seconds until somebody looks whether a new job has begun. */
export const firstLookS = 60

export interface GraphRecords {
  readonly job: Job
  readonly fixed: readonly FixedTask[]
  /** Whether `fixed` has a record of its own. */
  readonly fixedApart: boolean
  readonly tasks: readonly Task[]
  readonly latches: readonly { readonly task: number | 'count'; readonly at: number; readonly latch: Latch }[]
  readonly edges: readonly {
    readonly task: number
    readonly page: number
    readonly outs: readonly string[]
  }[]
  readonly ttl: number
}

export function graphRecords(request: NewJob, now: Date): GraphRecords {
  const { id: jobId, owner, tasks: all } = request
  const numbers = all.flatMap(({ fixed }, number) => (fixed ? [] : [number]))
  const isCounted = new Set(numbers)
  const counted = (ins: readonly number[]) => ins.filter((number) => isCounted.has(number))
  const outs = outsOf(all, counted, isCounted)
  const createdAt = now.toISOString()
  const ttl = Math.floor(now.getTime() / 1000) + request.retentionS + spareS
  const bucketed = all.length > bucketSize
  const tasks = all.flatMap((task, number) =>
    task.fixed
      ? []
      : [
          taskRecord({
            ...{ jobId, owner, number, createdAt, ttl, bucketed, task },
            open: counted,
            outs: outs.get(number) ?? [],
          }),
        ],
  )
  const fixed = all.flatMap((task, number) => (task.fixed ? [fixedRecord(task, task.fixed, number)] : []))
  const fixedApart = JSON.stringify(fixed).length > mostFixedInside
  const units = bucketed ? [...new Set(numbers.map(bucketOf))] : numbers
  const awaited = all.flatMap((task, number) => (task.awaited ? [number] : []))
  return {
    job: jobRecord(request, { units, awaited, fixed: fixedApart ? undefined : fixed }, now),
    fixed,
    fixedApart,
    tasks,
    latches: [...(bucketed ? countLatches(jobId, numbers) : []), ...joinLatches(jobId, all, counted)],
    edges: numbers.flatMap((number) => edgePages(number, outs.get(number) ?? [])),
    ttl,
  }
}

/** For each task, who waits for it. */
function outsOf(
  all: readonly NewTask[],
  counted: (ins: readonly number[]) => number[],
  isCounted: ReadonlySet<number>,
): Map<number, string[]> {
  const outs = new Map<number, string[]>()
  for (const [number, { ins }] of all.entries()) {
    if (!isCounted.has(number)) continue
    const inputs = counted(ins)
    for (const [place, input] of inputs.entries()) {
      const latch = inputs.length > bucketSize ? `#${Math.floor(place / bucketSize)}` : ''
      const edges = outs.get(input) ?? []
      outs.set(input, edges)
      edges.push(`${number}${latch}`)
    }
  }
  return outs
}

interface TaskParts {
  readonly jobId: string
  readonly owner: string
  readonly number: number
  readonly task: NewTask
  readonly open: (ins: readonly number[]) => number[]
  readonly outs: readonly string[]
  readonly createdAt: string
  readonly ttl: number
  readonly bucketed: boolean
}

function taskRecord(parts: TaskParts): Task {
  const { jobId, owner, number, task, open: counted, outs, createdAt, ttl, bucketed } = parts
  const waitsFor = counted(task.ins)
  const open = waitsFor.length > bucketSize ? latchNumbers(waitsFor.length) : waitsFor
  const apart = outs.length > mostEdgesInside
  return {
    jobId,
    owner,
    number,
    name: task.name,
    operation: task.operation,
    spec: { ...task.spec },
    ins: [...task.ins],
    outs: apart ? [] : [...outs],
    ...(apart && { edgePages: Math.ceil(outs.length / edgesOfPage) }),
    ...(open.length > 0 && { open: new Set(open) }),
    // One without inputs is ready from the start, unless somebody has to send its file.
    fed: waitsFor.length < task.ins.length || (task.ins.length === 0 && !task.awaited),
    ...(bucketed && { bucketed }),
    ...(task.continueOnError && { continueOnError: true }),
    ...(task.uploadId !== undefined && { uploadId: task.uploadId }),
    ...task.awaited,
    status: 'pending',
    percent: 0,
    attempt: 0,
    files: [],
    warnings: [...task.warnings],
    createdAt,
    ttl,
  }
}

const latchNumbers = (inputs: number) =>
  Array.from({ length: Math.ceil(inputs / bucketSize) }, (_, latch) => latch)

function fixedRecord(task: NewTask, fixed: NonNullable<NewTask['fixed']>, number: number): FixedTask {
  const { name, operation, ins, spec, warnings } = task
  return {
    ...{ number, name, operation, ins: [...ins], warnings: [...warnings], ...fixed },
    ...(Object.keys(spec).length > 0 && { spec: { ...spec } }),
  }
}

function edgePages(task: number, outs: readonly string[]) {
  if (outs.length <= mostEdgesInside) return []
  return Array.from({ length: Math.ceil(outs.length / edgesOfPage) }, (_, page) => ({
    ...{ task, page },
    outs: outs.slice(page * edgesOfPage, (page + 1) * edgesOfPage),
  }))
}

function countLatches(jobId: string, numbers: readonly number[]) {
  return [...Map.groupBy(numbers, bucketOf)].map(([bucket, members]) => ({
    ...{ task: 'count' as const, at: bucket },
    latch: { jobId, size: members.length, open: new Set(members) },
  }))
}

function joinLatches(jobId: string, all: readonly NewTask[], counted: (ins: readonly number[]) => number[]) {
  return all.flatMap((task, number) => {
    const inputs = task.fixed ? [] : counted(task.ins)
    if (inputs.length <= bucketSize) return []
    return latchNumbers(inputs.length).map((latch) => {
      const members = inputs.slice(latch * bucketSize, (latch + 1) * bucketSize)
      return { task: number, at: latch, latch: { jobId, size: members.length, open: new Set(members) } }
    })
  })
}

function jobRecord(
  request: NewJob,
  parts: { units: readonly number[]; awaited: readonly number[]; fixed: readonly FixedTask[] | undefined },
  now: Date,
): Job {
  const createdAt = now.toISOString()
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
  const isAwaiting = parts.awaited.length > 0
  const status: JobStatus = isAwaiting ? 'pending' : 'queued'
  const {
    id,
    owner,
    keyId,
    requestId,
    tag,
    retryOf,
    display,
    warnings,
    retentionS,
    require,
    failFast,
    hasWebhook,
  } = request
  return {
    ...{ id, owner, requestId, status, tag, display, retentionS, require },
    ...(keyId && { keyId }),
    ...(retryOf && { retryOf }),
    ...(failFast && { failFast }),
    ...(hasWebhook && { hasWebhook: true as const }),
    total: request.tasks.length,
    // The table knows no empty set.
    ...(parts.units.length > 0 && { open: new Set(parts.units) }),
    units: parts.units.length,
    ...(isAwaiting && { waiting: new Set(parts.awaited) }),
    running: {},
    sequence: isAwaiting ? 1 : 2,
    numbers: isAwaiting ? { created: 1 } : { created: 1, queued: 2 },
    // Whoever sends the files may be faster than the creator; of others it is told before anything is sent.
    log: isAwaiting ? { created: { at: createdAt } } : {},
    warnings: [...warnings],
    ...(parts.fixed && { fixed: [...parts.fixed] }),
    createdAt,
    ...(!isAwaiting && { queuedAt: createdAt }),
    expiresAt: later(retentionS),
    wakeAt: later(firstLookS),
  }
}

/** A part of a task: a task without dependents, whose end its task waits for. Its time began with that of its task. */
export function partRecord(
  of: Task,
  part: number,
  {
    spec = {},
    pieces = [],
    cut,
  }: Partial<Pick<Task, 'spec' | 'cut'>> & { readonly pieces?: readonly Piece[] },
  now: Date,
): Task {
  return {
    jobId: of.jobId,
    ...(of.owner !== undefined && { owner: of.owner }),
    number: of.number,
    part,
    name: of.name,
    operation: of.operation,
    spec,
    pieces: [...pieces],
    ...(cut !== undefined && { cut }),
    ins: [],
    outs: [],
    fed: true,
    status: 'pending',
    percent: 0,
    attempt: 0,
    files: [],
    warnings: [],
    createdAt: now.toISOString(),
    ...(of.startedAt !== undefined && { startedAt: of.startedAt }),
    ttl: of.ttl,
  }
}

/** Parts that one attempt can have. */
export const mostParts = 500
/** Each of them can have a twin, which does the same. */
const numbersOfAttempt = 2 * mostParts

/** Parts of one attempt carry its number, so that those of an abandoned one are told apart. */
export const partNumber = (attempt: number, index: number) => attempt * numbersOfAttempt + index

export const attemptOfPart = (part: number) => Math.floor(part / numbersOfAttempt)

export const isTwin = (part: number) => part % numbersOfAttempt >= mostParts
export const twinOf = (part: number) => part + mostParts
/** The number that its task waits for. */
export const memberOf = (part: number) => (isTwin(part) ? part - mostParts : part)

import type { FixedTask, InputPlan, Job, JobStatus, JoinBucket, Task, Warning } from '../model/job.ts'
import type { TaskInput } from '../model/task-input.ts'
import { defined } from '../validation/defined.ts'
import { listSentFiles } from './files-sent-with.ts'
import { bucketSize, getBucketNumber } from './keys.ts'

/**
 * Turns the tasks of a request into the records of a job; dependencies are sets of task numbers. The functions are
 * pure.
 */

export interface NewTask {
  readonly name: string
  readonly operation: string
  /** Numbers of the input tasks. */
  readonly ins: readonly number[]
  /** The inputs as the client sent them; omitted for an array of names. */
  readonly input?: TaskInput | readonly TaskInput[] | undefined
  readonly spec: Readonly<Record<string, unknown>>
  readonly continueOnError: boolean
  readonly warnings: readonly Warning[]
  /** Set for a task that needs no work. */
  readonly fixed?: Pick<FixedTask, 'status' | 'files' | 'code' | 'message' | 'details'>
  /** Set for a task that fetches a file into an upload. */
  readonly uploadId?: string
  /** Set for a task that waits for an upload. */
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
  readonly packsResults?: boolean | undefined
  readonly hasWebhook?: boolean | undefined
  readonly inOneList?: boolean | undefined
  readonly traceparent?: string | undefined
  readonly tasks: readonly NewTask[]
}

/** If a task has more dependents, they are stored in separate records, because a task's record is rewritten often. */
const maxInlineDependents = 32
const dependentsPerPage = 1000
/** Maximum JSON length of tasks without work in the job's record; a longer list is stored in a separate record. */
const maxInlineFixedLength = 2000
/** Seconds added to a job's longest possible lifetime; afterwards the table deletes leftover records. */
const ttlMarginS = 14 * 24 * 3600
/** Seconds until the sweep checks whether a new job has started. */
export const firstCheckS = 60

export interface GraphRecords {
  readonly job: Job
  readonly fixed: readonly FixedTask[]
  /** Whether the tasks without work are stored in a separate record. */
  readonly isFixedSeparate: boolean
  readonly tasks: readonly Task[]
  readonly joinBuckets: readonly {
    readonly task: number | 'count'
    readonly bucketNumber: number
    readonly bucket: JoinBucket
  }[]
  readonly dependentPages: readonly {
    readonly task: number
    readonly page: number
    readonly outs: readonly string[]
  }[]
  readonly ttl: number
}

export function createGraphRecords(request: NewJob, now: Date): GraphRecords {
  const { id: jobId, owner, tasks: newTasks } = request
  const numbers = newTasks.flatMap(({ fixed }, number) => (fixed ? [] : [number]))
  const numbersWithRecord = new Set(numbers)
  const selectNumbersWithRecord = (ins: readonly number[]) =>
    ins.filter((number) => numbersWithRecord.has(number))
  const outs = findDependents(newTasks, selectNumbersWithRecord, numbersWithRecord)
  const createdAt = now.toISOString()
  const ttl = Math.floor(now.getTime() / 1000) + request.retentionS + ttlMarginS
  const bucketed = newTasks.length > bucketSize
  const tasks = newTasks.flatMap((task, number) =>
    task.fixed
      ? []
      : [
          createTaskRecord({
            jobId,
            owner,
            number,
            createdAt,
            ttl,
            bucketed,
            traceparent: request.traceparent,
            task,
            open: selectNumbersWithRecord,
            outs: outs.get(number) ?? [],
          }),
        ],
  )
  const fixedTasks = newTasks.flatMap((task, number) =>
    task.fixed ? [createFixedRecord(task, task.fixed, number)] : [],
  )
  const isFixedSeparate = JSON.stringify(fixedTasks).length > maxInlineFixedLength
  const units = bucketed ? [...new Set(numbers.map(getBucketNumber))] : numbers
  const awaitedTaskNumbers = newTasks.flatMap((task, number) => (task.awaited ? [number] : []))
  return {
    job: createJobRecord(
      request,
      {
        units,
        awaited: awaitedTaskNumbers,
        fixed: isFixedSeparate ? undefined : fixedTasks,
        sentFileCount: listSentFiles(request, fixedTasks).length,
      },
      now,
    ),
    fixed: fixedTasks,
    isFixedSeparate,
    tasks,
    joinBuckets: [
      ...(bucketed ? createCountBuckets(jobId, numbers) : []),
      ...createJoinBuckets(jobId, newTasks, selectNumbersWithRecord),
    ],
    dependentPages: numbers.flatMap((number) => createDependentPages(number, outs.get(number) ?? [])),
    ttl,
  }
}

/** Returns the dependents of each task. */
function findDependents(
  newTasks: readonly NewTask[],
  selectNumbersWithRecord: (ins: readonly number[]) => number[],
  numbersWithRecord: ReadonlySet<number>,
): Map<number, string[]> {
  const outs = new Map<number, string[]>()
  for (const [number, { ins }] of newTasks.entries()) {
    if (!numbersWithRecord.has(number)) continue
    const inputs = selectNumbersWithRecord(ins)
    for (const [index, input] of inputs.entries()) {
      const bucketSuffix = inputs.length > bucketSize ? `#${Math.floor(index / bucketSize)}` : ''
      const dependents = outs.get(input) ?? []
      outs.set(input, dependents)
      dependents.push(`${number}${bucketSuffix}`)
    }
  }
  return outs
}

interface TaskRecordInput {
  readonly jobId: string
  readonly owner: string
  readonly number: number
  readonly task: NewTask
  readonly open: (ins: readonly number[]) => number[]
  readonly outs: readonly string[]
  readonly createdAt: string
  readonly ttl: number
  readonly bucketed: boolean
  readonly traceparent: string | undefined
}

function createTaskRecord(input: TaskRecordInput): Task {
  const {
    jobId,
    owner,
    number,
    task,
    open: selectNumbersWithRecord,
    outs,
    createdAt,
    ttl,
    bucketed,
    traceparent,
  } = input
  const awaitedNumbers = selectNumbersWithRecord(task.ins)
  const openNumbers =
    awaitedNumbers.length > bucketSize ? listJoinBucketNumbers(awaitedNumbers.length) : awaitedNumbers
  const isPaged = outs.length > maxInlineDependents
  return {
    jobId,
    owner,
    number,
    name: task.name,
    operation: task.operation,
    spec: { ...task.spec },
    ins: [...task.ins],
    ...createStoredInput(task),
    outs: isPaged ? [] : [...outs],
    ...(isPaged && { edgePages: Math.ceil(outs.length / dependentsPerPage) }),
    ...(openNumbers.length > 0 && { open: new Set(openNumbers) }),
    // A task without inputs is ready from the start, unless it waits for an upload.
    fed: awaitedNumbers.length < task.ins.length || (task.ins.length === 0 && !task.awaited),
    ...(bucketed && { bucketed }),
    ...(task.continueOnError && { continueOnError: true }),
    ...defined({ traceparent, uploadId: task.uploadId }),
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

const createStoredInput = ({ input }: NewTask): Pick<Task, 'input'> =>
  input === undefined ? {} : { input: typeof input === 'string' || 'task' in input ? input : [...input] }

const listJoinBucketNumbers = (inputs: number) =>
  Array.from({ length: Math.ceil(inputs / bucketSize) }, (_, index) => index)

function createFixedRecord(
  task: NewTask,
  fixedFields: NonNullable<NewTask['fixed']>,
  number: number,
): FixedTask {
  const { name, operation, ins, spec, warnings } = task
  return {
    number,
    name,
    operation,
    ins: [...ins],
    ...createStoredInput(task),
    warnings: [...warnings],
    ...fixedFields,
    ...(Object.keys(spec).length > 0 && { spec: { ...spec } }),
  }
}

function createDependentPages(task: number, outs: readonly string[]) {
  if (outs.length <= maxInlineDependents) return []
  return Array.from({ length: Math.ceil(outs.length / dependentsPerPage) }, (_, page) => ({
    task,
    page,
    outs: outs.slice(page * dependentsPerPage, (page + 1) * dependentsPerPage),
  }))
}

function createCountBuckets(jobId: string, numbers: readonly number[]) {
  return [...Map.groupBy(numbers, getBucketNumber)].map(([bucketNumber, members]) => ({
    task: 'count' as const,
    bucketNumber,
    bucket: { jobId, size: members.length, open: new Set(members) },
  }))
}

function createJoinBuckets(
  jobId: string,
  newTasks: readonly NewTask[],
  selectNumbersWithRecord: (ins: readonly number[]) => number[],
) {
  return newTasks.flatMap((task, number) => {
    const inputs = task.fixed ? [] : selectNumbersWithRecord(task.ins)
    if (inputs.length <= bucketSize) return []
    return listJoinBucketNumbers(inputs.length).map((bucketNumber) => {
      const members = inputs.slice(bucketNumber * bucketSize, (bucketNumber + 1) * bucketSize)
      return { task: number, bucketNumber, bucket: { jobId, size: members.length, open: new Set(members) } }
    })
  })
}

function createJobRecord(
  request: NewJob,
  graph: {
    units: readonly number[]
    awaited: readonly number[]
    fixed: readonly FixedTask[] | undefined
    sentFileCount: number
  },
  now: Date,
): Job {
  const createdAt = now.toISOString()
  const getTimeAfter = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString()
  const isAwaiting = graph.awaited.length > 0
  const status: JobStatus = isAwaiting ? 'pending' : 'queued'
  const createdNumber = graph.sentFileCount + 1
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
    packsResults,
    hasWebhook,
    inOneList,
  } = request
  return {
    id,
    owner,
    requestId,
    status,
    tag,
    display,
    retentionS,
    require,
    ...defined({ keyId, retryOf }),
    ...(failFast && { failFast }),
    ...(packsResults && { packsResults: true as const }),
    ...(hasWebhook && { hasWebhook: true as const }),
    ...(inOneList && { inOneList: true as const }),
    total: request.tasks.length,
    // DynamoDB does not store empty sets.
    ...(graph.units.length > 0 && { open: new Set(graph.units) }),
    units: graph.units.length,
    ...(isAwaiting && { waiting: new Set(graph.awaited) }),
    running: {},
    sequence: isAwaiting ? createdNumber : createdNumber + 1,
    numbers: isAwaiting ? { created: createdNumber } : { created: createdNumber, queued: createdNumber + 1 },
    // An awaited upload may arrive before the creation of the job is published. For other jobs, no task is sent before
    // that.
    log: isAwaiting ? { created: { at: createdAt } } : {},
    warnings: [...warnings],
    ...defined({ fixed: graph.fixed && [...graph.fixed] }),
    createdAt,
    ...(!isAwaiting && { queuedAt: createdAt }),
    expiresAt: getTimeAfter(retentionS),
    wakeAt: getTimeAfter(firstCheckS),
  }
}

/**
 * Creates the record of a chunk: a task without dependents whose end its parent task waits for. It shares the parent's
 * start time.
 */
export function createChunkRecord(
  task: Task,
  chunkNumber: number,
  {
    spec = {},
    pieces = [],
    cut,
  }: Partial<Pick<Task, 'spec' | 'cut'>> & { readonly pieces?: readonly InputPlan[] },
  now: Date,
): Task {
  return {
    jobId: task.jobId,
    ...defined({ owner: task.owner }),
    number: task.number,
    part: chunkNumber,
    name: task.name,
    operation: task.operation,
    spec,
    pieces: [...pieces],
    ...defined({ cut }),
    ins: [],
    outs: [],
    fed: true,
    status: 'pending',
    percent: 0,
    attempt: 0,
    files: [],
    warnings: [],
    createdAt: now.toISOString(),
    ...defined({ startedAt: task.startedAt, workedMs: task.workedMs }),
    ttl: task.ttl,
  }
}

/** Maximum number of chunks per attempt. */
export const maxChunks = 500
/** Twice the number of chunks, because each chunk can have a speculative copy. */
const numbersPerAttempt = 2 * maxChunks

/** Returns the number of a chunk. It contains the attempt, so that chunks of an abandoned attempt can be recognized. */
export const getChunkNumber = (attempt: number, index: number) => attempt * numbersPerAttempt + index

export const getChunkAttempt = (chunk: number) => Math.floor(chunk / numbersPerAttempt)

export const isSpeculativeCopy = (chunk: number) => chunk % numbersPerAttempt >= maxChunks
export const getSpeculativeCopyNumber = (chunk: number) => chunk + maxChunks
/** Returns the number of the chunk that the task waits for: for a speculative copy, the number of the original. */
export const getOriginalChunkNumber = (chunk: number) =>
  isSpeculativeCopy(chunk) ? chunk - maxChunks : chunk

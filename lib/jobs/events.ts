import type { BusEvent, EventBody, EventName } from '../../events/index.ts'
import { deriveId } from '../ids.ts'
import type { EventFact, FixedTask, Job, JobState, StoredFile, Task, TaskStatus } from '../model/job.ts'
import { parseUploadId } from '../uploads/uploads.ts'
import { defined } from '../validation/defined.ts'
import { listSentFiles } from './files-sent-with.ts'
import {
  getFixedTaskStatus,
  getJobPercent,
  getJobResult,
  getStatusAtStart,
  hasRecord,
  isLinkExport,
  type JobFile,
} from './job-state-machine.ts'
import { measureJobUsage } from './job-usage.ts'
import { getFileSequenceName } from './keys.ts'
import { getLinkLifetimeS, limitJobExpiry } from './link-lifetime.ts'

/**
 * Events of a job, rendered only from stored records: they are identical no matter which process publishes them, or how
 * many times.
 */

interface EventContent<Name extends EventName> {
  readonly event: Name
  readonly sequence: number
  /** Timestamp (RFC 3339). */
  readonly occurredAt: string
  readonly body: EventBody<Name>
}

function renderEvent<Name extends EventName>(
  job: Pick<Job, 'id' | 'owner' | 'hasWebhook'>,
  event: EventContent<Name>,
): BusEvent {
  const { event: name, sequence, occurredAt, body } = event
  return {
    event: name,
    timestamp: occurredAt,
    id: deriveId('evt', new Date(occurredAt), job.id, name, sequence),
    sequence,
    apiVersion: 'v1',
    owner: job.owner,
    stream: job.id,
    ...defined({ hasWebhook: job.hasWebhook }),
    ...body,
  }
}

const getSequenceNumber = ({ numbers, sequence }: Job, name: string) => numbers[name] ?? sequence

/** Creates the events of the request's files, `job.created`, and `job.queued` unless the job waits for uploads. */
export function createCreationEvents(state: JobState): BusEvent[] {
  const { job } = state
  const isQueuedImmediately = job.queuedAt === job.createdAt
  const createdEvent = renderEvent(job, {
    event: 'job.created',
    sequence: getSequenceNumber(job, 'created'),
    occurredAt: job.createdAt,
    body: { job: describeJob(state, isQueuedImmediately ? 'queued' : 'pending', getStatusBeforeStart) },
  })
  return [
    ...createRequestFileEvents(state),
    createdEvent,
    ...(isQueuedImmediately ? [createQueuedEvent(state)] : []),
  ]
}

export function createQueuedEvent(state: JobState): BusEvent {
  const { job } = state
  const occurredAt = job.queuedAt ?? job.createdAt
  const body = { job: { ...describeJob(state, 'queued', getStatusAfterUpload), queuedAt: occurredAt } }
  return renderEvent(job, {
    event: 'job.queued',
    sequence: getSequenceNumber(job, 'queued'),
    occurredAt,
    body,
  })
}

export function createStartedEvent(state: JobState): BusEvent {
  const { job } = state
  const occurredAt = job.startedAt ?? job.createdAt
  const getStatus = (task: Task) => (isUpload(task) ? 'completed' : getStatusAtStart(task, job))
  const body = {
    job: { ...describeJob(state, 'processing', getStatus), queuedAt: job.queuedAt, startedAt: occurredAt },
  }
  return renderEvent(job, {
    event: 'job.started',
    sequence: getSequenceNumber(job, 'started'),
    occurredAt,
    body,
  })
}

/** Creates a progress event. @param name key of the fact in the job's log. */
export function createProgressEvent(job: Job, name: string, fact: EventFact): BusEvent {
  const { percent = getJobPercent(job), stage = 'convert', taskName } = fact
  return renderEvent(job, {
    event: 'job.progress',
    sequence: getSequenceNumber(job, name),
    occurredAt: fact.at,
    body: { job: { id: job.id, status: 'processing', tag: job.tag, progress: { percent, stage, taskName } } },
  })
}

/** Returns the events whose facts are still in the log, in order. */
export function findUnpublishedEvents(state: JobState): BusEvent[] {
  const { job } = state
  const names = Object.keys(job.log).sort((a, b) => getSequenceNumber(job, a) - getSequenceNumber(job, b))
  return names.flatMap((name) => {
    if (name === 'created') return createCreationEvents(state)
    if (name === 'queued') return createQueuedEvent(state)
    if (name === 'started') return createStartedEvent(state)
    const fact = job.log[name]
    return fact ? createProgressEvent(job, name, fact) : []
  })
}

/** Returns all events of an ended job that may be unpublished. If the job never started, they include its creation. */
export function findUnpublishedEventsOfEndedJob(state: JobState): BusEvent[] {
  const { job } = state
  const hasNeverStarted = job.numbers['queued'] !== undefined && job.numbers['started'] === undefined
  return [
    ...(hasNeverStarted ? createCreationEvents(state) : []),
    ...findUnpublishedEvents(state),
    createEndEvent(state),
  ]
}

/** Creates the event of the job's end, with its usage. */
export const createEndEvent = (state: JobState): BusEvent => ({
  ...renderEnd(state),
  share: measureJobUsage(state),
})

function renderEnd(state: JobState): BusEvent {
  const { job } = state
  const occurredAt = job.endedAt ?? job.createdAt
  const commonFields = { sequence: getSequenceNumber(job, 'ended'), occurredAt }
  if (job.status === 'completed')
    return renderEvent(job, {
      event: 'job.completed',
      ...commonFields,
      body: { job: describeCompletedJob(state, occurredAt) },
    })
  if (job.status === 'failed')
    return renderEvent(job, {
      event: 'job.failed',
      ...commonFields,
      body: { job: describeFailedJob(state, occurredAt) },
    })
  const { id, tag, cancelledBy = 'system' } = job
  const body = { job: { id, status: 'cancelled' as const, tag, cancelledBy, cancelledAt: occurredAt } }
  return renderEvent(job, { event: 'job.cancelled', ...commonFields, body })
}

export interface UploadedFile {
  readonly owner: string
  readonly file: Omit<StoredFile, 'format'> & { readonly format: string | null }
  /** Timestamp (RFC 3339). */
  readonly occurredAt: string
  readonly via: EventBody<'file.uploaded'>['file']['via']
  /** The job of the file; undefined for files that arrive before their job is created. */
  readonly ofJob?: { readonly job: Pick<Job, 'id' | 'hasWebhook'>; readonly sequence: number } | undefined
}

/**
 * Creates the event for an owner's file that has arrived. It is an event of the file's job, unless the file arrived
 * before the job.
 */
export function createFileUploadedEvent({ owner, file, occurredAt, via, ofJob }: UploadedFile): BusEvent {
  const { key, filename, size, mimeType, format, sha256 } = file
  const body = {
    file: {
      uploadId: parseUploadId(key) ?? /upl_\w{1,100}$/.exec(key)?.[0],
      jobId: ofJob?.job.id,
      filename,
      size,
      mimeType,
      format,
      via,
      sha256: sha256 || undefined,
    },
  }
  const { job = { id: key }, sequence = 1 } = ofJob ?? {}
  return renderEvent({ ...job, owner }, { event: 'file.uploaded', sequence, occurredAt, body })
}

/** Creates the events of files that were sent with the request. They are numbered before `job.created`. */
function createRequestFileEvents({ job, fixed }: JobState): BusEvent[] {
  const files = listSentFiles(job, fixed)
  const firstNumber = getSequenceNumber(job, 'created') - files.length
  return files.map((file, index) =>
    createFileUploadedEvent({
      owner: job.owner,
      file,
      occurredAt: job.createdAt,
      via: 'form',
      ofJob: { job, sequence: firstNumber + index },
    }),
  )
}

/** Creates the events of files that an import task fetched. */
export function createImportedFileEvents(
  job: Pick<Job, 'id' | 'owner' | 'numbers' | 'hasWebhook'>,
  task: Task,
): BusEvent[] {
  const via = task.operation === 'import/url' ? 'url' : 'store'
  const firstNumber = job.numbers[getFileSequenceName(task.number)] ?? 1
  return getImportedFiles(task).map((file, index) =>
    createFileUploadedEvent({
      owner: job.owner,
      file,
      occurredAt: task.endedAt ?? task.createdAt,
      via,
      ofJob: { job, sequence: firstNumber + index },
    }),
  )
}

export const getImportedFiles = ({ brought, files }: Task): readonly StoredFile[] =>
  brought ? [brought] : files

export interface DownloadDetails {
  readonly isSigned: boolean
  readonly ip: string | null
}

export function createFileDownloadedEvent(
  job: Job,
  { filename, size }: StoredFile,
  { isSigned, ip }: DownloadDetails,
  occurredAt: string,
): BusEvent {
  const body = { file: { jobId: job.id, filename, size, signed: isSigned, ip } }
  return renderEvent(job, { event: 'file.downloaded', sequence: job.sequence, occurredAt, body })
}

/** Creates the event of a deleted file. @param index position of the file among the deleted files. */
export function createFileDeletedEvent({ job }: JobState, file: JobFile, index: number): BusEvent {
  const reason = job.deletedAt ? ('request' as const) : ('retention' as const)
  return renderEvent(job, {
    event: 'file.deleted',
    sequence: getSequenceNumber(job, 'deletion') + index,
    occurredAt: job.deletedAt ?? job.expiredAt ?? job.createdAt,
    body: { file: { jobId: job.id, filename: file.filename, role: file.role, reason } },
  })
}

/** Creates the event of an expired job. @param deletedFileCount number of `file.deleted` events that precede it. */
export function createExpiredEvent({ job }: JobState, deletedFileCount: number): BusEvent {
  const expiredAt = job.expiredAt ?? job.createdAt
  return renderEvent(job, {
    event: 'job.expired',
    sequence: getSequenceNumber(job, 'deletion') + deletedFileCount,
    occurredAt: expiredAt,
    body: { job: { id: job.id, status: 'expired', expiredAt, reason: job.expiredFor ?? 'retention' } },
  })
}

const isUpload = ({ operation }: Pick<Task, 'operation'>) => operation === 'import/upload'
const getStatusBeforeStart = (): TaskStatus => 'pending'
const getStatusAfterUpload = (task: Task): TaskStatus => (isUpload(task) ? 'completed' : 'pending')

/** Returns the tasks in the order of the request. */
const sortByNumber = ({ fixed, tasks }: JobState): (FixedTask | Task)[] =>
  [...fixed, ...tasks].sort((a, b) => a.number - b.number)

function describeJob(state: JobState, status: Job['status'], getStatus: (task: Task) => TaskStatus) {
  const { id, tag, display, createdAt } = state.job
  const getStatusOfFixedTask = ({ operation, status: ownStatus }: FixedTask): TaskStatus =>
    operation.startsWith('export/') ? 'pending' : ownStatus
  const tasks = sortByNumber(state).map((task) => {
    const status = hasRecord(task) ? getStatus(task) : getStatusOfFixedTask(task)
    return [task.name, { operation: task.operation, status }] as const
  })
  return {
    id,
    status,
    tag,
    createdAt,
    source: display.source,
    target: display.target,
    tasks: Object.fromEntries(tasks),
  }
}

function describeEndedJob(state: JobState, endedAt: string) {
  const { job } = state
  const { queuedAt, startedAt, summary } = job
  const allTasks = sortByNumber(state)
  // If there are several results, the link names its task, because the job's link delivers another file or none.
  const isOnlyResult = job.status === 'completed' && allTasks.filter(isLinkExport).length === 1
  const tasks = allTasks.map((task) => {
    const status = hasRecord(task) ? task.status : getFixedTaskStatus(task, state)
    const link = () => createUrlFields(job, isOnlyResult ? {} : { task: task.name }, getLinkLifetimeS(task))
    const result = isLinkExport(task) && status === 'completed' ? { result: link() } : {}
    return [task.name, { operation: task.operation, status, ...result }] as const
  })
  return {
    ...describeJob(state, job.status, getStatusBeforeStart),
    source: job.display.source ?? job.cameLater ?? null,
    tasks: Object.fromEntries(tasks),
    queuedAt,
    startedAt,
    endedAt,
    ...defined({ summary }),
  }
}

/**
 * Returns the fields with the URL of a result: its path, which `addResultLinks` replaces with a signed URL, and the
 * expiry of the link if that is earlier than the expiry of the files.
 */
function createUrlFields(
  job: Job,
  query: Readonly<Record<string, string>>,
  lifetimeS: number | undefined,
): { readonly url: string; readonly expires_at?: string } {
  const text = new URLSearchParams(query).toString()
  const expiry = lifetimeS === undefined ? undefined : limitJobExpiry(job, lifetimeS).expiresAt
  return {
    url: `/v1/download/${job.id}${text && `?${text}`}`,
    ...defined({ expires_at: expiry }),
  }
}

function describeCompletedJob(state: JobState, endedAt: string) {
  const { job } = state
  const { files, warnings, engine, fidelity } = getJobResult(state)
  return {
    ...describeEndedJob(state, endedAt),
    durationMs: Date.parse(endedAt) - Date.parse(job.startedAt ?? job.createdAt),
    engine,
    ...defined({ fidelity }),
    warnings,
    files: files.map(({ filename, size, mimeType, linkLifetimeS }) => ({
      filename,
      size,
      mimeType,
      ...createUrlFields(job, files.length > 1 ? { file: filename } : {}, linkLifetimeS),
    })),
    ...defined({ export: describeExport(state) }),
  }
}

function describeExport({ tasks }: JobState) {
  const task = tasks.find(({ deliveries = [] }) => deliveries.length > 0)
  const { url } = task?.deliveries?.[0] ?? {}
  if (!task || url === undefined) return undefined
  return {
    method: task.operation.slice('export/'.length),
    path: url.slice(url.indexOf('/', url.indexOf('://') + '://'.length) + 1),
    url,
    status: task.status,
    bytes: task.deliveries?.reduce((sum, { size }) => sum + size, 0) ?? 0,
  }
}

const describeFailedJob = (state: JobState, endedAt: string) => ({
  ...describeEndedJob(state, endedAt),
  error: state.job.error ?? { code: 'INTERNAL_ERROR' as const, message: 'The job failed.' },
})

import { randomUUID } from 'node:crypto'
import type { Files } from '../aws/files.ts'
import type { Log } from '../log.ts'
import { queueVisibilityS } from '../resources/queues.ts'
import { type Uploads, uploadIdOf } from '../uploads.ts'
import { expiredEvent, fileDeletedEvent, unpublishedEventsOfEndedJob } from './events.ts'
import { isLiveStatus, type Job, jobPrefix } from './job.ts'
import type { JobLifecycle } from './job-lifecycle.ts'
import { filesOfJob } from './job-state-machine.ts'
import type { JobStore } from './store.ts'

/** The end of all that a job has stored, by request or by the clock. Begun once, it is finished by the sweep if need be. */

export interface DeleteJobDeps {
  readonly store: JobStore
  readonly files: Files
  readonly lifecycle: JobLifecycle
  readonly uploads: Uploads
  readonly log: Log
}

/** Seconds that the record of an expired job answers "gone" instead of "unknown". */
const tombstoneLifetimeS = 30 * 24 * 3600
const maxMarkAttempts = 10

/** From now on nobody sees the job; a live one is cancelled by the same write. False when it is marked or gone already. */
export async function markJobDeleted(job: Job, store: JobStore, wakeAt: string): Promise<boolean> {
  let current: Job | undefined = job
  const deletedBy = randomUUID()
  for (let attempt = 1; current && !current.deletedAt && attempt <= maxMarkAttempts; attempt++) {
    const deletedAt = new Date().toISOString()
    const isLive = isLiveStatus(current.status)
    const cancel = { status: 'cancelled', cancelledBy: 'user', endedAt: deletedAt }
    const { applied, record } = await store.changeJob(
      job.id,
      {
        set: { deletedAt, deletedBy, unsaid: true, wakeAt, ...(isLive && cancel) },
        setPlus: {
          ...(isLive && { 'numbers.ended': ['sequence', 1] as const }),
          'numbers.deletion': ['sequence', isLive ? 2 : 1],
          sequence: ['sequence', isLive ? 2 : 1],
        },
        remove: ['listKey', 'tagKey'],
      },
      { condition: { equal: { status: current.status }, absent: ['deletedAt'] }, mark: { deletedBy } },
    )
    if (applied) return true
    current = record
  }
  return false
}

/** The time of a job is over. */
export async function expireJob(
  job: Job,
  reason: 'retention' | 'upload_timeout',
  now: Date,
  deps: DeleteJobDeps,
): Promise<void> {
  const { applied } = await deps.store.changeJob(
    job.id,
    {
      set: {
        ...{ status: 'expired', expiredAt: now.toISOString(), expiredFor: reason, unsaid: true },
        wakeAt: now.toISOString(),
      },
      setPlus: { 'numbers.deletion': ['sequence', 1], sequence: ['sequence', 1] },
      remove: ['listKey', 'tagKey'],
    },
    { condition: { equal: { status: job.status }, absent: ['deletedAt'] } },
  )
  if (applied) await deleteJobData(job.id, deps)
}

/** Deletes files and records of a job that is marked as deleted or expired, and tells of it. */
export async function deleteJobData(
  jobId: string,
  { store, files, lifecycle, uploads, log }: DeleteJobDeps,
): Promise<void> {
  const found = await store.getState(jobId)
  if (!found) return
  const { job } = found
  const state = job.filesTold ? found : await lifecycle.endAllTasks(found)
  // Records go after this is stored: what was read before is whole, and all who erase tell the same.
  const current = await store.getJob(jobId)
  if (!current) return
  if (!current.filesTold) {
    const deletedFiles = filesOfJob(state)
    const awaited = state.tasks.flatMap(({ uploadId }) => uploadId ?? [])
    await uploads.forget([
      ...new Set([...deletedFiles.flatMap(({ key }) => uploadIdOf(key) ?? []), ...awaited]),
    ])
    // What an attempt stored that did not come to say so lies below the prefix too.
    await files.deleteAll(
      deletedFiles.map(({ key }) => key),
      jobPrefix(jobId),
    )
    const deletionEvents = deletedFiles.map((file, index) => fileDeletedEvent(state, file, index))
    const endEvents = mayHaveUnpublishedEnd(job) ? unpublishedEventsOfEndedJob(state) : []
    const expiryEvents = job.deletedAt ? [] : [expiredEvent(state, deletedFiles.length)]
    await lifecycle.publish([...endEvents, ...deletionEvents, ...expiryEvents])
    // From here on records go, and with them the list of files.
    await store.changeJob(jobId, { set: { filesTold: true } })
  }
  await store.deleteTasks(state)
  if (job.deletedAt) await store.deleteJob(jobId)
  else
    await store.writeTombstone(
      job,
      Math.floor(Date.parse(job.expiredAt ?? job.createdAt) / 1000) + tombstoneLifetimeS,
    )
  log.info({ jobId, reason: job.deletedAt ? 'request' : job.expiredFor }, 'job erased')
}

/** Whoever ended the job may be on the way to tell of it; the message that guards that finds no job any more. */
const mayHaveUnpublishedEnd = ({ endedAt, deletedAt }: Job) =>
  endedAt !== undefined &&
  deletedAt !== undefined &&
  Date.parse(deletedAt) - Date.parse(endedAt) <= queueVisibilityS * 1000

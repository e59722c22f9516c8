import { randomUUID } from 'node:crypto'
import type { Files } from '../aws/files.ts'
import type { Log } from '../log.ts'
import { getJobPrefix, isLiveStatus, type Job } from '../model/job.ts'
import { maxVisibilityTimeoutS } from '../resources/queues.ts'
import { parseUploadId, type Uploads } from '../uploads/uploads.ts'
import { createExpiredEvent, createFileDeletedEvent, findUnpublishedEventsOfEndedJob } from './events.ts'
import type { JobLifecycle } from './job-lifecycle.ts'
import { listJobFiles } from './job-state-machine.ts'
import type { JobStore } from './store.ts'

/** Deletes everything that a job has stored, on request or on expiry. The sweep finishes an interrupted deletion. */

export interface DeleteJobDeps {
  readonly store: JobStore
  readonly files: Files
  readonly lifecycle: JobLifecycle
  readonly uploads: Uploads
  readonly log: Log
}

/** How long an expired job is reported as gone instead of unknown. */
const tombstoneLifetimeS = 30 * 24 * 3600
const maxMarkAttempts = 10

/**
 * Hides the job and, if it has not ended, cancels it, in one write. Returns false if it is already marked or deleted.
 */
export async function markJobDeleted(job: Job, store: JobStore, wakeAt: string): Promise<boolean> {
  let currentJob: Job | undefined = job
  const deletedBy = randomUUID()
  for (let attempt = 1; currentJob && !currentJob.deletedAt && attempt <= maxMarkAttempts; attempt++) {
    const deletedAt = new Date().toISOString()
    const isLive = isLiveStatus(currentJob.status)
    const cancellation = { status: 'cancelled', cancelledBy: 'user', endedAt: deletedAt }
    const { applied, record } = await store.changeJob(
      job.id,
      {
        set: { deletedAt, deletedBy, unsaid: true, wakeAt, ...(isLive && cancellation) },
        setPlus: {
          ...(isLive && { 'numbers.ended': ['sequence', 1] as const }),
          'numbers.deletion': ['sequence', isLive ? 2 : 1],
          sequence: ['sequence', isLive ? 2 : 1],
        },
        remove: ['listKey', 'tagKey'],
      },
      {
        condition: { equal: { status: currentJob.status }, absent: ['deletedAt'] },
        writeMarker: { deletedBy },
      },
    )
    if (applied) return true
    currentJob = record
  }
  return false
}

/** Marks a job as expired and deletes its data. */
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
        status: 'expired',
        expiredAt: now.toISOString(),
        expiredFor: reason,
        unsaid: true,
        wakeAt: now.toISOString(),
      },
      setPlus: { 'numbers.deletion': ['sequence', 1], sequence: ['sequence', 1] },
      remove: ['listKey', 'tagKey'],
    },
    { condition: { equal: { status: job.status }, absent: ['deletedAt'] } },
  )
  if (applied) await deleteJobData(job.id, deps)
}

/** Deletes the files and records of a job that is marked as deleted or expired, and publishes the deletion. */
export async function deleteJobData(jobId: string, deps: DeleteJobDeps): Promise<void> {
  const { store, files, lifecycle, uploads, log } = deps
  const foundState = await store.getState(jobId)
  if (!foundState) return
  const { job } = foundState
  const state = job.filesTold ? foundState : await lifecycle.endAllTasks(foundState)
  // Before `filesTold` is stored, no records are deleted, so that a repeated deletion publishes the same events.
  const currentJob = await store.getJob(jobId)
  if (!currentJob) return
  if (!currentJob.filesTold) {
    const deletedFiles = listJobFiles(state)
    const awaitedUploadIds = state.tasks.flatMap(({ uploadId }) => uploadId ?? [])
    const uploadIds = [
      ...new Set([...deletedFiles.flatMap(({ key }) => parseUploadId(key) ?? []), ...awaitedUploadIds]),
    ]
    const uploadRecords = await Promise.all(uploadIds.map((id) => uploads.get(id)))
    await uploads.delete(uploadIds)
    // The prefix also covers files of attempts that died before recording them. The keys of uploads are outside of the
    // prefix, and an upload may have a newer key, because the client sent it again.
    await files.deleteAll(
      [...deletedFiles, ...uploadRecords].flatMap((file) => file?.key ?? []),
      getJobPrefix(jobId),
    )
    const deletionEvents = deletedFiles.map((file, index) => createFileDeletedEvent(state, file, index))
    const endEvents = mayHaveUnpublishedEnd(job) ? findUnpublishedEventsOfEndedJob(state) : []
    const expiryEvents = job.deletedAt ? [] : [createExpiredEvent(state, deletedFiles.length)]
    await lifecycle.publish([...endEvents, ...deletionEvents, ...expiryEvents])
    if (job.zipJob !== undefined) await deleteZipJob(job.zipJob, deps)
    // From now on, the records, which list the files, may be deleted.
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

/** Deletes the ZIP of the results, which has a job of its own. */
async function deleteZipJob(jobId: string, deps: DeleteJobDeps): Promise<void> {
  const zipJob = await deps.store.getJob(jobId)
  if (!zipJob) return
  await markJobDeleted(zipJob, deps.store, new Date().toISOString())
  await deleteJobData(jobId, deps)
}

/**
 * Whether the end of the job may be unpublished. The process that ended the job may have died before publishing it, and
 * a redelivered message would no longer find the job.
 */
const mayHaveUnpublishedEnd = ({ endedAt, deletedAt }: Job) =>
  endedAt !== undefined &&
  deletedAt !== undefined &&
  Date.parse(deletedAt) - Date.parse(endedAt) <= maxVisibilityTimeoutS * 1000

import { randomUUID } from 'node:crypto'
import type { Files } from '../aws/files.ts'
import type { Log } from '../log.ts'
import { queueVisibilityS } from '../resources/queues.ts'
import { type Uploads, uploadIdOf } from '../uploads.ts'
import { expired, fileDeleted, untold } from './events.ts'
import { isLive, type Job, jobPrefix } from './job.ts'
import type { Course } from './job-lifecycle.ts'
import { filesOfJob } from './job-state-machine.ts'
import type { JobStore } from './store.ts'

/** The end of all that a job has stored, by request or by the clock. Begun once, it is finished by the sweep if need be. */

export interface Erasing {
  readonly store: JobStore
  readonly files: Files
  readonly course: Course
  readonly uploads: Uploads
  readonly log: Log
}

/** Seconds that the record of an expired job answers "gone" instead of "unknown". */
const tombstoneS = 30 * 24 * 3600
const attempts = 10

/** From now on nobody sees the job; a live one is cancelled by the same write. False when it is marked or gone already. */
export async function markDeleted(job: Job, store: JobStore, wakeAt: string): Promise<boolean> {
  let known: Job | undefined = job
  const deletedBy = randomUUID()
  for (let attempt = 1; known && !known.deletedAt && attempt <= attempts; attempt++) {
    const deletedAt = new Date().toISOString()
    const live = isLive(known.status)
    const cancel = { status: 'cancelled', cancelledBy: 'user', endedAt: deletedAt }
    const { applied, record } = await store.changeJob(
      job.id,
      {
        set: { deletedAt, deletedBy, unsaid: true, wakeAt, ...(live && cancel) },
        setPlus: {
          ...(live && { 'numbers.ended': ['sequence', 1] as const }),
          'numbers.deletion': ['sequence', live ? 2 : 1],
          sequence: ['sequence', live ? 2 : 1],
        },
        remove: ['listKey', 'tagKey'],
      },
      { condition: { equal: { status: known.status }, absent: ['deletedAt'] }, mark: { deletedBy } },
    )
    if (applied) return true
    known = record
  }
  return false
}

/** The time of a job is over. */
export async function expireJob(
  job: Job,
  reason: 'retention' | 'upload_timeout',
  now: Date,
  erasing: Erasing,
): Promise<void> {
  const { applied } = await erasing.store.changeJob(
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
  if (applied) await eraseJob(job.id, erasing)
}

/** Deletes files and records of a job that is marked as deleted or expired, and tells of it. */
export async function eraseJob(
  jobId: string,
  { store, files, course, uploads, log }: Erasing,
): Promise<void> {
  const found = await store.whole(jobId)
  if (!found) return
  const { job } = found
  const state = job.filesTold ? found : await course.allOver(found)
  // Records go after this is stored: what was read before is whole, and all who erase tell the same.
  const current = await store.job(jobId)
  if (!current) return
  if (!current.filesTold) {
    const gone = filesOfJob(state)
    const awaited = state.tasks.flatMap(({ uploadId }) => uploadId ?? [])
    await uploads.forget([...new Set([...gone.flatMap(({ key }) => uploadIdOf(key) ?? []), ...awaited])])
    // What an attempt stored that did not come to say so lies below the prefix too.
    await files.deleteAll(
      gone.map(({ key }) => key),
      jobPrefix(jobId),
    )
    const told = gone.map((file, at) => fileDeleted(state, file, at))
    const end = mayBeUntold(job) ? untold(state) : []
    const last = job.deletedAt ? [] : [expired(state, gone.length)]
    await course.publish([...end, ...told, ...last])
    // From here on records go, and with them the list of files.
    await store.changeJob(jobId, { set: { filesTold: true } })
  }
  await store.deleteTasks(state)
  if (job.deletedAt) await store.deleteJob(jobId)
  else await store.bury(job, Math.floor(Date.parse(job.expiredAt ?? job.createdAt) / 1000) + tombstoneS)
  log.info({ jobId, reason: job.deletedAt ? 'request' : job.expiredFor }, 'job erased')
}

/** Whoever ended the job may be on the way to tell of it; the message that guards that finds no job any more. */
const mayBeUntold = ({ endedAt, deletedAt }: Job) =>
  endedAt !== undefined &&
  deletedAt !== undefined &&
  Date.parse(deletedAt) - Date.parse(endedAt) <= queueVisibilityS * 1000

import * as z from 'zod'
import { isAccount } from '../access/accounts.ts'
import type { Principal } from '../access/principal.ts'
import { AppError } from '../errors.ts'
import { idPattern, namedId } from '../ids.ts'
import { isTerminalStatus, type Job, type JobState } from '../jobs/job.ts'
import { needsTaskRecords, retryAfterS } from '../jobs/view.ts'
import type { Services } from '../services.ts'
import type { HttpRequest } from './contract.ts'

/** What the endpoints of one job share: finding it, who may change it, waiting for its end. */

export const JobParams = z.object({ jobId: z.string().describe('Id of the job, `job_…`') })

export function jobNotFound(jobId: string): AppError {
  return new AppError('JOB_NOT_FOUND', `There is no job ${namedId(jobId)}; it may have been deleted.`, {
    jobId,
  })
}

/**
 * The id of a job lets anybody see it who has no account to belong to; jobs of accounts are there for these alone.
 * @throws AppError JOB_NOT_FOUND; of an expired job the details tell when.
 */
export function requireVisibleJob(job: Job | undefined, jobId: string, reader: JobReader): Job {
  if (!job || job.deletedAt || !canRead(job, reader)) throw jobNotFound(jobId)
  if (job.status !== 'expired') return job
  throw new AppError(
    'JOB_NOT_FOUND',
    `The job ${jobId} expired at ${job.expiredAt}; its files are deleted.`,
    {
      jobId,
      reason: 'expired',
      expiredAt: job.expiredAt,
    },
  )
}

/** Who asks for a job. */
export type JobReader = Pick<Principal, 'ownerId' | 'keyId' | 'earlierKeyIds' | 'isPublic'>

export const canRead = (job: Job, reader: JobReader) =>
  !isAccount(job.owner) || (job.owner === reader.ownerId && isVisibleToKey(job, reader))

/** A key that stands in a web page sees of its account what was made by itself, or by those that it took the place of. */
export const isVisibleToKey = ({ keyId }: Job, reader: Omit<JobReader, 'ownerId'>) =>
  !reader.isPublic || (keyId !== undefined && [reader.keyId, ...(reader.earlierKeyIds ?? [])].includes(keyId))

/** A job that an earlier try of the same request has made; see `Idempotency`. */
export async function findEarlierJob(jobId: string, { jobs }: Services): Promise<JobState | undefined> {
  const state = await jobs.store.getState(jobId)
  if (state) requireVisibleJob(state.job, jobId, { ownerId: state.job.owner })
  return state
}

/** Ids that cannot exist do not reach the table. */
export function requireJobId(jobId: string): string {
  if (!idPattern('job').test(jobId)) throw jobNotFound(jobId)
  return jobId
}

/** The id alone lets anybody see a job; to change it one must be its owner. */
export function requireOwner(job: Job, principal: Principal): void {
  if (!canRead(job, principal)) throw jobNotFound(job.id)
  if (job.owner === principal.ownerId) return
  throw new AppError(
    'INSUFFICIENT_PERMISSIONS',
    'This job belongs to another identity. Send the X-Owner-Token (or the cookie) that came with the reply that created it.',
    { jobId: job.id },
  )
}

/** A gateway gives a function 30 s. */
const maxWaitS = 25

/** Seconds in which an answer is surely made and sent. */
const replyMarginS = 2

/**
 * Seconds of `Prefer: wait=N` (RFC 7240), at most 25 and no more than storing a large upload has left of the
 * function's time; undefined when the client does not ask to wait.
 */
export function preferredWaitS({
  headers,
  remainingMs,
}: Pick<HttpRequest<unknown, unknown, unknown>, 'headers' | 'remainingMs'>): number | undefined {
  const seconds = /(?:^|[,;\s])wait=(\d{1,6})/i.exec(headers.prefer ?? '')?.[1]
  if (seconds === undefined) return undefined
  const leftS = Math.max(0, Math.floor(remainingMs() / 1000) - replyMarginS)
  return Math.min(Number(seconds), maxWaitS, leftS)
}

/** The job when it is over or the time is up, whichever comes first; `made` is one that this request has made. */
export function waitUntilFinished(
  { jobs }: Services,
  jobId: string,
  seconds: number,
  made?: Job,
): Promise<Job | undefined> {
  return jobs.waitFor(jobId, seconds * 1000, (job) => isTerminalStatus(job.status), made)
}

/** A job with as much of its tasks as its view needs. */
export async function loadViewState(job: Job, { jobs }: Services): Promise<JobState> {
  const whole = needsTaskRecords(job) ? await jobs.store.getState(job.id) : undefined
  return whole ?? { job, fixed: job.fixed ?? [], tasks: [], chunks: [] }
}

export function jobHeaders(job: Job, waitedS: number | undefined): Record<string, string> {
  const seconds = retryAfterS(job)
  return {
    ...(seconds !== undefined && { 'retry-after': String(seconds) }),
    ...(waitedS !== undefined && { 'preference-applied': `wait=${waitedS}` }),
  }
}

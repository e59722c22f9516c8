import { createJobNotFoundError, grantWaitS, waitUntilFinished } from '../access/job-access.ts'
import { startPacking } from '../conversion/start-packing.ts'
import { AppError } from '../errors.ts'
import { newId } from '../ids.ts'
import { resultsZip } from '../jobs/results-zip.ts'
import { isLiveStatus, type Job, type StoredFile } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { findResult } from './job-files.ts'

interface ZipRequest {
  readonly requestId: string
  readonly remainingMs: () => number
}

/** Waits for all the time that is left for the request, because 60 s is longer than API Gateway allows. */
const waitHeaders = { prefer: 'wait=60' }
/** Value of `Retry-After`, in seconds, if too many requests are waiting. */
const retryAfterS = 5

/**
 * Returns the ZIP of all results of a batch. The first request starts the job that packs it, and all requests wait for
 * that job.
 * @returns undefined while the ZIP is being packed.
 * @throws AppError of the packing job; RATE_LIMITED if too many requests wait.
 */
export async function findOrPackZip(
  job: Job,
  { requestId, remainingMs }: ZipRequest,
  services: Services,
): Promise<StoredFile | undefined> {
  const zipJob = await findOrStartZipJob(job, requestId, services)
  const waitS = await grantWaitS({ headers: waitHeaders, remainingMs }, 'watch', services, zipJob)
  if (waitS === undefined)
    throw new AppError(
      'RATE_LIMITED',
      'Too many requests are waiting for results. Try again in a few seconds.',
      {
        retryAfter: retryAfterS,
      },
    )
  const currentJob = await waitUntilFinished(services, zipJob.id, waitS, zipJob)
  if (!currentJob) throw createJobNotFoundError(job.id)
  if (isLiveStatus(currentJob.status)) return undefined
  const { error } = currentJob
  if (error)
    throw new AppError(error.code, `The results could not be packed: ${error.message}`, error.details)
  const file = await findResult(currentJob, {}, services)
  return file === 'zip' ? undefined : file
}

/**
 * Finds or starts the packing job. If a start was interrupted, repeating it creates the same job; a job that failed or
 * lost its file is replaced.
 */
async function findOrStartZipJob(job: Job, requestId: string, services: Services): Promise<Job> {
  const { store } = services.jobs
  const knownJob = job.zipJob === undefined ? undefined : await store.getJob(job.zipJob)
  if (knownJob && isUsable(knownJob)) return knownJob
  // If the claimed id has no job, the request that claimed it was interrupted, or has not created the job yet.
  const jobId = knownJob || job.zipJob === undefined ? await claimZipJob(job, services) : job.zipJob
  const claimedJob = jobId === job.zipJob ? undefined : await store.getJob(jobId)
  if (claimedJob) return claimedJob
  // The ZIP expires with the batch, because it must not outlive the results.
  const expiresInS = Math.max(1, Math.ceil((Date.parse(job.expiresAt) - Date.now()) / 1000))
  const sender = { owner: job.owner, keyId: job.keyId, requestId, jobId, expiresInS }
  const fields = { jobIds: [job.id], filename: resultsZip.filename, manifest: true }
  return (await startPacking(sender, fields, services)).job
}

const isUsable = ({ status, deletedAt }: Job) =>
  deletedAt === undefined && (isLiveStatus(status) || status === 'completed')

/**
 * Stores the id of the packing job in the batch. If requests are concurrent, one of them stores its id, and all of them
 * use this id.
 */
async function claimZipJob({ id, zipJob }: Job, { jobs }: Services): Promise<string> {
  const newZipJobId = newId('job')
  const { record } = await jobs.store.changeJob(
    id,
    { set: { zipJob: newZipJobId } },
    {
      condition: {
        absent: ['deletedAt', ...(zipJob === undefined ? ['zipJob'] : [])],
        ...(zipJob !== undefined && { equal: { zipJob } }),
      },
    },
  )
  if (!record?.zipJob || record.deletedAt) throw createJobNotFoundError(id)
  return record.zipJob
}

import * as z from 'zod'
import { canRead, createJobNotFoundError, requireJobId } from '../access/job-access.ts'
import type { JobReader } from '../accounts/visible-to-key.ts'
import { AppError } from '../errors.ts'
import type { JobState } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { text } from '../validation/maxima.ts'

/** Reads the ids of the jobs whose results a request uses, and loads such jobs. The number of jobs is limited. */

const maxJobs = 100

export const createJobIdFields = (jobIdsDescription: string) => ({
  jobIds: z.array(text('id')).min(1).max(maxJobs).optional().describe(jobIdsDescription),
  jobId: text('id').optional().describe('One job, instead of `jobIds`'),
})

interface JobSelection {
  readonly jobIds?: readonly string[] | undefined
  readonly jobId?: string | undefined
}

/**
 * Returns the ids of the requested jobs, without duplicates.
 * @param fieldsOfOneJob the given fields that select files of one job.
 * @throws AppError INVALID_REQUEST, INVALID_INPUT
 */
export function parseJobIds(
  { jobIds, jobId }: JobSelection,
  fieldsOfOneJob: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (jobIds === undefined && jobId === undefined)
    throw new AppError('INVALID_REQUEST', 'jobIds: expected jobIds or jobId, got neither.', {
      field: 'jobIds',
    })
  if (jobIds !== undefined && jobId !== undefined)
    throw new AppError('INVALID_INPUT', 'jobIds: expected either jobIds or jobId, got both.', {
      field: 'jobIds',
    })
  const field = Object.keys(fieldsOfOneJob).find((name) => fieldsOfOneJob[name] !== undefined)
  if (field !== undefined && jobIds)
    throw new AppError('INVALID_INPUT', `${field}: only allowed with jobId, not with jobIds.`, { field })
  return [...new Set(jobIds ?? [jobId ?? ''])]
}

/** Loads a job of the client. @throws AppError JOB_NOT_FOUND for a deleted job, and for a job of another owner. */
export async function loadOwnJob(jobId: string, reader: JobReader, { jobs }: Services): Promise<JobState> {
  const state = await jobs.store.getState(requireJobId(jobId))
  if (!state || state.job.deletedAt || state.job.owner !== reader.ownerId || !canRead(state.job, reader))
    throw createJobNotFoundError(jobId)
  return state
}

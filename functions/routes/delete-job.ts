import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { isTerminal } from '../../lib/jobs/job.ts'
import { checkedJobId, JobParams, jobNotFound, requireOwner } from './job-access.ts'

export const deleteJob = contract({
  method: 'DELETE',
  path: '/v1/jobs/:jobId',
  tag: 'Jobs',
  summary: 'Delete a job and its files at once',
  description: 'A job that still runs is cancelled first. Only the owner may delete.',
  params: JobParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['JOB_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  handle: async ({ params, owner }, services) => {
    const jobId = checkedJobId(params.jobId)
    const found = await services.jobs.store.whole(jobId)
    if (!found) throw jobNotFound(jobId)
    requireOwner(found.job, owner)
    const cancelled = isTerminal(found.job.status) ? undefined : await services.jobs.cancel(jobId, 'user')
    await services.jobs.delete(cancelled ?? (await services.jobs.store.whole(jobId)) ?? found)
    return { data: null }
  },
})

import * as z from 'zod'
import { createJobNotFoundError, JobParams, requireJobId, requireOwner } from '../../lib/access/job-access.ts'
import { contract } from '../../lib/http/contract.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import { writeAccess } from '../../lib/model/principal.ts'

export const deleteJob = contract({
  method: 'DELETE',
  path: '/v1/jobs/:jobId',
  access: writeAccess,
  tag: 'Jobs',
  summary: 'Delete a job and its files',
  description: 'A running job is cancelled first. Only the owner may delete a job.',
  params: JobParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['JOB_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS'],
  handle: async ({ params, principal }, services) => {
    const jobId = requireJobId(params.jobId)
    const job = await services.jobs.store.getJob(jobId)
    if (!job || job.deletedAt) throw createJobNotFoundError(jobId)
    requireOwner(job, principal)
    if (!(await services.jobs.delete(jobId))) throw createJobNotFoundError(jobId)
    // Workers that finish later can no longer find the owner, so release the owner's slots here.
    await new ConcurrencySlots(services).release(job)
    return { data: null }
  },
})

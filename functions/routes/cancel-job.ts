import { JobParams, requireJobId, requireOwner, requireVisibleJob } from '../../lib/access/job-access.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { JobView, toJobView } from '../../lib/jobs/view.ts'
import { writeAccess } from '../../lib/model/principal.ts'

export const cancelJob = contract({
  method: 'POST',
  path: '/v1/jobs/:jobId/cancel',
  access: writeAccess,
  tag: 'Jobs',
  summary: 'Cancel a job',
  description: 'Running engines are stopped within seconds. Only the owner may cancel a job.',
  params: JobParams,
  reply: { status: 200, schema: JobView, form: 'mirrored' },
  errors: ['JOB_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS', 'CONFLICT'],
  handle: async ({ params, principal }, services) => {
    const jobId = requireJobId(params.jobId)
    const job = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
    requireOwner(job, principal)
    const cancelledJob = await services.jobs.cancel(jobId, 'user')
    if (!cancelledJob) {
      const { status } = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
      throw new AppError(
        'CONFLICT',
        `The job is already ${status}. Only an unfinished job can be cancelled.`,
        { status },
      )
    }
    return { data: toJobView(cancelledJob, services.resultLink) }
  },
})

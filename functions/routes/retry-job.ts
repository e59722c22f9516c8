import { retriedJob } from '../../lib/conversion/retry.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { conversionErrors, waited } from '../../lib/http/conversion-request.ts'
import { checkedJobId, JobParams, jobNotFound, knownJob, requireOwner } from '../../lib/http/job-access.ts'
import { isLive } from '../../lib/jobs/job.ts'
import { JobView, jobView } from '../../lib/jobs/view.ts'

export const retryJob = contract({
  method: 'POST',
  path: '/v1/jobs/:jobId/retry',
  tag: 'Jobs',
  summary: 'Do a job again',
  description:
    'A new job with the same files, tasks and options; its `retryOf` names the old one, which stays as it is. Only the owner may ask, and only as long as the files are kept.',
  params: JobParams,
  reply: { status: 202, schema: JobView, form: 'mirrored' },
  errors: [...conversionErrors, 'JOB_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS', 'FILE_GONE'],
  handle: async (request, services) => {
    const { params, owner, requestId } = request
    const jobId = checkedJobId(params.jobId)
    const state = await services.jobs.store.whole(jobId)
    if (!state) throw jobNotFound(jobId)
    requireOwner(state.job, owner)
    if (state.job.status === 'expired') throw filesGone(jobId)
    knownJob(state.job, jobId)
    if (isLive(state.job.status)) {
      const { status } = state.job
      throw new AppError('CONFLICT', `The job is ${status}; only a job that is over can be done again.`, {
        status,
      })
    }
    const { job, discard } = await retriedJob(state, services)
    try {
      const created = await startJob(
        { ...job, owner: owner.id, requestId, jobId: request.newJobId(), retryOf: jobId },
        services,
      )
      const { state: now, ...answer } = await waited(created, request, services)
      const whole = now === created ? created : ((await services.jobs.store.whole(now.job.id)) ?? now)
      return { ...answer, data: jobView(whole, services.config.PUBLIC_URL ?? '') }
    } finally {
      await discard()
    }
  },
})

const filesGone = (jobId: string) =>
  new AppError('FILE_GONE', `The files of ${jobId} were deleted when its retention ended. Send them again.`, {
    jobId,
  })

import {
  createJobHeaders,
  createJobNotFoundError,
  grantWaitS,
  JobParams,
  requireJobId,
  requireVisibleJob,
  waitUntilFinished,
} from '../../lib/access/job-access.ts'
import { contract } from '../../lib/http/contract.ts'
import { JobView, toJobView } from '../../lib/jobs/view.ts'
import { readAccess } from '../../lib/model/principal.ts'

export const getJob = contract({
  method: 'GET',
  path: '/v1/jobs/:jobId',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Get a job with all its tasks',
  description:
    'With `Prefer: wait=25` the reply is sent when the job has finished, but after 25 seconds at the latest.',
  params: JobParams,
  reply: {
    status: 200,
    headers: ['retry-after', 'preference-applied'],
    schema: JobView,
    form: 'mirrored',
    etag: true,
  },
  errors: ['JOB_NOT_FOUND'],
  handle: async ({ params, principal, ...request }, services) => {
    const jobId = requireJobId(params.jobId)
    let waitS: number | undefined
    if (request.headers.prefer !== undefined) {
      const foundJob = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
      waitS = await grantWaitS(request, 'watch', services, foundJob)
      if (waitS !== undefined) await waitUntilFinished(services, jobId, waitS, foundJob)
    }
    const state = await services.jobs.store.getState(jobId)
    if (!state) throw createJobNotFoundError(jobId)
    const job = requireVisibleJob(state.job, jobId, principal)
    return {
      data: toJobView(state, services.resultLink),
      headers: createJobHeaders(job, waitS),
    }
  },
})

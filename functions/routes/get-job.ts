import { read } from '../../lib/access/principal.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  checkedJobId,
  JobParams,
  jobHeaders,
  jobNotFound,
  knownJob,
  waitForEnd,
  waitOf,
} from '../../lib/http/job-access.ts'
import { JobView, jobView } from '../../lib/jobs/view.ts'

export const getJob = contract({
  method: 'GET',
  path: '/v1/jobs/:jobId',
  access: read,
  tag: 'Jobs',
  summary: 'See a job with all its tasks',
  description:
    'With `Prefer: wait=25` the reply comes when the job is over, at the latest after that many seconds.',
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
    const jobId = checkedJobId(params.jobId)
    const waitS = waitOf(request)
    if (waitS !== undefined) {
      const found = knownJob(await services.jobs.store.job(jobId), jobId, principal)
      await waitForEnd(services, jobId, waitS, found)
    }
    const state = await services.jobs.store.whole(jobId)
    if (!state) throw jobNotFound(jobId)
    const job = knownJob(state.job, jobId, principal)
    return {
      data: jobView(state, services.resultLink),
      headers: jobHeaders(job, waitS),
    }
  },
})

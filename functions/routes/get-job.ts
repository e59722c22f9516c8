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
  reply: { status: 200, schema: JobView, form: 'mirrored', etag: true },
  errors: ['JOB_NOT_FOUND'],
  handle: async ({ params, ...request }, services) => {
    const jobId = checkedJobId(params.jobId)
    const waitS = waitOf(request)
    if (waitS !== undefined) await waitForEnd(services, jobId, waitS)
    const state = await services.jobs.store.whole(jobId)
    if (!state) throw jobNotFound(jobId)
    const job = knownJob(state.job, jobId)
    return {
      data: jobView(state, services.config.PUBLIC_URL ?? ''),
      headers: jobHeaders(job, waitS),
    }
  },
})

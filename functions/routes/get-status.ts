import {
  createJobHeaders,
  grantWaitS,
  JobParams,
  loadViewState,
  requireJobId,
  requireVisibleJob,
  waitUntilFinished,
} from '../../lib/access/job-access.ts'
import { contract } from '../../lib/http/contract.ts'
import { StatusView, toStatusView } from '../../lib/jobs/view.ts'
import { readAccess } from '../../lib/model/principal.ts'

export const getStatus = contract({
  method: 'GET',
  path: '/v1/status/:jobId',
  access: readAccess,
  tag: 'Jobs',
  summary: 'Get the status of a job',
  description:
    'With `Prefer: wait=25` the reply is sent when the job has finished, but after 25 seconds at the latest, or immediately if too many clients are waiting.',
  params: JobParams,
  reply: {
    status: 200,
    headers: ['retry-after', 'preference-applied'],
    schema: StatusView,
    form: 'mirrored',
    etag: true,
  },
  errors: ['JOB_NOT_FOUND'],
  handle: async ({ params, principal, ...request }, services) => {
    const jobId = requireJobId(params.jobId)
    const foundJob = requireVisibleJob(await services.jobs.store.getJob(jobId), jobId, principal)
    const waitS = await grantWaitS(request, 'watch', services, foundJob)
    const jobAfterWait =
      waitS === undefined ? foundJob : await waitUntilFinished(services, jobId, waitS, foundJob)
    const job = requireVisibleJob(jobAfterWait, jobId, principal)
    const state = await loadViewState(job, services)
    return { data: toStatusView(state, services.resultLink), headers: createJobHeaders(job, waitS) }
  },
})

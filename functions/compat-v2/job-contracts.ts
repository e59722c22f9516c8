import * as z from 'zod'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { readAccess, writeAccess } from '../../lib/model/principal.ts'
import { text } from '../../lib/validation/maxima.ts'
import { deleteJob } from '../routes/delete-job.ts'
import {
  callEndpoint,
  compatDefaults,
  dataReply,
  emptyReply,
  fetchJobView,
  getPublicUrl,
  isUnfinished,
  maxWaitS,
  redirectTo,
  waitReply,
} from './call-endpoint.ts'
import { JobBody } from './job-request.ts'
import { toCompatJobView } from './job-view.ts'
import { startCompatJob } from './start-job.ts'

const JobParams = z.object({ jobId: text('id') })

const startJob = contract({
  ...compatDefaults,
  method: 'POST',
  path: '/v2/jobs',
  access: writeAccess,
  summary: 'Run tasks',
  body: { accepts: ['json'], schema: JobBody },
  reply: { status: 201, ...dataReply },
  idempotent: true,
  createsWork: true,
  handle: async (request, services) => {
    const job = await startCompatJob(request.body, request, services)
    return { data: { data: toCompatJobView(job, getPublicUrl(services)) } }
  },
})

const showJob = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/jobs/:jobId',
  access: readAccess,
  summary: 'See a job',
  params: JobParams,
  reply: { status: 200, ...dataReply },
  handle: async (request, services) => ({
    data: {
      data: toCompatJobView(
        await fetchJobView(request.params.jobId, request, services),
        getPublicUrl(services),
      ),
    },
  }),
})

/** Endpoints that wait for a job: one at the current path, one at the path that older SDKs use. */
const waitForJobContracts = ['/sync/v2/jobs/:jobId', '/v2/jobs/:jobId/wait'].map((path) =>
  contract({
    ...compatDefaults,
    method: 'GET',
    path,
    access: readAccess,
    summary: 'Wait for a job',
    params: JobParams,
    reply: { status: 200, ...waitReply, ...dataReply },
    handle: async (request, services) => {
      const { jobId } = request.params
      const job = toCompatJobView(
        await fetchJobView(jobId, request, services, maxWaitS),
        getPublicUrl(services),
      )
      return {
        data: { data: job },
        ...(isUnfinished(job.status) && redirectTo(path.replace(':jobId', jobId))),
      }
    },
  }),
)

const removeJob = contract({
  ...compatDefaults,
  method: 'DELETE',
  path: '/v2/jobs/:jobId',
  access: writeAccess,
  summary: 'Delete a job',
  params: JobParams,
  reply: emptyReply,
  handle: async (request, services) => {
    await callEndpoint(deleteJob, request, {}, services)
    return { data: null }
  },
})

export const jobContracts: readonly AnyContract[] = [startJob, showJob, ...waitForJobContracts, removeJob]

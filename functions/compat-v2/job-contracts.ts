import * as z from 'zod'
import { readAccess, writeAccess } from '../../lib/access/principal.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { deleteJob } from '../routes/delete-job.ts'
import { again, ask, baseOf, common, data, gone, isLive, jobOf, mayWait, waitS } from './call-endpoint.ts'
import { JobBody } from './job-request.ts'
import { theirJob } from './job-view.ts'
import { startTheirJob } from './start-job.ts'

const JobParams = z.object({ jobId: z.string() })

const startJob = contract({
  ...common,
  method: 'POST',
  path: '/v2/jobs',
  access: writeAccess,
  summary: 'Run tasks',
  body: { accepts: ['json'], schema: JobBody },
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const job = await startTheirJob(request.body, request, services)
    return { data: { data: theirJob(job, baseOf(services)) } }
  },
})

const showJob = contract({
  ...common,
  method: 'GET',
  path: '/v2/jobs/:jobId',
  access: readAccess,
  summary: 'See a job',
  params: JobParams,
  reply: { status: 200, ...data },
  handle: async (request, services) => ({
    data: { data: theirJob(await jobOf(request.params.jobId, request, services), baseOf(services)) },
  }),
})

/** By the second address, or by a path that older SDKs know. */
const waitForJob = ['/sync/v2/jobs/:jobId', '/v2/jobs/:jobId/wait'].map((path) =>
  contract({
    ...common,
    method: 'GET',
    path,
    access: readAccess,
    summary: 'Wait for a job',
    params: JobParams,
    reply: { status: 200, ...mayWait, ...data },
    handle: async (request, services) => {
      const { jobId } = request.params
      const job = theirJob(await jobOf(jobId, request, services, waitS), baseOf(services))
      return { data: { data: job }, ...(isLive(job.status) && again(path.replace(':jobId', jobId))) }
    },
  }),
)

const removeJob = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/jobs/:jobId',
  access: writeAccess,
  summary: 'Delete a job',
  params: JobParams,
  reply: gone,
  handle: async (request, services) => {
    await ask(deleteJob, request, {}, services)
    return { data: null }
  },
})

export const jobContracts: readonly AnyContract[] = [startJob, showJob, ...waitForJob, removeJob]

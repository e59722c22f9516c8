import type * as z from 'zod'
import {
  createJobNotFoundError,
  JobParams,
  requireJobId,
  requireOwner,
  requireVisibleJob,
} from '../../lib/access/job-access.ts'
import { createRetryRequest } from '../../lib/conversion/retry.ts'
import { startJob } from '../../lib/conversion/start-job.ts'
import { AppError } from '../../lib/errors.ts'
import { contract, type HttpRequest } from '../../lib/http/contract.ts'
import {
  completedStatuses,
  conversionErrors,
  createdJobStatuses,
  waitForNewJob,
} from '../../lib/http/conversion-request.ts'
import { JobView, toJobView } from '../../lib/jobs/view.ts'
import { isLiveStatus, type JobState } from '../../lib/model/job.ts'
import { writeAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { getWebhookIdOfJob } from '../../lib/webhooks/webhook.ts'
import { Webhooks } from '../../lib/webhooks/webhooks.ts'

export const retryJob = contract({
  method: 'POST',
  path: '/v1/jobs/:jobId/retry',
  access: writeAccess,
  tag: 'Jobs',
  summary: 'Retry a job',
  description:
    'Creates a job with the same files, tasks and options. The old job does not change; its id is the `retryOf` of the new job. Only the owner may retry a job, and only as long as its files exist.',
  params: JobParams,
  reply: {
    ...createdJobStatuses,
    otherStatuses: completedStatuses,
    schema: JobView,
  },
  idempotent: true,
  createsWork: true,
  errors: [...conversionErrors, 'JOB_NOT_FOUND', 'INSUFFICIENT_PERMISSIONS', 'FILE_GONE'],
  handle: async (request, services) => {
    const createdState = (await request.findEarlierJob()) ?? (await start(request, services))
    const { state, ...answer } = await waitForNewJob(createdState, request, services)
    const fullState =
      state === createdState ? createdState : ((await services.jobs.store.getState(state.job.id)) ?? state)
    return { ...answer, data: toJobView(fullState, services.resultLink) }
  },
})

type Request = HttpRequest<z.infer<typeof JobParams>, unknown, unknown>

async function start(
  { params, principal, requestId, newJobId }: Request,
  services: Services,
): Promise<JobState> {
  const jobId = requireJobId(params.jobId)
  const state = await services.jobs.store.getState(jobId)
  if (!state) throw createJobNotFoundError(jobId)
  requireOwner(state.job, principal)
  if (state.job.status === 'expired') throw createFilesDeletedError(jobId)
  requireVisibleJob(state.job, jobId, principal)
  if (isLiveStatus(state.job.status)) {
    const { status } = state.job
    throw new AppError('CONFLICT', `The job is ${status}. Only a finished job can be retried.`, {
      status,
    })
  }
  const { job, discard } = await createRetryRequest(state, services)
  try {
    const { hasWebhook } = state.job
    const webhooks = new Webhooks(services)
    const webhook = hasWebhook && (await webhooks.store.find(getWebhookIdOfJob(jobId)))
    const overrides = {
      owner: principal.ownerId,
      keyId: principal.keyId,
      requestId,
      jobId: newJobId(),
      retryOf: jobId,
      webhookUrl: webhook ? webhooks.getUrl(webhook) : undefined,
    }
    const request = { ...job, ...overrides }
    return await startJob(request, services)
  } finally {
    await discard()
  }
}

const createFilesDeletedError = (jobId: string) =>
  new AppError(
    'FILE_GONE',
    `The files of ${jobId} were deleted at the end of its retention period. Send them again.`,
    {
      jobId,
    },
  )

import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import type { AnyContract, HttpRequest } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services/services.ts'
import { getJob } from '../routes/get-job.ts'
import { toCompatErrorBody, toCompatErrorStatus } from './errors.ts'
import { parseTaskId, toCompatJobView } from './job-view.ts'

/**
 * Code shared by the compatibility endpoints. Each of them calls one of the service's own endpoints and translates the
 * reply.
 */

export type Request = HttpRequest<unknown, unknown, unknown>

export const compatDefaults = {
  tag: 'Compatibility',
  errorFormat: { getStatus: toCompatErrorStatus, createBody: toCompatErrorBody },
} as const
export const dataReply = { schema: z.object({ data: z.unknown() }), form: 'raw' } as const
export const listReply = {
  status: 200,
  schema: z.looseObject({ data: z.array(z.unknown()) }),
  form: 'raw',
} as const
export const emptyReply = { status: 204, schema: z.null(), form: 'empty' } as const

export const getPublicUrl = ({ config }: Services) => config.PUBLIC_URL ?? ''

/**
 * How long one request may wait. Functions of the HTTP API time out after 29 s, so a client that waits longer is
 * redirected to wait again.
 */
export const maxWaitS = 25
export const isUnfinished = (status: string) => status === 'waiting' || status === 'processing'
export const redirectTo = (path: string) => ({ status: 307, headers: { location: path } })
export const waitReply = {
  otherStatuses: { 307: 'The job is still running: continue waiting at `Location`' },
}

/** Calls one of the service's own endpoints for the same client and returns the data of its reply. */
export async function callEndpoint<Data>(
  endpoint: { handle: AnyContract['handle'] },
  request: Request,
  requestOverrides: Partial<Request>,
  services: Services,
): Promise<Data> {
  const reply = await endpoint.handle({ ...request, headers: {}, ...requestOverrides }, services)
  return reply.data as Data // typed by the endpoint's contract
}

export const fetchJobView = (jobId: string, request: Request, services: Services, seconds?: number) =>
  callEndpoint<JobView>(
    getJob,
    request,
    { params: { jobId }, ...(seconds !== undefined && { headers: { prefer: `wait=${seconds}` } }) },
    services,
  )

/** @throws AppError NOT_FOUND */
export async function findTask(id: string, request: Request, services: Services, seconds?: number) {
  const { jobId, name } = parseTaskId(id)
  const job = await fetchJobView(jobId, request, services, seconds)
  const task = findCompatTask(job, name, services)
  if (!task) throw new AppError('NOT_FOUND', `There is no task ${id.slice(0, 100)}.`)
  return { job, name, task }
}

export const findCompatTask = (job: JobView, name: string, services: Services) =>
  toCompatJobView(job, getPublicUrl(services)).tasks.find((task) => task.name === name)

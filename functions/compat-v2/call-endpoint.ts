import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import type { AnyContract, HttpRequest } from '../../lib/http/contract.ts'
import type { JobView } from '../../lib/jobs/view.ts'
import type { Services } from '../../lib/services.ts'
import { getJob } from '../routes/get-job.ts'
import { facadeFailure, facadeStatus } from './errors.ts'
import { taskOf, theirJob } from './job-view.ts'

/** What the endpoints here have in common: each asks one of ours, and says its answer in other words. */

export type Request = HttpRequest<unknown, unknown, unknown>

export const common = {
  tag: 'Facade',
  errorFormat: { statusOf: facadeStatus, bodyOf: facadeFailure },
} as const
export const data = { schema: z.object({ data: z.unknown() }), form: 'raw' } as const
export const listed = {
  status: 200,
  schema: z.looseObject({ data: z.array(z.unknown()) }),
  form: 'raw',
} as const
export const gone = { status: 204, schema: z.null(), form: 'empty' } as const

export const baseOf = ({ config }: Services) => config.PUBLIC_URL ?? ''

/** A gateway gives a function 30 s: whoever waits longer is sent here again. */
export const waitS = 25
export const isLive = (status: string) => status === 'waiting' || status === 'processing'
export const again = (path: string) => ({ status: 307, headers: { location: path } })
export const mayWait = { otherStatuses: { 307: 'It goes on waiting there.' } }

/** Our endpoint's answer to the same client. */
export async function ask<Data>(
  asked: { handle: AnyContract['handle'] },
  request: Request,
  given: Partial<Request>,
  services: Services,
): Promise<Data> {
  const reply = await asked.handle({ ...request, headers: {}, ...given }, services)
  return reply.data as Data // by the schema of its contract
}

export const jobOf = (jobId: string, request: Request, services: Services, seconds?: number) =>
  ask<JobView>(
    getJob,
    request,
    { params: { jobId }, ...(seconds !== undefined && { headers: { prefer: `wait=${seconds}` } }) },
    services,
  )

/** @throws AppError NOT_FOUND */
export async function foundTask(id: string, request: Request, services: Services, seconds?: number) {
  const { jobId, name } = taskOf(id)
  const job = await jobOf(jobId, request, services, seconds)
  const task = taskIn(job, name, services)
  if (!task) throw new AppError('NOT_FOUND', `There is no task ${id.slice(0, 100)}.`)
  return { job, name, task }
}

export const taskIn = (job: JobView, name: string, services: Services) =>
  theirJob(job, baseOf(services)).tasks.find((task) => task.name === name)

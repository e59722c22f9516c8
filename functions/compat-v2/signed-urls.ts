import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { principalOf } from '../../lib/access/api-key-auth.ts'
import { ApiKeys } from '../../lib/access/api-keys.ts'
import { authorize } from '../../lib/access/authorize.ts'
import { openAccess, type Principal, writeAccess } from '../../lib/access/principal.ts'
import { countRequest, rateLimitError } from '../../lib/access/rate-limiter.ts'
import { AppError } from '../../lib/errors.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { jobNotFound, requireJobId } from '../../lib/http/job-access.ts'
import { signQuery, verifySignature } from '../../lib/http/signed-download.ts'
import { newId } from '../../lib/ids.ts'
import type { Job } from '../../lib/jobs/job.ts'
import { parseWith } from '../../lib/parse-input.ts'
import type { Services } from '../../lib/services.ts'
import { baseOf, common, data, isLive, jobOf, type Request, waitS } from './call-endpoint.ts'
import { JobBody } from './job-request.ts'
import { theirJob } from './job-view.ts'
import { onceADay } from './reuse-job.ts'
import { startTheirJob } from './start-job.ts'
import { isSigned, jobIn, pathOfBase, secretOf, signedText } from './url-signature.ts'

const redirects = { status: 302, schema: z.null(), form: 'empty' } as const
/** The next visitor is somebody else. */
const lead = (location: string) => ({ data: null, headers: { location, 'cache-control': 'no-store' } })

/** Theirs stand on a page of their dashboard. */
const showBase = contract({
  ...common,
  method: 'GET',
  path: '/v2/signed-urls',
  access: writeAccess,
  summary: 'See base and secret for signed URLs',
  description: 'They belong to the API key that asks, and hold as long as it does.',
  reply: { status: 200, ...data },
  handle: ({ principal: { keyId, kind, isPublic } }, services) => {
    if (kind !== 'key' || keyId === undefined || isPublic)
      throw new AppError(
        'AUTHENTICATION_REQUIRED',
        'Signed URLs belong to a secret API key. Send it as Authorization: Bearer sk_…',
      )
    const signing_secret = secretOf(keyId, services.keys.signedUrls)
    return { data: { data: { base: `${baseOf(services)}${pathOfBase}${keyId}`, signing_secret } } }
  },
})

const startSigned = contract({
  ...common,
  method: 'GET',
  path: `${pathOfBase}:keyId`,
  access: openAccess,
  summary: 'Run the tasks that a signed URL carries, and get their file',
  params: z.object({ keyId: z.string() }),
  query: z.looseObject({
    job: z.string().min(1),
    cache_key: z
      .string()
      .regex(/^[\w-]{1,200}$/, 'expected letters, digits, - and _')
      .optional(),
    s: z.string(),
  }),
  reply: redirects,
  handle: async (request, services) => {
    const { params, query } = request
    const text = signedText(`${baseOf(services)}${pathOfBase}${params.keyId}`, query)
    if (!isSigned(text, query.s, secretOf(params.keyId, services.keys.signedUrls)))
      throw new AppError(
        'INVALID_SIGNATURE',
        's: the signature does not fit this URL. Sign all of it up to &s with the secret of its base.',
        { field: 's' },
      )
    const body = exporting(parseWith(JobBody, jobIn(query), 'job'))
    const begin = async (jobId: string) => {
      const principal = await signer(params.keyId, request, services)
      const given = { ...request, principal, newJobId: () => jobId, findEarlierJob: async () => undefined }
      await startTheirJob(body, given, services)
    }
    const made = query.cache_key === undefined ? await justOnce(begin) : await onceADay(text, begin, services)
    return lead(waitingPlace(made, services))
  },
})

async function justOnce(begin: (jobId: string) => Promise<void>): Promise<string> {
  const jobId = newId('job')
  await begin(jobId)
  return jobId
}

/** @throws AppError for a job whose end leads nowhere */
function exporting(body: JobBody): JobBody {
  if (Object.values(body.tasks).some(({ operation }) => operation === 'export/url')) return body
  throw new AppError('INVALID_INPUT', 'tasks: expected one of export/url, whose file the URL leads to.', {
    field: 'tasks',
  })
}

/** The key answers for its URLs: they do what it may do, and count as its requests. */
async function signer(keyId: string, request: Request, services: Services): Promise<Principal> {
  const key = await new ApiKeys(services).find(keyId)
  const principal = await principalOf(key, request, services)
  authorize(principal, writeAccess)
  const taken = await countRequest(services, principal, true)
  if (!taken.isAllowed) throw rateLimitError(taken, principal)
  return principal
}

/** Seconds that somebody may wait. */
const mostWaitS = 3600

/** Signed by us: whoever has it came by a right URL, and asks for this job alone. */
function waitingPlace(jobId: string, { keys }: Services): string {
  const at = Date.now()
  const wanted = { jobId, query: { until: 'end' }, expiresAtS: Math.floor(at / 1000) + mostWaitS, at }
  return `/sync${pathOfBase}${jobId}?${signQuery(wanted, keys.download)}`
}

const followSigned = contract({
  ...common,
  method: 'GET',
  path: `/sync${pathOfBase}:jobId`,
  access: openAccess,
  summary: 'Wait for the file of a signed URL',
  params: z.object({ jobId: z.string() }),
  query: z.looseObject({ until: z.literal('end') }),
  reply: redirects,
  handle: async (request, services) => {
    const jobId = requireJobId(request.params.jobId)
    verifySignature(jobId, request.rawQuery, services.keys.download)
    const made = await jobThere(jobId, services)
    const owner = { ...request, principal: { ...request.principal, ownerId: made.owner } }
    const job = theirJob(await jobOf(jobId, owner, services, waitS), baseOf(services))
    if (isLive(job.status)) return lead(waitingPlace(jobId, services))
    const { code, message } = job.tasks.find(({ status }) => status === 'error') ?? {}
    const file = fileOf(job.tasks)
    if (file) return lead(file.url)
    throw new AppError('CONVERSION_FAILED', message ?? 'The job has no file.', { ...(code && { code }) })
  },
})

/** Another request under the same cache key may just be making it. */
async function jobThere(jobId: string, { jobs }: Services): Promise<Job> {
  for (let looks = 0; looks < 20; looks += 1) {
    const job = await jobs.store.job(jobId)
    if (job) return job
    await sleep(250)
  }
  throw jobNotFound(jobId)
}

type Tasks = ReturnType<typeof theirJob>['tasks']

const fileOf = (tasks: Tasks) =>
  tasks
    .filter(({ operation }) => operation === 'export/url')
    .flatMap(({ result }) => (result && 'files' in result ? result.files : []))[0]

export const signedUrlContracts: readonly AnyContract[] = [showBase, startSigned, followSigned]

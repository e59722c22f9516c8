import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { createKeyPrincipal } from '../../lib/access/api-key-auth.ts'
import { ApiKeys } from '../../lib/access/api-keys.ts'
import { authorize } from '../../lib/access/authorize.ts'
import { createJobNotFoundError, requireJobId } from '../../lib/access/job-access.ts'
import { countRequest, createRateLimitError } from '../../lib/access/rate-limiter.ts'
import { AppError } from '../../lib/errors.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { newId } from '../../lib/ids.ts'
import { signQuery, verifySignature } from '../../lib/links/signed-download.ts'
import type { Job } from '../../lib/model/job.ts'
import { openAccess, type Principal, writeAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'
import { parseInput } from '../../lib/validation/parse-input.ts'
import {
  compatDefaults,
  dataReply,
  fetchJobView,
  getPublicUrl,
  isUnfinished,
  maxWaitS,
  type Request,
} from './call-endpoint.ts'
import { JobBody } from './job-request.ts'
import { toCompatJobView } from './job-view.ts'
import { reuseJobForADay } from './reuse-job.ts'
import { startCompatJob } from './start-job.ts'
import {
  buildSignedText,
  deriveSigningSecret,
  hasValidSignature,
  parseJobParam,
  signedUrlPath,
} from './url-signature.ts'

const redirectResponse = { status: 302, schema: z.null(), form: 'empty' } as const
/** The redirect is not cached, because each visitor needs a new URL. */
const createRedirectReply = (location: string) => ({
  data: null,
  headers: { location, 'cache-control': 'no-store' },
})

/** Returns the base URL and the secret for signed URLs. The service whose API this is shows them in its dashboard. */
const getSigningBase = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/signed-urls',
  access: writeAccess,
  summary: 'Get base and secret for signed URLs',
  description:
    'The base URL and the secret belong to the API key of the request and are valid as long as the key.',
  reply: { status: 200, ...dataReply },
  handle: ({ principal: { keyId, kind, isPublic } }, services) => {
    if (kind !== 'key' || keyId === undefined || isPublic)
      throw new AppError(
        'AUTHENTICATION_REQUIRED',
        'Signed URLs belong to a secret API key. Send it as Authorization: Bearer sk_…',
      )
    const signing_secret = deriveSigningSecret(keyId, services.keys.signedUrls)
    return { data: { data: { base: `${getPublicUrl(services)}${signedUrlPath}${keyId}`, signing_secret } } }
  },
})

const startSignedJob = contract({
  ...compatDefaults,
  method: 'GET',
  path: `${signedUrlPath}:keyId`,
  access: openAccess,
  summary: 'Run the tasks of a signed URL and get the resulting file',
  params: z.object({ keyId: text('id') }),
  query: z
    .object({
      job: text('query').min(1),
      cache_key: z
        .string()
        .regex(/^[\w-]{1,200}$/, 'expected 1 to 200 characters of A-Z, a-z, 0-9, - and _')
        .optional(),
      s: text('id'),
    })
    .catchall(createJsonSchema()),
  reply: redirectResponse,
  handle: async (request, services) => {
    const { params, query } = request
    const signedText = buildSignedText(`${getPublicUrl(services)}${signedUrlPath}${params.keyId}`, query)
    if (!hasValidSignature(signedText, query.s, deriveSigningSecret(params.keyId, services.keys.signedUrls)))
      throw new AppError(
        'INVALID_SIGNATURE',
        's: the signature is not valid for this URL. Sign everything before &s with the secret that belongs to this base URL.',
        { field: 's' },
      )
    const body = requireExport(parseInput(JobBody, parseJobParam(query), 'job'))
    const startJobWithId = async (jobId: string) => {
      const principal = await authenticateSigner(params.keyId, request, services)
      const jobRequest = {
        ...request,
        principal,
        newJobId: () => jobId,
        findEarlierJob: async () => undefined,
      }
      await startCompatJob(body, jobRequest, services)
    }
    const jobId =
      query.cache_key === undefined
        ? await startNewJob(startJobWithId)
        : await reuseJobForADay(signedText, startJobWithId, services)
    return createRedirectReply(signWaitUrl(jobId, services))
  },
})

async function startNewJob(startJobWithId: (jobId: string) => Promise<void>): Promise<string> {
  const jobId = newId('job')
  await startJobWithId(jobId)
  return jobId
}

/** @throws AppError for a job without an export/url task. */
function requireExport(body: JobBody): JobBody {
  if (Object.values(body.tasks).some(({ operation }) => operation === 'export/url')) return body
  throw new AppError(
    'INVALID_INPUT',
    'tasks: expected an export/url task, whose file the URL redirects to.',
    {
      field: 'tasks',
    },
  )
}

/** A signed URL has the permissions of its API key, and requests with it count as requests of the key. */
async function authenticateSigner(keyId: string, request: Request, services: Services): Promise<Principal> {
  const key = await new ApiKeys(services).find(keyId)
  const principal = await createKeyPrincipal(key, request, services)
  authorize(principal, writeAccess)
  const limitResult = await countRequest(services, principal, 'work')
  if (!limitResult.isAllowed) throw createRateLimitError(limitResult, principal)
  return principal
}

/** How long a client may wait for the file. */
const maxFileWaitS = 3600

/** The signature ensures that only clients redirected from a valid URL can wait for the job. */
function signWaitUrl(jobId: string, { keys }: Services): string {
  const at = Date.now()
  const linkToSign = { jobId, query: { until: 'end' }, expiresAtS: Math.floor(at / 1000) + maxFileWaitS, at }
  return `/sync${signedUrlPath}${jobId}?${signQuery(linkToSign, keys.download)}`
}

const waitForSignedFile = contract({
  ...compatDefaults,
  method: 'GET',
  path: `/sync${signedUrlPath}:jobId`,
  access: openAccess,
  summary: 'Wait for the file of a signed URL',
  params: z.object({ jobId: text('id') }),
  query: z.object({ until: z.literal('end') }).catchall(createJsonSchema()),
  reply: redirectResponse,
  handle: async (request, services) => {
    const jobId = requireJobId(request.params.jobId)
    verifySignature(jobId, request.rawQuery, services.keys.download)
    const createdJob = await waitUntilCreated(jobId, services)
    const ownerRequest = { ...request, principal: { ...request.principal, ownerId: createdJob.owner } }
    const job = toCompatJobView(
      await fetchJobView(jobId, ownerRequest, services, maxWaitS),
      getPublicUrl(services),
    )
    if (isUnfinished(job.status)) return createRedirectReply(signWaitUrl(jobId, services))
    const { code, message } = job.tasks.find(({ status }) => status === 'error') ?? {}
    const file = findFirstExportedFile(job.tasks)
    if (file) return createRedirectReply(file.url)
    throw new AppError('CONVERSION_FAILED', message ?? 'The job has no file.', { ...(code && { code }) })
  },
})

/** Waits for the job, which another request with the same cache key may be creating. */
async function waitUntilCreated(jobId: string, { jobs }: Services): Promise<Job> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const job = await jobs.store.getJob(jobId)
    if (job) return job
    await sleep(250)
  }
  throw createJobNotFoundError(jobId)
}

type Tasks = ReturnType<typeof toCompatJobView>['tasks']

const findFirstExportedFile = (tasks: Tasks) =>
  tasks
    .filter(({ operation }) => operation === 'export/url')
    .flatMap(({ result }) => (result && 'files' in result ? result.files : []))[0]

export const signedUrlContracts: readonly AnyContract[] = [getSigningBase, startSignedJob, waitForSignedFile]

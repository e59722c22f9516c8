import type * as z from 'zod'
import type { FormatView } from '../../lib/http/format-view.ts'
import type { OptionView } from '../../lib/http/option-view.ts'
import type { createConversion } from '../routes/create-conversion.ts'
import type { listConversions } from '../routes/list-conversions.ts'
import type { presignUpload } from '../routes/presign-upload.ts'

/** What the service answers, taken from its contracts; only the types, none of its code comes to the browser. */
type DataOf<Endpoint extends { readonly reply: { readonly schema: z.ZodType } }> = z.output<
  Endpoint['reply']['schema']
>
export type Job = DataOf<typeof createConversion>
export type Presigned = DataOf<typeof presignUpload>
export type Format = z.output<typeof FormatView>
export type Option = z.output<typeof OptionView>

/** A refusal in the service's own words, or in the page's where the service could not answer. */
export class Problem extends Error {
  /** A code of the API, or `UNREACHABLE`. */
  readonly code: string
  readonly retryAfterS: number | undefined

  constructor(code: string, sentence: string, retryAfterS?: number) {
    super(sentence)
    this.name = 'Problem'
    this.code = code
    this.retryAfterS = retryAfterS
  }
}

export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  return new Problem('PAGE_ERROR', 'Something went wrong in this page. Reload it and try again.')
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Seconds that the service may hold its answer back until the job is over. */
  readonly waitS?: number | undefined
}

interface Answer<Data> {
  readonly data: Data
  readonly retryAfterS: number | undefined
}

/** Longer than the service ever waits. */
const deadlineMs = 60_000

/** Where cookies are off, the identity that is handed out goes back as a header. */
let ownerToken: string | null = null
export const ownIdentity = (): string | null => ownerToken

async function call<Data>(
  path: string,
  { method = 'GET', body, signal, waitS }: Call = {},
): Promise<Answer<Data>> {
  const deadline = AbortSignal.timeout(deadlineMs)
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(waitS !== undefined && { prefer: `wait=${waitS}` }),
      ...(ownerToken && { 'x-owner-token': ownerToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  ownerToken = response.headers.get('x-owner-token') ?? ownerToken
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined
  if (response.status === 204) return { data: undefined as Data, retryAfterS } // only asked for where nothing comes
  const envelope: unknown = await response.json().catch(() => undefined)
  if (response.ok && isRecord(envelope)) return { data: envelope['data'] as Data, retryAfterS } // by the contract
  throw refusal(envelope, response.status, retryAfterS)
}

let isIdentified = false
let firstMaking: Promise<void> | undefined

/**
 * The first reply about something made hands out the identity, which is a cookie that nobody here can see: what is made
 * beside it would belong to somebody else.
 */
async function make<Data>(path: string, body: unknown, signal?: AbortSignal): Promise<Data> {
  while (!isIdentified && firstMaking !== undefined) await firstMaking
  const making = call<Data>(path, { method: 'POST', body, ...(signal && { signal }) })
  if (!isIdentified) {
    firstMaking = making.then(
      () => {
        isIdentified = true
      },
      () => {
        firstMaking = undefined
      },
    )
  }
  return (await making).data
}

const unreachable = () =>
  new Problem('UNREACHABLE', 'The service cannot be reached. Check the connection and try again.')

function refusal(envelope: unknown, status: number, retryAfterS: number | undefined): Problem {
  const error = isRecord(envelope) && isRecord(envelope['error']) ? envelope['error'] : {}
  const { code, message } = error
  if (typeof code === 'string' && typeof message === 'string') return new Problem(code, message, retryAfterS)
  return new Problem(
    'UNREACHABLE',
    `The service gave no usable answer (status ${status}). Try again in a moment.`,
    retryAfterS,
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const jobPath = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`

export async function listFormats(): Promise<readonly Format[]> {
  return (await call<{ formats: Format[] }>('/v1/formats')).data.formats
}

/** Empty for a pair that does not convert. */
export async function optionsOf(from: string, to: string): Promise<readonly Option[]> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from, to })}`
  const { data } = await call<DataOf<typeof listConversions>>(path)
  return data.conversions[0]?.options ?? []
}

export async function presign(
  file: { filename: string; contentType: string; size: number },
  signal: AbortSignal,
) {
  return make<Presigned>('/v1/uploads/presign', file, signal)
}

export async function createJob(body: {
  uploadId: string
  targetFormat: string
  options: Readonly<Record<string, unknown>>
}): Promise<Job> {
  return make<Job>('/v1/convert', body)
}

export function jobStatus(jobId: string, signal: AbortSignal, waitS?: number): Promise<Answer<Job>> {
  return call<Job>(`/v1/status/${encodeURIComponent(jobId)}`, { signal, waitS })
}

export async function listJobs(
  cursor?: string,
): Promise<{ jobs: readonly Job[]; nextCursor: string | null }> {
  const query = new URLSearchParams({ limit: '20', ...(cursor && { cursor }) })
  const { data } = await call<{ jobs: Job[]; pagination: { nextCursor: string | null } }>(`/v1/jobs?${query}`)
  return { jobs: data.jobs, nextCursor: data.pagination.nextCursor }
}

export async function cancelJob(jobId: string): Promise<void> {
  await call(`${jobPath(jobId)}/cancel`, { method: 'POST' })
}

/** A job that is gone already is deleted, too. */
export async function deleteJob(jobId: string): Promise<void> {
  await call(jobPath(jobId), { method: 'DELETE' }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'JOB_NOT_FOUND') throw error
  })
}

import type * as z from 'zod'
import type { FormatView } from '../../lib/http/format-view.ts'
import type { OptionView } from '../../lib/http/option-view.ts'
import type { createConversion } from '../routes/create-conversion.ts'
import type { listConversions } from '../routes/list-conversions.ts'
import type { createMultipart } from '../routes/multipart-uploads.ts'
import type { presignUpload } from '../routes/presign-upload.ts'
import words from './words/en.ts'

/** What the service answers, taken from its contracts; only the types, none of its code comes to the browser. */
export type ReplyData<Endpoint extends { readonly reply: { readonly schema: z.ZodType } }> = z.output<
  Endpoint['reply']['schema']
>
export type Job = ReplyData<typeof createConversion>
export type PresignedUpload = ReplyData<typeof presignUpload>
export type Format = z.output<typeof FormatView>
export type Option = z.output<typeof OptionView>

/** A refusal in the service's own words, or in the page's where the service could not answer. */
export class Problem extends Error {
  /** A code of the API, or `UNREACHABLE`. */
  readonly code: string
  readonly retryAfterS: number | undefined
  /** What it is about, as the service names it. */
  readonly field: string | undefined

  constructor(code: string, sentence: string, retryAfterS?: number, field?: string) {
    super(sentence)
    this.name = 'Problem'
    this.code = code
    this.retryAfterS = retryAfterS
    this.field = field
  }
}

export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  return new Problem('PAGE_ERROR', words.pageError)
}

interface Call {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Seconds that the service may hold its answer back until the job is over. */
  readonly waitS?: number | undefined
}

interface Reply<Data> {
  readonly data: Data
  readonly retryAfterS: number | undefined
}

/** Longer than the service ever waits. */
const timeoutMs = 60_000

/** Where cookies are off, the identity that is handed out goes back as a header. */
let ownerToken: string | null = null
export const getOwnerToken = (): string | null => ownerToken

async function sendRequest<Data>(
  path: string,
  { method = 'GET', body, signal, waitS }: Call = {},
): Promise<Reply<Data>> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(waitS !== undefined && { prefer: `wait=${waitS}` }),
      ...(ownerToken && { 'x-owner-token': ownerToken }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  }).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachableProblem()
  })
  ownerToken = response.headers.get('x-owner-token') ?? ownerToken
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined
  if (response.status === 204) return { data: undefined as Data, retryAfterS } // only asked for where nothing comes
  const envelope: unknown = await response.json().catch(() => undefined)
  if (response.ok && isRecord(envelope)) return { data: envelope['data'] as Data, retryAfterS } // by the contract
  throw problemFromReply(envelope, response.status, retryAfterS)
}

/** What an operation answers; sections name it by its contract. */
export const callApi = async <Data>(path: string, request?: Call): Promise<Data> =>
  (await sendRequest<Data>(path, request)).data

let isIdentified = false
let firstCreation: Promise<void> | undefined

/**
 * The first reply about something made hands out the identity, which is a cookie that nobody here can see: what is made
 * beside it would belong to somebody else.
 */
async function create<Data>(path: string, body: unknown, signal?: AbortSignal): Promise<Data> {
  while (!isIdentified && firstCreation !== undefined) await firstCreation
  const creation = sendRequest<Data>(path, { method: 'POST', body, ...(signal && { signal }) })
  if (!isIdentified) {
    firstCreation = creation.then(
      () => {
        isIdentified = true
      },
      () => {
        firstCreation = undefined
      },
    )
  }
  return (await creation).data
}

const unreachableProblem = () => new Problem('UNREACHABLE', words.unreachable)

function problemFromReply(envelope: unknown, status: number, retryAfterS: number | undefined): Problem {
  const error = isRecord(envelope) && isRecord(envelope['error']) ? envelope['error'] : {}
  const { code, message } = error
  const details = isRecord(error['details']) ? error['details'] : {}
  const field = typeof details['field'] === 'string' ? details['field'] : undefined
  if (typeof code === 'string' && typeof message === 'string')
    return new Problem(code, message, retryAfterS, field)
  return new Problem('UNREACHABLE', words.badReply(status), retryAfterS)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const jobPath = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`

export async function listFormats(): Promise<readonly Format[]> {
  return (await sendRequest<{ formats: Format[] }>('/v1/formats')).data.formats
}

/** Empty for a pair that does not convert. */
export async function fetchOptions(from: string, to: string, operation?: string): Promise<readonly Option[]> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from, to, ...(operation && { operation }) })}`
  const { data } = await sendRequest<ReplyData<typeof listConversions>>(path)
  return data.conversions[0]?.options ?? []
}

/** Formats that a tool makes of a format. */
export async function fetchToolTargets(from: string, operation: string): Promise<readonly string[]> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from, operation })}`
  const { data } = await sendRequest<ReplyData<typeof listConversions>>(path)
  return data.conversions.map(({ to }) => to)
}

/** @throws Problem that a conversion would have, before its file is sent. */
export async function checkConversion(
  wish: ConversionSpec & { from: string; size?: number | undefined },
): Promise<void> {
  await sendRequest('/v1/convert/check', { method: 'POST', body: wish })
}

/** @returns where the ZIP is; a large one is a job, whose end has to be waited for. */
export async function createZip(
  jobs: readonly { readonly jobId: string; readonly folder?: string | undefined }[],
  filename = 'results.zip',
): Promise<Job> {
  const inFolders = jobs.flatMap(({ jobId, folder }) => (folder === undefined ? [] : [[jobId, folder]]))
  return create<Job>('/v1/download/zip?async=true', {
    jobIds: jobs.map(({ jobId }) => jobId),
    folders: Object.fromEntries(inFolders),
    filename,
  })
}

export type Multipart = ReplyData<typeof createMultipart>

export const startMultipart = (file: { filename: string; type: string; size: number }, signal: AbortSignal) =>
  create<Multipart>('/v1/uploads/multipart', file, signal)

const multipartPath = (uploadId: string) => `/v1/uploads/multipart/${encodeURIComponent(uploadId)}`

export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
}

export async function listUploadedParts(uploadId: string, signal: AbortSignal) {
  const { data } = await sendRequest<{ parts: (UploadedPart & { Size: number })[]; complete: boolean }>(
    multipartPath(uploadId),
    {
      signal,
    },
  )
  return data
}

export async function presignParts(uploadId: string, numbers: readonly number[], signal: AbortSignal) {
  const path = `${multipartPath(uploadId)}/batch?partNumbers=${numbers.join(',')}`
  const { data } = await sendRequest<{ presignedUrls: Record<string, string> }>(path, { signal })
  return data.presignedUrls
}

export async function completeMultipart(
  uploadId: string,
  parts: readonly UploadedPart[],
  signal: AbortSignal,
) {
  await sendRequest(`${multipartPath(uploadId)}/complete`, { method: 'POST', body: { parts }, signal })
}

export async function abortMultipart(uploadId: string): Promise<void> {
  await sendRequest(multipartPath(uploadId), { method: 'DELETE' })
}

export async function presign(
  file: { filename: string; contentType: string; size: number },
  signal: AbortSignal,
) {
  return create<PresignedUpload>('/v1/uploads/presign', file, signal)
}

/** What a file is to become: a format, or what a tool makes of it. */
export interface ConversionSpec {
  readonly targetFormat?: string
  readonly toolOperation?: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Where the bytes are: sent before, at an address, or with an earlier job. */
export type ConversionSource =
  | { readonly uploadId: string }
  | { readonly fileUrl: string }
  | { readonly sourceJobId: string }

export async function createJob(body: ConversionSource & ConversionSpec): Promise<Job> {
  return create<Job>('/v1/convert', body)
}

export function fetchJobStatus(jobId: string, signal: AbortSignal, waitS?: number): Promise<Reply<Job>> {
  return sendRequest<Job>(`/v1/status/${encodeURIComponent(jobId)}`, { signal, waitS })
}

export async function listJobs(
  cursor?: string,
): Promise<{ jobs: readonly Job[]; nextCursor: string | null }> {
  const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) })
  const { data } = await sendRequest<{ jobs: Job[]; pagination: { nextCursor: string | null } }>(
    `/v1/jobs?${query}`,
  )
  return { jobs: data.jobs, nextCursor: data.pagination.nextCursor }
}

/** @returns a new job of the same source and options. */
export async function retryJob(jobId: string): Promise<Job> {
  return create<Job>(`${jobPath(jobId)}/retry`, {})
}

export async function cancelJob(jobId: string): Promise<void> {
  await sendRequest(`${jobPath(jobId)}/cancel`, { method: 'POST' })
}

/** A job that is gone already is deleted, too. */
export async function deleteJob(jobId: string): Promise<void> {
  await sendRequest(jobPath(jobId), { method: 'DELETE' }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'JOB_NOT_FOUND') throw error
  })
}

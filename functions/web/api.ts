import type * as z from 'zod'
import type { FormatView } from '../../lib/http/openapi/format-view.ts'
import type { OptionView } from '../../lib/http/openapi/option-view.ts'
import { defined } from '../../lib/validation/defined.ts'
import type { createConversion } from '../routes/create-conversion.ts'
import type { listConversions } from '../routes/list-conversions.ts'
import type { createMultipart } from '../routes/multipart-uploads.ts'
import type { presignUpload } from '../routes/presign-upload.ts'
import type { ServiceError } from './problems/describe-problem.ts'
import { language } from './shell/language.ts'
import words from './words/en.ts'

/**
 * Data of an endpoint's reply, typed by its contract. Only types are imported, so no server code reaches the browser.
 */
export type ReplyData<Endpoint extends { readonly reply: { readonly schema: z.ZodType } }> = z.output<
  Endpoint['reply']['schema']
>
export type Job = ReplyData<typeof createConversion>

/** Returns the size of all files of a result in bytes. The size of the ZIP of a batch is unknown. */
export const getResultBytes = ({ files }: NonNullable<Job['result']>): number =>
  files.reduce((sum, { size }) => sum + size, 0)
export type PresignedUpload = ReplyData<typeof presignUpload>
export type Format = z.output<typeof FormatView>
export type Option = z.output<typeof OptionView>

/** An error with a message from the service, or from the page if the service could not reply. */
export class Problem extends Error {
  /** An error code of the API, or `UNREACHABLE`. */
  readonly code: string
  readonly retryAfterS: number | undefined
  /** The request field that caused the error, named as in the API. */
  readonly field: string | undefined
  /** The service's own message, shown to people who use its API. */
  readonly detail: string | undefined
  readonly details: ServiceError['details']

  constructor(code: string, sentence: string, retryAfterS?: number, error?: ServiceError) {
    super(sentence)
    this.name = 'Problem'
    this.code = code
    this.retryAfterS = retryAfterS
    const field = error?.details?.['field']
    this.field = typeof field === 'string' ? field : undefined
    this.detail = error?.message
    this.details = error?.details
  }
}

/** Translates an error of the service into the language of the page. The texts are loaded with the first error. */
export async function explainError(error: ServiceError): Promise<Problem> {
  const { code, message, retryAfterS } = error
  const texts = await import('./problems/describe-problem.ts').catch(() => undefined)
  return new Problem(code, texts?.describeProblem(error) ?? message, retryAfterS, error)
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem('PAGE_ERROR', words.pageError)
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** How long the service may delay its reply until the job is finished, in seconds. */
  readonly waitS?: number | undefined
}

interface Reply<Data> {
  readonly data: Data
  readonly retryAfterS: number | undefined
}

/** Timeout of a request. The service never delays a reply for so long. */
const timeoutMs = 60_000

/** The anonymous identity from a reply header. It is sent back in a header, because cookies may be disabled. */
let ownerToken: string | null = null
export const getOwnerToken = (): string | null => ownerToken

/** Sends a request. If the service rejects the stored identity, forgets it and sends the request once more. */
async function sendRequest<Data>(path: string, call: RequestOptions = {}): Promise<Reply<Data>> {
  const sentToken = ownerToken
  try {
    return await sendOnce<Data>(path, call)
  } catch (error) {
    const isTokenRejected = error instanceof Problem && error.field === 'X-Owner-Token'
    if (sentToken === null || !isTokenRejected) throw error
    if (ownerToken === sentToken) ownerToken = null
    return sendOnce<Data>(path, call)
  }
}

async function sendOnce<Data>(
  path: string,
  { method = 'GET', body, signal, waitS }: RequestOptions = {},
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
    throw signal?.aborted ? error : createUnreachableProblem()
  })
  ownerToken = response.headers.get('x-owner-token') ?? ownerToken
  const retryAfterS = Number(response.headers.get('retry-after')) || undefined
  if (response.status === 204) return { data: undefined as Data, retryAfterS } // without data
  const envelope: unknown = await response.json().catch(() => undefined)
  if (response.ok && isRecord(envelope)) return { data: envelope['data'] as Data, retryAfterS } // by its contract
  throw await createProblemFromReply(envelope, response.status, retryAfterS)
}

/** Calls an endpoint and returns the data of its reply. The caller names the type of the data, as in the contract. */
export const callApi = async <Data>(path: string, request?: RequestOptions): Promise<Data> =>
  (await sendRequest<Data>(path, request)).data

let isIdentified = false
let firstCreation: Promise<void> | undefined

/**
 * Sends a request that creates something. The reply to the first such request sets the identity, in a cookie that
 * scripts cannot read. Other requests wait for that reply, because the service would otherwise give each of them
 * another identity.
 */
async function create<Data>(path: string, body: unknown, signal?: AbortSignal): Promise<Data> {
  while (!isIdentified && firstCreation !== undefined) await firstCreation
  const creation = sendRequest<Data>(path, { method: 'POST', body, ...defined({ signal }) })
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

const createUnreachableProblem = () => new Problem('UNREACHABLE', words.unreachable)

async function createProblemFromReply(
  envelope: unknown,
  status: number,
  retryAfterS: number | undefined,
): Promise<Problem> {
  const error = isRecord(envelope) && isRecord(envelope['error']) ? envelope['error'] : {}
  const { code, message } = error
  const details = isRecord(error['details']) ? error['details'] : {}
  if (typeof code === 'string' && typeof message === 'string')
    return explainError({ code, message, details, retryAfterS })
  return new Problem('UNREACHABLE', words.badReply(status), retryAfterS)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const getJobPath = (jobId: string) => `/v1/jobs/${encodeURIComponent(jobId)}`

/** Returns all formats, with their names in the language of the page. */
export async function listFormats(): Promise<readonly Format[]> {
  const [reply, names] = await Promise.all([
    sendRequest<{ formats: Format[] }>('/v1/formats'),
    language === 'en' ? undefined : import('./format-names/translate-format-name.ts').catch(() => undefined),
  ])
  const { formats } = reply.data
  if (!names) return formats
  return formats.map((format) => ({ ...format, name: names.translateFormatName(format.name) }))
}

/** Returns the options of a conversion; empty if it is not supported. */
export async function fetchOptions(from: string, to: string, operation?: string): Promise<readonly Option[]> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from, to, ...(operation && { operation }) })}`
  const { data } = await sendRequest<ReplyData<typeof listConversions>>(path)
  return data.conversions[0]?.options ?? []
}

/** Returns every format that a format can be converted to, including unusual ones. */
export async function fetchTargets(from: string): Promise<ReplyData<typeof listConversions>['conversions']> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from })}`
  return (await sendRequest<ReplyData<typeof listConversions>>(path)).data.conversions
}

/** Returns the formats that a tool can produce from a format. */
export async function fetchToolTargets(from: string, operation: string): Promise<readonly string[]> {
  const path = `/v1/formats/conversions?${new URLSearchParams({ from, operation })}`
  const { data } = await sendRequest<ReplyData<typeof listConversions>>(path)
  return data.conversions.map(({ to }) => to)
}

/** Checks a conversion before its file is uploaded. @throws the Problem with which the conversion would fail */
export async function checkConversion(
  spec: ConversionSpec & { from: string; size?: number | undefined },
): Promise<void> {
  await sendRequest('/v1/convert/check', { method: 'POST', body: spec })
}

/** Creates a ZIP of results. @returns the job that packs it, which the caller must wait for if the ZIP is large */
export async function requestZip(
  jobs: readonly { readonly jobId: string; readonly folder?: string | undefined }[],
  {
    filename = 'results.zip',
    nameTemplate,
    firstIndex,
  }: { filename?: string | undefined; nameTemplate?: string; firstIndex?: number } = {},
): Promise<Job> {
  const folderEntries = jobs.flatMap(({ jobId, folder }) => (folder === undefined ? [] : [[jobId, folder]]))
  return create<Job>('/v1/download/zip?async=true', {
    jobIds: jobs.map(({ jobId }) => jobId),
    folders: Object.fromEntries(folderEntries),
    filename,
    ...(nameTemplate && { nameTemplate, firstIndex }),
  })
}

export type MultipartUpload = ReplyData<typeof createMultipart>

export const startMultipartUpload = (
  file: { filename: string; type: string; size: number },
  signal: AbortSignal,
) => create<MultipartUpload>('/v1/uploads/multipart', file, signal)

const getMultipartPath = (uploadId: string) => `/v1/uploads/multipart/${encodeURIComponent(uploadId)}`

export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
}

export async function listUploadedParts(uploadId: string, signal: AbortSignal) {
  const { data } = await sendRequest<{ parts: (UploadedPart & { Size: number })[]; complete: boolean }>(
    getMultipartPath(uploadId),
    {
      signal,
    },
  )
  return data
}

export async function presignParts(uploadId: string, numbers: readonly number[], signal: AbortSignal) {
  const path = `${getMultipartPath(uploadId)}/batch?partNumbers=${numbers.join(',')}`
  const { data } = await sendRequest<{ presignedUrls: Record<string, string> }>(path, { signal })
  return data.presignedUrls
}

export async function completeMultipart(
  uploadId: string,
  parts: readonly UploadedPart[],
  signal: AbortSignal,
) {
  await sendRequest(`${getMultipartPath(uploadId)}/complete`, { method: 'POST', body: { parts }, signal })
}

export async function abortMultipart(uploadId: string): Promise<void> {
  await sendRequest(getMultipartPath(uploadId), { method: 'DELETE' })
}

export async function requestPresignedUpload(
  file: { filename: string; contentType: string; size: number },
  signal: AbortSignal,
) {
  return create<PresignedUpload>('/v1/uploads/presign', file, signal)
}

/** What to convert a file to: a format, or the result of a tool. */
export interface ConversionSpec {
  readonly targetFormat?: string
  readonly toolOperation?: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Where the bytes come from: an upload, a URL or an earlier job. */
export type ConversionSource =
  | { readonly uploadId: string }
  | { readonly fileUrl: string }
  | { readonly sourceJobId: string }

export async function createJob(body: ConversionSource & ConversionSpec): Promise<Job> {
  return create<Job>('/v1/convert', body)
}

/** Unlocks a PDF and converts it in one job, for conversions that cannot open locked files themselves. */
export function createUnlockedJob(uploadId: string, spec: ConversionSpec, password: string): Promise<Job> {
  const { targetFormat, toolOperation, options } = spec
  return create<Job>('/v1/jobs', {
    tasks: {
      file: { operation: 'import/upload', upload_id: uploadId },
      unlock: { operation: 'decrypt-pdf', input: 'file', options: { password } },
      result: {
        operation: toolOperation ?? 'convert',
        input: 'unlock',
        options,
        ...(targetFormat && { output_format: targetFormat }),
      },
      out: { operation: 'export/url', input: 'result' },
    },
  })
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

/** @returns a new job with the same source and options */
export async function retryJob(jobId: string): Promise<Job> {
  return create<Job>(`${getJobPath(jobId)}/retry`, {})
}

export async function cancelJob(jobId: string): Promise<void> {
  await sendRequest(`${getJobPath(jobId)}/cancel`, { method: 'POST' })
}

/** Deletes a job; a job that no longer exists counts as deleted. */
export async function deleteJob(jobId: string): Promise<void> {
  await sendRequest(getJobPath(jobId), { method: 'DELETE' }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'JOB_NOT_FOUND') throw error
  })
}

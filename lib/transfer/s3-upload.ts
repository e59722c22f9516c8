import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  type AbortMultipartUploadCommandInput,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { OutgoingFile } from './transfer.ts'

/** Size of a part in bytes; S3 allows 10,000 parts. */
const partBytes = 8 * 1024 ** 2
const maxParts = 10_000
const maxConcurrentParts = 3
/** Maximum number of attempts per request. */
const maxTries = 3
/** Delay before the second attempt in milliseconds; it doubles with each further attempt. */
const pauseMs = 500
/** Timeout for removing an unfinished upload, in milliseconds. */
const cleanUpTimeoutMs = 5000
/**
 * A trace is stored so that a later attempt can abort an abandoned upload. Before the upload id is known, the trace
 * consists of this prefix and the start time of the upload.
 */
const startTimePrefix = 'since:'
/**
 * Maximum difference in milliseconds between the start time in the trace and the one in the store, because of clock
 * skew and the duration of the request.
 */
const maxStartDifferenceMs = 120_000

interface UploadContext {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
  readonly onStarted?: (trace: string) => Promise<void>
}

type UploadTarget = CreateMultipartUploadCommandInput
type UploadSource = Pick<OutgoingFile, 'size' | 'open'>

/**
 * Uploads a file to a bucket. Parts are streamed instead of loaded into memory; a retry reads the part again. A failed
 * upload leaves nothing behind.
 */
export async function uploadToS3(
  client: S3Client,
  target: UploadTarget,
  file: UploadSource,
  context: UploadContext,
): Promise<void> {
  const step = Math.max(partBytes, Math.ceil(file.size / maxParts))
  if (file.size > step) return uploadInParts(client, target, file, { ...context, step })
  await sendRange(file, { start: 0, end: file.size }, context, (Body, abortSignal) =>
    client.send(new PutObjectCommand({ ...target, Body, ContentLength: file.size }), { abortSignal }),
  )
}

async function uploadInParts(
  client: S3Client,
  target: UploadTarget,
  file: UploadSource,
  { signal, onSent, onStarted, step }: UploadContext & { readonly step: number },
): Promise<void> {
  const { Bucket, Key } = target
  const failureController = new AbortController()
  const partsSignal = AbortSignal.any([signal, failureController.signal])
  await onStarted?.(`${startTimePrefix}${new Date().toISOString()} ${Key}`)
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target), { abortSignal: signal })
  const upload = { Bucket, Key, UploadId }
  const numbers = Array.from({ length: Math.ceil(file.size / step) }, (_, at) => at + 1)
  const tags = new Map<number, string | undefined>()
  const partUploads: Promise<void>[] = []
  const sendPart = async (PartNumber: number) => {
    const start = (PartNumber - 1) * step
    const range = { start, end: Math.min(start + step, file.size) }
    const partRequest = { ...upload, PartNumber, ContentLength: range.end - range.start }
    const { ETag } = await sendRange(file, range, { signal: partsSignal, onSent }, (Body, abortSignal) =>
      client.send(new UploadPartCommand({ ...partRequest, Body }), { abortSignal }),
    )
    tags.set(PartNumber, ETag)
  }
  try {
    await onStarted?.(`${UploadId} ${Key}`)
    await forEachConcurrently(numbers, maxConcurrentParts, (number) => {
      const partPromise = sendPart(number)
      partUploads.push(partPromise)
      return partPromise
    })
    const Parts = numbers.map((PartNumber) => ({ PartNumber, ETag: tags.get(PartNumber) }))
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
      abortSignal: signal,
    })
  } catch (error) {
    failureController.abort()
    // A part that arrives after the abort would remain, and the bucket's owner would pay for it.
    await Promise.allSettled(partUploads)
    await abort(client, upload)
    throw error
  }
}

/** Aborts an abandoned upload. If that fails, only the bucket's lifecycle rules can remove it. */
export async function abortUploadByTrace(client: S3Client, Bucket: string, trace: string): Promise<void> {
  const [id = '', ...key] = trace.split(' ')
  const Key = key.join(' ')
  if (!id.startsWith(startTimePrefix)) return abort(client, { Bucket, Key, UploadId: id })
  const startedAtMs = Date.parse(id.slice(startTimePrefix.length))
  await abortEmptyUploads(client, { Bucket, Key }, startedAtMs).catch(() => {})
}

/**
 * Aborts uploads of a key that started at about `startedAtMs` and have no parts. If another program starts an upload of
 * the key at the same time, that upload is aborted too, and its next part is refused.
 */
async function abortEmptyUploads(
  client: S3Client,
  { Bucket, Key }: { readonly Bucket: string; readonly Key: string },
  startedAtMs: number,
): Promise<void> {
  const timeoutOptions = { abortSignal: AbortSignal.timeout(cleanUpTimeoutMs) }
  const listCommand = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const { Uploads = [] } = await client.send(listCommand, timeoutOptions)
  for (const { Key: name, UploadId, Initiated } of Uploads) {
    const hasMatchingStart = Math.abs((Initiated?.getTime() ?? 0) - startedAtMs) < maxStartDifferenceMs
    if (name !== Key || !hasMatchingStart) continue
    const upload = { Bucket, Key, UploadId }
    const { Parts = [] } = await client.send(new ListPartsCommand({ ...upload, MaxParts: 1 }), timeoutOptions)
    if (Parts.length === 0) await abort(client, upload)
  }
}

async function abort(client: S3Client, upload: AbortMultipartUploadCommandInput): Promise<void> {
  const timeoutOptions = { abortSignal: AbortSignal.timeout(cleanUpTimeoutMs) }
  await client.send(new AbortMultipartUploadCommand(upload), timeoutOptions).catch(() => {})
}

/** Sends a range of a file. Each attempt opens the stream again, because the SDK cannot send a stream twice. */
async function sendRange<T>(
  file: UploadSource,
  range: { readonly start: number; readonly end: number },
  { signal, onSent }: UploadContext,
  send: (body: Readable, abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const body = await file.open(range)
    // The SDK does not notice an error of the stream and would wait for more data.
    const bodyFailureController = new AbortController()
    body.once('error', (error) => bodyFailureController.abort(error))
    try {
      const response = await send(body, AbortSignal.any([signal, bodyFailureController.signal]))
      onSent(range.end - range.start)
      return response
    } catch (failure) {
      signal.throwIfAborted()
      const error = body.errored ?? failure
      if (attempt === maxTries || !isTransient(error)) throw error
      await sleep(pauseMs * 2 ** (attempt - 1), undefined, { signal })
    } finally {
      body.destroy()
    }
  }
}

/**
 * Whether a retry may succeed. Errors without a response of the store are lost connections, which are recognized by
 * their code.
 */
function isTransient(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const { httpStatusCode = 0 } = error.$metadata
    return httpStatusCode >= 500 || httpStatusCode === 429 || httpStatusCode === 408
  }
  return /^E(CONNRESET|PIPE|TIMEDOUT)|^TimeoutError/.test(getErrorCode(error))
}

const getErrorCode = (error: unknown): string =>
  error instanceof Error ? String('code' in error ? error.code : error.name) : ''

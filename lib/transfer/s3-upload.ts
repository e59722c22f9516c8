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
import { forEachConcurrently } from '../for-each-concurrently.ts'
import type { OutgoingFile } from './transfer.ts'

/** Bytes of a part; S3 takes 10,000 of them. */
const partBytes = 8 * 1024 ** 2
const maxParts = 10_000
const maxConcurrentParts = 3
/** Times that bytes are sent, and milliseconds before the second of them. */
const maxTries = 3
const pauseMs = 500
/** Milliseconds for taking away what was not finished. */
const cleanUpTimeoutMs = 5000
/** In place of the id of an upload that was asked for, before the moment of it. */
const startTimePrefix = 'since:'
/** Milliseconds by which that moment and the one that the store tells may differ: by the asking, and by their clocks. */
const maxStartSkewMs = 120_000

interface UploadContext {
  readonly signal: AbortSignal
  readonly onSent: (bytes: number) => void
  readonly onStarted?: (trace: string) => Promise<void>
}

type UploadTarget = CreateMultipartUploadCommandInput
type UploadSource = Pick<OutgoingFile, 'size' | 'open'>

/**
 * Sends a file to a bucket. Its parts are read from where it lies as they go out, so that none is ever whole in memory,
 * and read again when one has to be sent again. Nothing stays of what fails.
 */
export async function uploadToS3(
  client: S3Client,
  target: UploadTarget,
  file: UploadSource,
  sending: UploadContext,
): Promise<void> {
  const step = Math.max(partBytes, Math.ceil(file.size / maxParts))
  if (file.size > step) return uploadInParts(client, target, file, { ...sending, step })
  await sendRange(file, { start: 0, end: file.size }, sending, (Body, abortSignal) =>
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
  const failed = new AbortController()
  const partsSignal = AbortSignal.any([signal, failed.signal])
  await onStarted?.(`${startTimePrefix}${new Date().toISOString()} ${Key}`)
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target), { abortSignal: signal })
  const upload = { Bucket, Key, UploadId }
  const numbers = Array.from({ length: Math.ceil(file.size / step) }, (_, at) => at + 1)
  const tags = new Map<number, string | undefined>()
  const sending: Promise<void>[] = []
  const sendPart = async (PartNumber: number) => {
    const start = (PartNumber - 1) * step
    const range = { start, end: Math.min(start + step, file.size) }
    const part = { ...upload, PartNumber, ContentLength: range.end - range.start }
    const { ETag } = await sendRange(file, range, { signal: partsSignal, onSent }, (Body, abortSignal) =>
      client.send(new UploadPartCommand({ ...part, Body }), { abortSignal }),
    )
    tags.set(PartNumber, ETag)
  }
  try {
    await onStarted?.(`${UploadId} ${Key}`)
    await forEachConcurrently(numbers, maxConcurrentParts, (number) => {
      const part = sendPart(number)
      sending.push(part)
      return part
    })
    const Parts = numbers.map((PartNumber) => ({ PartNumber, ETag: tags.get(PartNumber) }))
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), {
      abortSignal: signal,
    })
  } catch (error) {
    failed.abort()
    // A part that arrives after the upload was given up would stay, and somebody pays for it.
    await Promise.allSettled(sending)
    await abort(client, upload)
    throw error
  }
}

/** Removes an upload that nobody goes on with. Where it does not succeed, the bucket's own rules have to. */
export async function abortUploadByTrace(client: S3Client, Bucket: string, trace: string): Promise<void> {
  const [id = '', ...key] = trace.split(' ')
  const Key = key.join(' ')
  if (!id.startsWith(startTimePrefix)) return abort(client, { Bucket, Key, UploadId: id })
  const startedMs = Date.parse(id.slice(startTimePrefix.length))
  await abortEmptyUploads(client, { Bucket, Key }, startedMs).catch(() => {})
}

/**
 * Ours is the one of this key that was begun then and has no part, unless somebody begins one of the same name at this
 * very moment: his next part would be refused.
 */
async function abortEmptyUploads(
  client: S3Client,
  { Bucket, Key }: { readonly Bucket: string; readonly Key: string },
  startedMs: number,
): Promise<void> {
  const withTimeout = { abortSignal: AbortSignal.timeout(cleanUpTimeoutMs) }
  const listUploads = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const { Uploads = [] } = await client.send(listUploads, withTimeout)
  for (const { Key: name, UploadId, Initiated } of Uploads) {
    const hasMatchingStart = Math.abs((Initiated?.getTime() ?? 0) - startedMs) < maxStartSkewMs
    if (name !== Key || !hasMatchingStart) continue
    const upload = { Bucket, Key, UploadId }
    const { Parts = [] } = await client.send(new ListPartsCommand({ ...upload, MaxParts: 1 }), withTimeout)
    if (Parts.length === 0) await abort(client, upload)
  }
}

async function abort(client: S3Client, upload: AbortMultipartUploadCommandInput): Promise<void> {
  const withTimeout = { abortSignal: AbortSignal.timeout(cleanUpTimeoutMs) }
  await client.send(new AbortMultipartUploadCommand(upload), withTimeout).catch(() => {})
}

/** The SDK cannot send a stream a second time: it is opened anew for each try. */
async function sendRange<T>(
  file: UploadSource,
  range: { readonly start: number; readonly end: number },
  { signal, onSent }: UploadContext,
  send: (body: Readable, abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const body = await file.open(range)
    // The SDK does not hear of it, and would wait for more.
    const bodyFailed = new AbortController()
    body.once('error', (error) => bodyFailed.abort(error))
    try {
      const response = await send(body, AbortSignal.any([signal, bodyFailed.signal]))
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

/** What is no answer of the store is a lost connection, which keeps its code. */
function isTransient(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const { httpStatusCode = 0 } = error.$metadata
    return httpStatusCode >= 500 || httpStatusCode === 429 || httpStatusCode === 408
  }
  return /^E(CONNRESET|PIPE|TIMEDOUT)|^TimeoutError/.test(codeOf(error))
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? String('code' in error ? error.code : error.name) : ''

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
import { eachOf } from '../map-concurrently.ts'
import type { OutgoingFile } from './transfer.ts'

/** Bytes of a part; S3 takes 10,000 of them. */
const partBytes = 8 * 1024 ** 2
const mostParts = 10_000
const partsAtATime = 3
/** Times that bytes are sent, and milliseconds before the second of them. */
const tries = 3
const pauseMs = 500
/** Milliseconds for taking away what was not finished. */
const clearUpMs = 5000
/** In place of the id of an upload that was asked for, before the moment of it. */
const nameless = 'since:'
/** Milliseconds by which that moment and the one that the store tells may differ: by the asking, and by their clocks. */
const beginMs = 120_000

interface Sending {
  readonly signal: AbortSignal
  readonly sent: (bytes: number) => void
  readonly begun?: (trace: string) => Promise<void>
}

type Target = CreateMultipartUploadCommandInput
type File = Pick<OutgoingFile, 'size' | 'open'>

/**
 * Sends a file to a bucket. Its parts are read from where it lies as they go out, so that none is ever whole in memory,
 * and read again when one has to be sent again. Nothing stays of what fails.
 */
export async function sendToS3(
  client: S3Client,
  target: Target,
  file: File,
  sending: Sending,
): Promise<void> {
  const step = Math.max(partBytes, Math.ceil(file.size / mostParts))
  if (file.size > step) return sendInParts(client, target, file, { ...sending, step })
  await sendRange(file, { start: 0, end: file.size }, sending, (Body, abortSignal) =>
    client.send(new PutObjectCommand({ ...target, Body, ContentLength: file.size }), { abortSignal }),
  )
}

async function sendInParts(
  client: S3Client,
  target: Target,
  file: File,
  { signal, sent, begun, step }: Sending & { readonly step: number },
): Promise<void> {
  const { Bucket, Key } = target
  const failed = new AbortController()
  const unlessFailed = AbortSignal.any([signal, failed.signal])
  await begun?.(`${nameless}${new Date().toISOString()} ${Key}`)
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target), { abortSignal: signal })
  const upload = { Bucket, Key, UploadId }
  const numbers = Array.from({ length: Math.ceil(file.size / step) }, (_, at) => at + 1)
  const tags = new Map<number, string | undefined>()
  const sending: Promise<void>[] = []
  const sendPart = async (PartNumber: number) => {
    const start = (PartNumber - 1) * step
    const range = { start, end: Math.min(start + step, file.size) }
    const part = { ...upload, PartNumber, ContentLength: range.end - range.start }
    const { ETag } = await sendRange(file, range, { signal: unlessFailed, sent }, (Body, abortSignal) =>
      client.send(new UploadPartCommand({ ...part, Body }), { abortSignal }),
    )
    tags.set(PartNumber, ETag)
  }
  try {
    await begun?.(`${UploadId} ${Key}`)
    await eachOf(numbers, partsAtATime, (number) => {
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
export async function dropUpload(client: S3Client, Bucket: string, trace: string): Promise<void> {
  const [id = '', ...key] = trace.split(' ')
  const Key = key.join(' ')
  if (!id.startsWith(nameless)) return abort(client, { Bucket, Key, UploadId: id })
  const begunMs = Date.parse(id.slice(nameless.length))
  await dropEmptyOf(client, { Bucket, Key }, begunMs).catch(() => {})
}

/**
 * Ours is the one of this key that was begun then and has no part, unless somebody begins one of the same name at this
 * very moment: his next part would be refused.
 */
async function dropEmptyOf(
  client: S3Client,
  { Bucket, Key }: { readonly Bucket: string; readonly Key: string },
  begunMs: number,
): Promise<void> {
  const inTime = { abortSignal: AbortSignal.timeout(clearUpMs) }
  const asked = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const { Uploads = [] } = await client.send(asked, inTime)
  for (const { Key: name, UploadId, Initiated } of Uploads) {
    const isFromThen = Math.abs((Initiated?.getTime() ?? 0) - begunMs) < beginMs
    if (name !== Key || !isFromThen) continue
    const upload = { Bucket, Key, UploadId }
    const { Parts = [] } = await client.send(new ListPartsCommand({ ...upload, MaxParts: 1 }), inTime)
    if (Parts.length === 0) await abort(client, upload)
  }
}

async function abort(client: S3Client, upload: AbortMultipartUploadCommandInput): Promise<void> {
  const inTime = { abortSignal: AbortSignal.timeout(clearUpMs) }
  await client.send(new AbortMultipartUploadCommand(upload), inTime).catch(() => {})
}

/** The SDK cannot send a stream a second time: it is opened anew for each try. */
async function sendRange<T>(
  file: File,
  range: { readonly start: number; readonly end: number },
  { signal, sent }: Sending,
  send: (body: Readable, abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    const body = await file.open(range)
    // The SDK does not hear of it, and would wait for more.
    const broken = new AbortController()
    body.once('error', (error) => broken.abort(error))
    try {
      const answer = await send(body, AbortSignal.any([signal, broken.signal]))
      sent(range.end - range.start)
      return answer
    } catch (failure) {
      signal.throwIfAborted()
      const error = body.errored ?? failure
      if (tried === tries || !mayPass(error)) throw error
      await sleep(pauseMs * 2 ** (tried - 1), undefined, { signal })
    } finally {
      body.destroy()
    }
  }
}

/** What is no answer of the store is a lost connection, which keeps its code. */
function mayPass(error: unknown): boolean {
  if (error instanceof S3ServiceException) {
    const { httpStatusCode = 0 } = error.$metadata
    return httpStatusCode >= 500 || httpStatusCode === 429 || httpStatusCode === 408
  }
  return /^E(CONNRESET|PIPE|TIMEDOUT)|^TimeoutError/.test(codeOf(error))
}

const codeOf = (error: unknown): string =>
  error instanceof Error ? String('code' in error ? error.code : error.name) : ''

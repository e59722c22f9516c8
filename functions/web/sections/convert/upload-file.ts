import {
  abortMultipart,
  completeMultipart,
  listUploadedParts,
  presign,
  presignParts,
  startMultipart,
  type UploadedPart,
} from '../../api.ts'
import { putBytes } from './put-bytes.ts'
import { Semaphore } from './semaphore.ts'
import { isTransient, type Progress, pause } from './watch-job.ts'

/** Files on their way to the storage: in one piece, or in parts of which a cut costs only one. */

/** From here on in parts (decisions 18, Page). */
const multipartThresholdBytes = 50_000_000
/** Uploads at a time; more would only make each of them slower. */
const uploadSlots = new Semaphore(3)
const maxParallelParts = 3
/** Addresses that are asked for at once. */
const urlBatchSize = 50

export interface UploadRequest {
  readonly file: File
  /** An upload in parts that was begun before. */
  readonly multipartUpload: { readonly uploadId: string; readonly partSize: number } | undefined
  /** Tells of an upload in parts, so that it can go on after a reload. */
  readonly onMultipartStart: (multipartUpload: {
    readonly uploadId: string
    readonly partSize: number
  }) => void
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

/** @returns the id under which the service knows the bytes */
export async function uploadFile(request: UploadRequest): Promise<string> {
  request.onProgress({ stage: 'waiting' })
  const release = await uploadSlots.acquire(request.signal)
  try {
    return request.file.size > multipartThresholdBytes || request.multipartUpload
      ? await uploadInParts(request)
      : await uploadWhole(request)
  } finally {
    release()
  }
}

const contentTypeOf = ({ type }: File) =>
  /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'

async function uploadWhole({ file, onProgress, signal }: UploadRequest): Promise<string> {
  const meter = createProgressMeter(file.size, onProgress)
  const fileInfo = { filename: file.name, contentType: contentTypeOf(file), size: file.size }
  const presigned = await withRetries(() => presign(fileInfo, signal), meter.interrupt, signal)
  await withRetries(() => putBytes(presigned, file, meter.show, signal), meter.interrupt, signal)
  return presigned.uploadId
}

async function uploadInParts({
  file,
  multipartUpload,
  onMultipartStart,
  onProgress,
  signal,
}: UploadRequest): Promise<string> {
  const meter = createProgressMeter(file.size, onProgress)
  const { uploadId, partSize } =
    multipartUpload ?? (await withRetries(() => startUpload(file, signal), meter.interrupt, signal))
  if (!multipartUpload) onMultipartStart({ uploadId, partSize })
  const { parts: uploaded, complete } = multipartUpload
    ? await withRetries(() => listUploadedParts(uploadId, signal), meter.interrupt, signal)
    : { parts: [], complete: false }
  if (complete) return uploadId
  const count = Math.ceil(file.size / partSize)
  const done = new Map<number, UploadedPart>(uploaded.map((part) => [part.PartNumber, part]))
  const sentBytesByPart = new Map<number, number>(uploaded.map((part) => [part.PartNumber, part.Size]))
  const report = () => meter.show([...sentBytesByPart.values()].reduce((sum, bytes) => sum + bytes, 0))
  report()
  const remaining = Array.from({ length: count }, (_, at) => at + 1).filter((number) => !done.has(number))
  const urls = new Map<number, string>()
  const sendPart = async (number: number) => {
    const bytes = file.slice((number - 1) * partSize, number * partSize)
    const put = async () => {
      const url =
        urls.get(number) ??
        (await getPartUrl(uploadId, [number, ...remaining.slice(0, urlBatchSize)], urls, signal))
      const count = (bytesSent: number) => {
        sentBytesByPart.set(number, bytesSent)
        report()
      }
      return putBytes({ url: url ?? '' }, bytes, count, signal)
    }
    const beforeRetry = () => {
      // An address may be out of date by now.
      urls.delete(number)
      sentBytesByPart.delete(number)
      meter.interrupt()
    }
    done.set(number, { PartNumber: number, ETag: await withRetries(put, beforeRetry, signal) })
  }
  const worker = async () => {
    for (let number = remaining.shift(); number !== undefined; number = remaining.shift())
      await sendPart(number)
  }
  await Promise.all(Array.from({ length: maxParallelParts }, worker))
  const parts = [...done.values()]
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    .toSorted((a, b) => a.PartNumber - b.PartNumber)
  await withRetries(() => completeMultipart(uploadId, parts, signal), meter.interrupt, signal)
  return uploadId
}

const startUpload = (file: File, signal: AbortSignal) =>
  startMultipart({ filename: file.name, type: contentTypeOf(file), size: file.size }, signal)

async function getPartUrl(
  uploadId: string,
  numbers: readonly number[],
  into: Map<number, string>,
  signal: AbortSignal,
) {
  const found = await presignParts(uploadId, numbers, signal)
  for (const [number, url] of Object.entries(found)) into.set(Number(number), url)
  return into.get(numbers[0] ?? 0)
}

/** What arrived of it goes; nobody waits for that. */
export function abortUpload(uploadId: string): void {
  void abortMultipart(uploadId).catch(() => {})
}

const firstPauseS = 0.5
const maxPauseS = 30
/** Tries of a piece while the line is there; a cut line is waited for as long as it takes. */
const maxTries = 5

/** Tries again after a cut, later and later, and at once when the line is back. */
async function withRetries<Value>(
  act: () => Promise<Value>,
  onInterruption: () => void,
  signal: AbortSignal,
): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error) || (tries >= maxTries && navigator.onLine)) throw error
      onInterruption()
      const seconds = Math.min(maxPauseS, error.retryAfterS ?? firstPauseS * 3 ** Math.min(tries - 1, 5))
      await Promise.race([pause(seconds, signal), untilOnline(signal)])
    }
  }
}

/** Never settles where the line is there: then the pause decides. */
function untilOnline(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return new Promise(() => {})
  return new Promise((resolve) => window.addEventListener('online', () => resolve(), { once: true, signal }))
}

/** Seconds over which speed is measured: shorter ones jump, longer ones lag. */
const speedWindowMs = 8000

/** Makes progress of bytes, with the time that is left as the last seconds went. */
function createProgressMeter(totalBytes: number, onProgress: (progress: Progress) => void) {
  const samples: { readonly at: number; readonly bytes: number }[] = []
  const show = (sentBytes: number) => {
    const at = performance.now()
    samples.push({ at, bytes: sentBytes })
    while (samples.length > 2 && (samples[0]?.at ?? at) < at - speedWindowMs) samples.shift()
    const first = samples[0] ?? { at, bytes: sentBytes }
    const speed = (sentBytes - first.bytes) / Math.max(1, at - first.at)
    const etaMs = speed > 0 && at - first.at > 1000 ? (totalBytes - sentBytes) / speed : undefined
    onProgress({ stage: 'uploading', sentBytes, totalBytes, etaMs })
  }
  const interrupt = () => {
    const sentBytes = samples.at(-1)?.bytes ?? 0
    samples.length = 0
    onProgress({ stage: 'uploading', sentBytes, totalBytes, isInterrupted: true })
  }
  show(0)
  return { show, interrupt }
}

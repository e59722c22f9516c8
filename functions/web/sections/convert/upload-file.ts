import { Semaphore } from '../../../../lib/async/semaphore.ts'
import {
  abortMultipart,
  completeMultipart,
  listUploadedParts,
  presignParts,
  requestPresignedUpload,
  startMultipartUpload,
  type UploadedPart,
} from '../../api.ts'
import { putBytes } from './put-bytes.ts'
import { type ConversionProgress, isTransient, pause } from './watch-job.ts'

/** Uploads files to the storage: in one request, or in parts, so that an interruption costs only one part. */

/** Files above this size, in bytes, are uploaded in parts. */
const multipartThresholdBytes = 50_000_000
/** Maximum number of parallel uploads; more would only slow each of them down. */
const uploadSlots = new Semaphore(3)
const maxParallelParts = 3
/** Number of presigned URLs per request. */
const urlBatchSize = 50

interface UploadRequest {
  readonly file: File
  /** A multipart upload of the same file that was started earlier. */
  readonly multipartUpload: { readonly uploadId: string; readonly partSize: number } | undefined
  /** Called when a multipart upload starts, so that it can be resumed after a reload. */
  readonly onMultipartStart: (multipartUpload: {
    readonly uploadId: string
    readonly partSize: number
  }) => void
  readonly onProgress: (progress: ConversionProgress) => void
  readonly signal: AbortSignal
}

/** Uploads a file. @returns the upload id */
export async function uploadFile(request: UploadRequest): Promise<string> {
  request.onProgress({ stage: 'waiting' })
  const release = await uploadSlots.acquire(request.signal)
  try {
    return request.file.size > multipartThresholdBytes || request.multipartUpload
      ? await uploadInParts(request)
      : await uploadInOneRequest(request)
  } finally {
    release()
  }
}

const getContentType = ({ type }: File) =>
  /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream'

async function uploadInOneRequest({ file, onProgress, signal }: UploadRequest): Promise<string> {
  const meter = createProgressMeter(file.size, onProgress)
  const fileInfo = { filename: file.name, contentType: getContentType(file), size: file.size }
  const presigned = await withRetries(() => requestPresignedUpload(fileInfo, signal), meter.interrupt, signal)
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
  const { parts: uploadedParts, complete } = multipartUpload
    ? await withRetries(() => listUploadedParts(uploadId, signal), meter.interrupt, signal)
    : { parts: [], complete: false }
  if (complete) return uploadId
  const count = Math.ceil(file.size / partSize)
  const doneParts = new Map<number, UploadedPart>(uploadedParts.map((part) => [part.PartNumber, part]))
  const sentBytesByPart = new Map<number, number>(uploadedParts.map((part) => [part.PartNumber, part.Size]))
  const report = () => meter.show([...sentBytesByPart.values()].reduce((sum, bytes) => sum + bytes, 0))
  report()
  const remainingParts = Array.from({ length: count }, (_, at) => at + 1).filter(
    (number) => !doneParts.has(number),
  )
  const urls = new Map<number, string>()
  const sendPart = async (number: number) => {
    const bytes = file.slice((number - 1) * partSize, number * partSize)
    const put = async () => {
      const url =
        urls.get(number) ??
        (await getPartUrl(uploadId, [number, ...remainingParts.slice(0, urlBatchSize - 1)], urls, signal))
      const reportSentBytes = (sentBytes: number) => {
        sentBytesByPart.set(number, sentBytes)
        report()
      }
      return putBytes({ url: url ?? '' }, bytes, reportSentBytes, signal)
    }
    const beforeRetry = () => {
      // The URL may have expired, so the next attempt requests another one.
      urls.delete(number)
      sentBytesByPart.delete(number)
      meter.interrupt()
    }
    doneParts.set(number, { PartNumber: number, ETag: await withRetries(put, beforeRetry, signal) })
  }
  const worker = async () => {
    for (let number = remainingParts.shift(); number !== undefined; number = remainingParts.shift())
      await sendPart(number)
  }
  await Promise.all(Array.from({ length: maxParallelParts }, worker))
  const parts = [...doneParts.values()]
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    .toSorted((a, b) => a.PartNumber - b.PartNumber)
  await withRetries(() => completeMultipart(uploadId, parts, signal), meter.interrupt, signal)
  return uploadId
}

const startUpload = (file: File, signal: AbortSignal) =>
  startMultipartUpload({ filename: file.name, type: getContentType(file), size: file.size }, signal)

async function getPartUrl(
  uploadId: string,
  numbers: readonly number[],
  partUrls: Map<number, string>,
  signal: AbortSignal,
) {
  const presignedParts = await presignParts(uploadId, numbers, signal)
  for (const [number, url] of Object.entries(presignedParts)) partUrls.set(Number(number), url)
  return partUrls.get(numbers[0] ?? 0)
}

/** Discards uploaded parts in the background. */
export function abortUpload(uploadId: string): void {
  void abortMultipart(uploadId).catch(() => {})
}

const firstRetryDelayS = 0.5
const maxPauseS = 30

/**
 * Retries an action after interruptions until it succeeds or the user cancels. Waits with back-off, or until the
 * connection returns.
 */
export async function withRetries<Value>(
  act: () => Promise<Value>,
  onInterruption: () => void,
  signal: AbortSignal,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!isTransient(error)) throw error
      onInterruption()
      const seconds = Math.min(
        maxPauseS,
        error.retryAfterS ?? firstRetryDelayS * 3 ** Math.min(attempt - 1, 5),
      )
      await Promise.race([pause(seconds, signal), waitUntilOnline(signal)])
    }
  }
}

/**
 * Resolves when the connection returns. If the browser is already online it never resolves, so that the back-off
 * decides.
 */
function waitUntilOnline(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return new Promise(() => {})
  return new Promise((resolve) => window.addEventListener('online', () => resolve(), { once: true, signal }))
}

/** Period over which the speed is measured: a shorter one fluctuates, a longer one lags. */
const speedWindowMs = 8000

/** Reports progress with the remaining time, based on the recent speed. */
function createProgressMeter(totalBytes: number, onProgress: (progress: ConversionProgress) => void) {
  const samples: { readonly at: number; readonly bytes: number }[] = []
  const show = (sentBytes: number) => {
    const at = performance.now()
    samples.push({ at, bytes: sentBytes })
    while (samples.length > 2 && (samples[0]?.at ?? at) < at - speedWindowMs) samples.shift()
    const firstSample = samples[0] ?? { at, bytes: sentBytes }
    const speed = (sentBytes - firstSample.bytes) / Math.max(1, at - firstSample.at)
    const etaMs = speed > 0 && at - firstSample.at > 1000 ? (totalBytes - sentBytes) / speed : undefined
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

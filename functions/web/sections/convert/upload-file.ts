import { beginParts, completeParts, dropParts, type Part, partsThere, partUrls, presign } from '../../api.ts'
import { isPassing, type Progress, pause } from './watch-job.ts'
import { Slots } from './semaphore.ts'
import { putBytes } from './put-bytes.ts'

/** Files on their way to the storage: in one piece, or in parts of which a cut costs only one. */

/** From here on in parts (decisions 18, Page). */
const partsFromBytes = 50_000_000
/** Uploads at a time; more would only make each of them slower. */
const uploadSlots = new Slots(3)
const partsAtATime = 3
/** Addresses that are asked for at once. */
const urlsAtOnce = 50

export interface Sending {
  readonly file: File
  /** An upload in parts that was begun before. */
  readonly begun: { readonly uploadId: string; readonly partSize: number } | undefined
  /** Tells of an upload in parts, so that it can go on after a reload. */
  readonly onBegun: (begun: { readonly uploadId: string; readonly partSize: number }) => void
  readonly onProgress: (progress: Progress) => void
  readonly signal: AbortSignal
}

/** @returns the id under which the service knows the bytes */
export async function send(sending: Sending): Promise<string> {
  sending.onProgress({ stage: 'waiting' })
  const release = await uploadSlots.take(sending.signal)
  try {
    return sending.file.size > partsFromBytes || sending.begun
      ? await sendInParts(sending)
      : await sendWhole(sending)
  } finally {
    release()
  }
}

const typeOf = ({ type }: File) => (/^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream')

async function sendWhole({ file, onProgress, signal }: Sending): Promise<string> {
  const meter = meterOf(file.size, onProgress)
  const announced = { filename: file.name, contentType: typeOf(file), size: file.size }
  const presigned = await persistently(() => presign(announced, signal), meter.cut, signal)
  await persistently(() => putBytes(presigned, file, meter.show, signal), meter.cut, signal)
  return presigned.uploadId
}

async function sendInParts({ file, begun, onBegun, onProgress, signal }: Sending): Promise<string> {
  const meter = meterOf(file.size, onProgress)
  const { uploadId, partSize } = begun ?? (await persistently(() => begin(file, signal), meter.cut, signal))
  if (!begun) onBegun({ uploadId, partSize })
  const { parts: there, complete } = begun
    ? await persistently(() => partsThere(uploadId, signal), meter.cut, signal)
    : { parts: [], complete: false }
  if (complete) return uploadId
  const count = Math.ceil(file.size / partSize)
  const done = new Map<number, Part>(there.map((part) => [part.PartNumber, part]))
  const sent = new Map<number, number>(there.map((part) => [part.PartNumber, part.Size]))
  const tell = () => meter.show([...sent.values()].reduce((sum, bytes) => sum + bytes, 0))
  tell()
  const open = Array.from({ length: count }, (_, at) => at + 1).filter((number) => !done.has(number))
  const urls = new Map<number, string>()
  const sendPart = async (number: number) => {
    const bytes = file.slice((number - 1) * partSize, number * partSize)
    const put = async () => {
      const url =
        urls.get(number) ?? (await signed(uploadId, [number, ...open.slice(0, urlsAtOnce)], urls, signal))
      const count = (bytesSent: number) => {
        sent.set(number, bytesSent)
        tell()
      }
      return putBytes({ url: url ?? '' }, bytes, count, signal)
    }
    const again = () => {
      // An address may be out of date by now.
      urls.delete(number)
      sent.delete(number)
      meter.cut()
    }
    done.set(number, { PartNumber: number, ETag: await persistently(put, again, signal) })
  }
  const worker = async () => {
    for (let number = open.shift(); number !== undefined; number = open.shift()) await sendPart(number)
  }
  await Promise.all(Array.from({ length: partsAtATime }, worker))
  const parts = [...done.values()]
    .map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    .toSorted((a, b) => a.PartNumber - b.PartNumber)
  await persistently(() => completeParts(uploadId, parts, signal), meter.cut, signal)
  return uploadId
}

const begin = (file: File, signal: AbortSignal) =>
  beginParts({ filename: file.name, type: typeOf(file), size: file.size }, signal)

async function signed(
  uploadId: string,
  numbers: readonly number[],
  into: Map<number, string>,
  signal: AbortSignal,
) {
  const found = await partUrls(uploadId, numbers, signal)
  for (const [number, url] of Object.entries(found)) into.set(Number(number), url)
  return into.get(numbers[0] ?? 0)
}

/** What arrived of it goes; nobody waits for that. */
export function forget(uploadId: string): void {
  void dropParts(uploadId).catch(() => {})
}

const firstPauseS = 0.5
const longestPauseS = 30
/** Tries of a piece while the line is there; a cut line is waited for as long as it takes. */
const mostTries = 5

/** Tries again after a cut, later and later, and at once when the line is back. */
async function persistently<Value>(
  act: () => Promise<Value>,
  onCut: () => void,
  signal: AbortSignal,
): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await act()
    } catch (error) {
      signal.throwIfAborted()
      if (!isPassing(error) || (tries >= mostTries && navigator.onLine)) throw error
      onCut()
      const seconds = Math.min(longestPauseS, error.retryAfterS ?? firstPauseS * 3 ** Math.min(tries - 1, 5))
      await Promise.race([pause(seconds, signal), online(signal)])
    }
  }
}

/** Never settles where the line is there: then the pause decides. */
function online(signal: AbortSignal): Promise<void> {
  if (navigator.onLine) return new Promise(() => {})
  return new Promise((resolve) => window.addEventListener('online', () => resolve(), { once: true, signal }))
}

/** Seconds over which speed is measured: shorter ones jump, longer ones lag. */
const spanMs = 8000

/** Makes progress of bytes, with the time that is left as the last seconds went. */
function meterOf(totalBytes: number, onProgress: (progress: Progress) => void) {
  const seen: { readonly at: number; readonly bytes: number }[] = []
  const show = (sentBytes: number) => {
    const at = performance.now()
    seen.push({ at, bytes: sentBytes })
    while (seen.length > 2 && (seen[0]?.at ?? at) < at - spanMs) seen.shift()
    const first = seen[0] ?? { at, bytes: sentBytes }
    const speed = (sentBytes - first.bytes) / Math.max(1, at - first.at)
    const etaMs = speed > 0 && at - first.at > 1000 ? (totalBytes - sentBytes) / speed : undefined
    onProgress({ stage: 'uploading', sentBytes, totalBytes, etaMs })
  }
  const cut = () => {
    const sentBytes = seen.at(-1)?.bytes ?? 0
    seen.length = 0
    onProgress({ stage: 'uploading', sentBytes, totalBytes, isCut: true })
  }
  show(0)
  return { show, cut }
}

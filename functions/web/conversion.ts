import { createJob, type Job, jobStatus, Problem, presign } from './api.ts'
import { type Listening, listen, type ProgressNews } from './live.ts'
import { Slots } from './slots.ts'
import { putFile } from './upload.ts'

/** One file on its way through the service: upload, job, end. */

export interface Wish {
  readonly file: File
  readonly targetFormat: string
  readonly options: Readonly<Record<string, unknown>>
}

export type Progress =
  | { readonly stage: 'waiting' }
  | { readonly stage: 'uploading'; readonly sentBytes: number; readonly totalBytes: number }
  | { readonly stage: 'starting' }
  | { readonly stage: 'running'; readonly job: Job; readonly isOffline: boolean }

type OnProgress = (progress: Progress) => void

/** Uploads at a time; more would only make each of them slower. */
const uploadSlots = new Slots(3)

/** Uploads that no job has taken yet, so that trying again does not send the file again. */
const unused = new WeakMap<File, string>()

/** @returns the job as soon as the service has it; `watchJob` tells the rest. */
export async function startConversion(wish: Wish, onProgress: OnProgress, signal: AbortSignal): Promise<Job> {
  const { file, ...request } = wish
  const kept = unused.get(file)
  unused.delete(file)
  const uploadId = kept ?? (await upload(file, onProgress, signal))
  onProgress({ stage: 'starting' })
  try {
    // Not given up when the user cancels: the answer names the job that then has to be cancelled.
    return await createJob({ uploadId, ...request })
  } catch (error) {
    const isSpent =
      error instanceof Problem && ['CONFLICT', 'UPLOAD_NOT_FOUND', 'UPLOAD_INCOMPLETE'].includes(error.code)
    if (!isSpent) unused.set(file, uploadId)
    else if (kept) return startConversion(wish, onProgress, signal)
    throw error
  }
}

async function upload(file: File, onProgress: OnProgress, signal: AbortSignal): Promise<string> {
  onProgress({ stage: 'waiting' })
  const release = await uploadSlots.take(signal)
  try {
    const contentType = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream'
    const presigned = await presign({ filename: file.name, contentType, size: file.size }, signal)
    const tell = (sentBytes: number) => onProgress({ stage: 'uploading', sentBytes, totalBytes: file.size })
    tell(0)
    await putFile(presigned, file, tell, signal)
    return presigned.uploadId
  } finally {
    release()
  }
}

const isOver = ({ status }: Job) => status !== 'pending' && status !== 'queued' && status !== 'processing'

/**
 * A browser has six connections to an HTTP/1.1 server, and uploads take three. Up to this many jobs are watched by requests that the
 * service holds until there is news; with more of them each job is asked for now and then.
 */
const heldRequests = 2
const holdS = 1
const pauseS = 2
let watched = 0

/**
 * Tells of every step of a job until it is over, as the service tells of them; while it cannot be heard, it is asked.
 * A lost connection only makes it wait.
 */
export async function watchJob(job: Job, onProgress: OnProgress, signal: AbortSignal): Promise<Job> {
  watched += 1
  const listening = listen(job.jobId)
  let latest = job
  let isAsked = false
  try {
    while (!isOver(latest)) {
      onProgress({ stage: 'running', job: latest, isOffline: false })
      if (isAsked) latest = await toldUntil(latest, listening, onProgress, signal)
      const isHeard = listening.isUp()
      const hold = watched <= heldRequests && !isHeard
      try {
        const { data, retryAfterS } = await jobStatus(job.jobId, signal, hold ? holdS : undefined)
        latest = data
        isAsked = true
        if (!hold && !isHeard && !isOver(latest)) await pause(retryAfterS ?? pauseS, signal)
      } catch (error) {
        if (!isPassing(error)) throw error
        onProgress({ stage: 'running', job: latest, isOffline: error.code !== 'RATE_LIMITED' })
        await pause(error.retryAfterS ?? pauseS, signal)
      }
    }
    return latest
  } finally {
    listening.stop()
    watched -= 1
  }
}

/** As far as news tell by themselves; then it is time to ask. */
async function toldUntil(
  job: Job,
  listening: Listening,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Job> {
  let latest = job
  while (listening.isUp()) {
    const news = await listening.next(signal)
    if (!news) break
    latest = further(latest, news)
    onProgress({ stage: 'running', job: latest, isOffline: false })
  }
  return latest
}

/** Below this there is too little to reckon from. */
const leastPercentForEta = 5

function further(job: Job, { percent, stage, taskName, at }: ProgressNews): Job {
  const spentMs = job.startedAt ? Date.parse(at) - Date.parse(job.startedAt) : 0
  const etaMs =
    percent < leastPercentForEta || spentMs <= 0 ? null : Math.round((spentMs * (100 - percent)) / percent)
  return { ...job, status: 'processing', progress: { percent, stage, taskName, etaMs } }
}

const passing: ReadonlySet<string> = new Set([
  ...['UNREACHABLE', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
])

/** Says nothing about the job, only about the asking. */
const isPassing = (error: unknown): error is Problem => error instanceof Problem && passing.has(error.code)

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => {
    clearTimeout(timer)
    reject(signal.reason)
  }
  const timer = setTimeout(() => {
    signal.removeEventListener('abort', stop)
    resolve()
  }, seconds * 1000)
  signal.addEventListener('abort', stop, { once: true })
  return promise
}

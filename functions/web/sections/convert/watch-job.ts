import { fetchJobStatus, type Job, Problem } from '../../api.ts'
import { type JobSubscription, type ProgressUpdate, subscribeToJob } from '../../job-events.ts'

/** Follows a job until it is finished. */

export type ConversionProgress =
  | { readonly stage: 'waiting' }
  | {
      readonly stage: 'uploading'
      readonly sentBytes: number
      readonly totalBytes: number
      readonly etaMs?: number | undefined
      /** Whether the connection is lost and the upload is being retried. */
      readonly isInterrupted?: boolean
    }
  | { readonly stage: 'starting' }
  | { readonly stage: 'running'; readonly job: Job; readonly isOffline: boolean }

type OnProgress = (progress: ConversionProgress) => void

const isFinished = ({ status }: Job) => status !== 'pending' && status !== 'queued' && status !== 'processing'

/**
 * Maximum number of jobs that are watched with long polling; if there are more, all are polled at intervals. Browsers
 * open at most six connections to an HTTP/1.1 server, and uploads need some of them.
 */
const maxLongPolls = 2
const longPollS = 1
const pollPauseS = 2
let watchedJobCount = 0

/**
 * Reports every step of a job until it is finished, from events if possible, otherwise by polling. A lost connection
 * only causes a delay.
 */
export async function watchJob(job: Job, onProgress: OnProgress, signal: AbortSignal): Promise<Job> {
  watchedJobCount += 1
  const subscription = subscribeToJob(job.jobId)
  let latestJob = job
  let hasPolled = false
  try {
    while (!isFinished(latestJob)) {
      onProgress({ stage: 'running', job: latestJob, isOffline: false })
      if (hasPolled) latestJob = await followUpdates(latestJob, subscription, onProgress, signal)
      const isLive = subscription.isConnected()
      const usesLongPoll = watchedJobCount <= maxLongPolls && !isLive
      try {
        const { data, retryAfterS } = await fetchJobStatus(
          job.jobId,
          signal,
          usesLongPoll ? longPollS : undefined,
        )
        latestJob = data
        hasPolled = true
        if (!usesLongPoll && !isLive && !isFinished(latestJob)) await pause(retryAfterS ?? pollPauseS, signal)
      } catch (error) {
        if (!isTransient(error)) throw error
        onProgress({ stage: 'running', job: latestJob, isOffline: error.code !== 'RATE_LIMITED' })
        await pause(error.retryAfterS ?? pollPauseS, signal)
      }
    }
    return latestJob
  } finally {
    subscription.stop()
    watchedJobCount -= 1
  }
}

/** Applies progress events until the caller needs to poll again. */
async function followUpdates(
  job: Job,
  subscription: JobSubscription,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Job> {
  let latestJob = job
  while (subscription.isConnected()) {
    const update = await subscription.next(signal)
    if (!update) break
    latestJob = applyProgress(latestJob, update)
    onProgress({ stage: 'running', job: latestJob, isOffline: false })
  }
  return latestJob
}

/** Below this percentage, an estimate of the remaining time would be too unreliable. */
const minPercentForEta = 5

function applyProgress(job: Job, { percent, stage, taskName, at }: ProgressUpdate): Job {
  const elapsedMs = job.startedAt ? Date.parse(at) - Date.parse(job.startedAt) : 0
  const etaMs =
    percent < minPercentForEta || elapsedMs <= 0 ? null : Math.round((elapsedMs * (100 - percent)) / percent)
  return { ...job, status: 'processing', progress: { percent, stage, taskName, etaMs } }
}

const transientCodes: ReadonlySet<string> = new Set([
  ...['UNREACHABLE', 'UPLOAD_REFUSED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
])

/** Whether the error was caused by the connection or the server, not by the request itself. */
export const isTransient = (error: unknown): error is Problem =>
  error instanceof Problem && transientCodes.has(error.code)

export function pause(seconds: number, signal: AbortSignal): Promise<void> {
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

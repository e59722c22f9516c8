import { fetchJobStatus, type Job, Problem } from '../../api.ts'
import { type JobSubscription, type ProgressUpdate, subscribeToJob } from '../../job-events.ts'

/** One job on its way through the service, until its end. */

export type Progress =
  | { readonly stage: 'waiting' }
  | {
      readonly stage: 'uploading'
      readonly sentBytes: number
      readonly totalBytes: number
      readonly etaMs?: number | undefined
      /** The connection is gone, and it is tried again. */
      readonly isInterrupted?: boolean
    }
  | { readonly stage: 'starting' }
  | { readonly stage: 'running'; readonly job: Job; readonly isOffline: boolean }

type OnProgress = (progress: Progress) => void

const isFinished = ({ status }: Job) => status !== 'pending' && status !== 'queued' && status !== 'processing'

/**
 * A browser has six connections to an HTTP/1.1 server, and uploads take three. Up to this many jobs are watched by requests that the
 * service holds until there is news; with more of them each job is asked for now and then.
 */
const maxLongPolls = 2
const longPollS = 1
const pollPauseS = 2
let watchedJobs = 0

/**
 * Tells of every step of a job until it is over, as the service tells of them; while it cannot be heard, it is asked.
 * A lost connection only makes it wait.
 */
export async function watchJob(job: Job, onProgress: OnProgress, signal: AbortSignal): Promise<Job> {
  watchedJobs += 1
  const subscription = subscribeToJob(job.jobId)
  let latest = job
  let hasPolled = false
  try {
    while (!isFinished(latest)) {
      onProgress({ stage: 'running', job: latest, isOffline: false })
      if (hasPolled) latest = await followUpdates(latest, subscription, onProgress, signal)
      const isLive = subscription.isConnected()
      const usesLongPoll = watchedJobs <= maxLongPolls && !isLive
      try {
        const { data, retryAfterS } = await fetchJobStatus(
          job.jobId,
          signal,
          usesLongPoll ? longPollS : undefined,
        )
        latest = data
        hasPolled = true
        if (!usesLongPoll && !isLive && !isFinished(latest)) await pause(retryAfterS ?? pollPauseS, signal)
      } catch (error) {
        if (!isTransient(error)) throw error
        onProgress({ stage: 'running', job: latest, isOffline: error.code !== 'RATE_LIMITED' })
        await pause(error.retryAfterS ?? pollPauseS, signal)
      }
    }
    return latest
  } finally {
    subscription.stop()
    watchedJobs -= 1
  }
}

/** As far as news tell by themselves; then it is time to ask. */
async function followUpdates(
  job: Job,
  subscription: JobSubscription,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Job> {
  let latest = job
  while (subscription.isConnected()) {
    const update = await subscription.next(signal)
    if (!update) break
    latest = applyProgress(latest, update)
    onProgress({ stage: 'running', job: latest, isOffline: false })
  }
  return latest
}

/** Below this there is too little to reckon from. */
const minPercentForEta = 5

function applyProgress(job: Job, { percent, stage, taskName, at }: ProgressUpdate): Job {
  const spentMs = job.startedAt ? Date.parse(at) - Date.parse(job.startedAt) : 0
  const etaMs =
    percent < minPercentForEta || spentMs <= 0 ? null : Math.round((spentMs * (100 - percent)) / percent)
  return { ...job, status: 'processing', progress: { percent, stage, taskName, etaMs } }
}

const transientCodes: ReadonlySet<string> = new Set([
  ...['UNREACHABLE', 'UPLOAD_REFUSED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
])

/** Says nothing about what is asked for, only about the asking. */
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

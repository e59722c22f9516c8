import { type Job, jobStatus, Problem } from '../../api.ts'
import { type Listening, listen, type ProgressNews } from '../../job-events.ts'

/** One job on its way through the service, until its end. */

export type Progress =
  | { readonly stage: 'waiting' }
  | {
      readonly stage: 'uploading'
      readonly sentBytes: number
      readonly totalBytes: number
      readonly etaMs?: number | undefined
      /** The connection is gone, and it is tried again. */
      readonly isCut?: boolean
    }
  | { readonly stage: 'starting' }
  | { readonly stage: 'running'; readonly job: Job; readonly isOffline: boolean }

type OnProgress = (progress: Progress) => void

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
  ...['UNREACHABLE', 'UPLOAD_REFUSED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
])

/** Says nothing about what is asked for, only about the asking. */
export const isPassing = (error: unknown): error is Problem =>
  error instanceof Problem && passing.has(error.code)

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

import { getOwnerToken } from './api.ts'

/**
 * Receives job events through one WebSocket, which is open while there are subscribers. Without a connection, no
 * updates arrive, and callers poll instead.
 */

export interface ProgressUpdate {
  readonly percent: number
  readonly stage: string
  readonly taskName: string | null
  /** Timestamp (RFC 3339). */
  readonly at: string
}

/**
 * Progress of a job. Undefined if something else happened or events may have been missed; the caller should then poll.
 */
type JobUpdate = ProgressUpdate | undefined

interface Subscriber {
  readonly updates: JobUpdate[]
  wake: () => void
}

const subscribers = new Map<string, Set<Subscriber>>()
let socket: WebSocket | undefined
let isConnected = false
let failureCount = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** If no event arrives for this long, callers should poll, because the connection may be dead. */
const maxSilenceMs = 30_000
/** An unused connection is closed after this time. */
const maxIdleMs = 20_000
const heartbeatIntervalMs = 30_000

export interface JobSubscription {
  /** Whether updates can arrive. */
  readonly isConnected: () => boolean
  next(signal: AbortSignal): Promise<JobUpdate>
  stop(): void
}

export function subscribeToJob(jobId: string): JobSubscription {
  const subscriber: Subscriber = { updates: [], wake: () => undefined }
  const jobSubscribers = subscribers.get(jobId) ?? new Set()
  subscribers.set(jobId, jobSubscribers.add(subscriber))
  clearTimeout(timer)
  if (!socket) connect()
  return {
    isConnected: () => isConnected,
    next: async (signal) => {
      if (subscriber.updates.length === 0) await waitForUpdate(subscriber, signal)
      return subscriber.updates.shift()
    },
    stop: () => {
      jobSubscribers.delete(subscriber)
      if (jobSubscribers.size === 0) subscribers.delete(jobId)
      if (subscribers.size === 0) timer = setTimeout(() => socket?.close(), maxIdleMs)
    },
  }
}

function waitForUpdate(subscriber: Subscriber, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(signal.reason)
  const silenceTimer = setTimeout(resolve, maxSilenceMs)
  subscriber.wake = resolve
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(silenceTimer)
    signal.removeEventListener('abort', stop)
  })
}

function connect(): void {
  // The old connection may be dead and events may have been missed. Adding the same listener twice has no effect.
  window.addEventListener('online', notifyAll)
  const token = getOwnerToken()
  // The token is only needed if cookies are disabled.
  const protocols = ['v1.jobs', ...(token ? [`bearer.${token}`] : [])]
  const connection = new WebSocket(
    new URL('/v1/ws/user/jobs', location.href.replace(/^http/, 'ws')),
    protocols,
  )
  socket = connection
  const heartbeatTimer = setInterval(() => {
    if (connection.readyState === WebSocket.OPEN) connection.send('{"type":"ping"}')
  }, heartbeatIntervalMs)
  connection.addEventListener('message', ({ data }) => handleFrame(String(data)))
  connection.addEventListener('close', () => {
    clearInterval(heartbeatTimer)
    socket = undefined
    isConnected = false
    notifyAll()
    if (subscribers.size === 0) return
    failureCount += 1
    // The delay has jitter, so that not all pages reconnect at the same time after a restart of the service.
    timer = setTimeout(connect, Math.min(60_000, 1000 * 2 ** failureCount) * (0.5 + Math.random()))
  })
}

/** Tells all subscribers that events may have been missed. */
function notifyAll(): void {
  for (const jobSubscribers of subscribers.values())
    for (const subscriber of jobSubscribers) notify(subscriber, undefined)
}

function notify(subscriber: Subscriber, update: JobUpdate): void {
  subscriber.updates.push(update)
  subscriber.wake()
}

interface EventFrame {
  readonly type: string
  readonly event?: string
  readonly timestamp?: string
  readonly job?: {
    readonly id: string
    readonly progress?: { readonly percent: number; readonly stage: string; readonly taskName?: string }
  }
}

function handleFrame(text: string): void {
  const frame = JSON.parse(text) as EventFrame // as documented by the service
  if (frame.type === 'hello') {
    isConnected = true
    failureCount = 0
    notifyAll()
  }
  if (frame.type !== 'event' || !frame.job) return
  const { id, progress } = frame.job
  const update =
    frame.event === 'job.progress' && progress
      ? { ...progress, taskName: progress.taskName ?? null, at: frame.timestamp ?? '' }
      : undefined
  for (const subscriber of subscribers.get(id) ?? []) notify(subscriber, update)
}

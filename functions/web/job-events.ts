import { ownIdentity } from './api.ts'

/**
 * What happens to jobs, heard by one WebSocket of the page while somebody listens. Where none stands, nobody is told
 * anything, and whoever waits asks by itself.
 */

export interface ProgressNews {
  readonly percent: number
  readonly stage: string
  readonly taskName: string | null
  /** RFC 3339. */
  readonly at: string
}

/** How far a job is; undefined when something else has happened, or may have, so that it is time to ask. */
export type News = ProgressNews | undefined

interface Ear {
  readonly news: News[]
  wake: () => void
}

const ears = new Map<string, Set<Ear>>()
let socket: WebSocket | undefined
let isUp = false
let failures = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** Milliseconds of silence after which it is time to ask: a connection may be dead without anybody knowing. */
const patienceMs = 30_000
/** Milliseconds after which an unused connection is closed. */
const idleMs = 20_000
const heartbeatMs = 30_000

export interface Listening {
  /** Whether news come. */
  readonly isUp: () => boolean
  next(signal: AbortSignal): Promise<News>
  stop(): void
}

export function listen(jobId: string): Listening {
  const ear: Ear = { news: [], wake: () => undefined }
  const others = ears.get(jobId) ?? new Set()
  ears.set(jobId, others.add(ear))
  clearTimeout(timer)
  if (!socket) connect()
  return {
    isUp: () => isUp,
    next: async (signal) => {
      if (ear.news.length === 0) await sound(ear, signal)
      return ear.news.shift()
    },
    stop: () => {
      others.delete(ear)
      if (others.size === 0) ears.delete(jobId)
      if (ears.size === 0) timer = setTimeout(() => socket?.close(), idleMs)
    },
  }
}

function sound(ear: Ear, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const stop = () => reject(signal.reason)
  const silence = setTimeout(resolve, patienceMs)
  ear.wake = resolve
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(silence)
    signal.removeEventListener('abort', stop)
  })
}

function connect(): void {
  // It may be dead since the line was cut, and nobody heard what happened meanwhile. Added once, however often.
  window.addEventListener('online', tellAll)
  const token = ownIdentity()
  // Where cookies are off.
  const protocols = ['v1.jobs', ...(token ? [`bearer.${token}`] : [])]
  const opened = new WebSocket(new URL('/v1/ws/user/jobs', location.href.replace(/^http/, 'ws')), protocols)
  socket = opened
  const beat = setInterval(() => {
    if (opened.readyState === WebSocket.OPEN) opened.send('{"type":"ping"}')
  }, heartbeatMs)
  opened.addEventListener('message', ({ data }) => hear(String(data)))
  opened.addEventListener('close', () => {
    clearInterval(beat)
    socket = undefined
    isUp = false
    tellAll()
    if (ears.size === 0) return
    failures += 1
    // Not all pages at once, after a restart of the service.
    timer = setTimeout(connect, Math.min(60_000, 1000 * 2 ** failures) * (0.5 + Math.random()))
  })
}

/** Whatever came before is not known any more. */
function tellAll(): void {
  for (const all of ears.values()) for (const ear of all) tell(ear, undefined)
}

function tell(ear: Ear, news: News): void {
  ear.news.push(news)
  ear.wake()
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

function hear(text: string): void {
  const frame = JSON.parse(text) as EventFrame // as the service describes it
  if (frame.type === 'hello') {
    isUp = true
    failures = 0
    tellAll()
  }
  if (frame.type !== 'event' || !frame.job) return
  const { id, progress } = frame.job
  const news =
    frame.event === 'job.progress' && progress
      ? { ...progress, taskName: progress.taskName ?? null, at: frame.timestamp ?? '' }
      : undefined
  for (const ear of ears.get(id) ?? []) tell(ear, news)
}

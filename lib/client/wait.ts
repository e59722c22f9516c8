import type { Api, Job } from './api-types.ts'
import { eventsOf } from './event-stream.ts'
import { isFailure, MutaborError } from './failure.ts'
import { pause, type Transport } from './transport.ts'

export type Progress = Job['progress']

/** An event of a job, as webhooks get it. */
export type JobEvent = Extract<Api['events'][keyof Api['events']], { job: unknown }>

export interface Waiting {
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds after which a wait fails with WAIT_ENDED; the job goes on. A day when left out. */
  readonly timeoutMs?: number | undefined
}

const ends: readonly string[] = ['completed', 'failed', 'cancelled', 'expired']
export const isOver = ({ status }: { readonly status: string }): boolean => ends.includes(status)

/** The job now, or, with `waitS`, when it is over and at the latest then. */
export const statusOf = (
  transport: Transport,
  jobId: string,
  waitS = 0,
  signal?: AbortSignal,
): Promise<Job> =>
  transport.call({
    ...{ operation: 'GET /v1/status/{jobId}', path: { jobId }, signal },
    ...(waitS > 0 && { headers: { prefer: `wait=${waitS}` } }),
  }) as Promise<Job> // by the contract

/** The job when it is over: heard by server-sent events, or asked for where those do not get through. */
export async function waitFor(transport: Transport, jobId: string, waiting: Waiting = {}): Promise<Job> {
  const deadline = AbortSignal.timeout(waiting.timeoutMs ?? 86_400_000)
  const signal = waiting.signal ? AbortSignal.any([waiting.signal, deadline]) : deadline
  const tell = waiting.onProgress ?? (() => undefined)
  try {
    return (await listened(transport, jobId, tell, signal)) ?? (await asked(transport, jobId, tell, signal))
  } catch (thrown) {
    if (!deadline.aborted || waiting.signal?.aborted) throw thrown
    throw new MutaborError('WAIT_ENDED', `The job ${jobId} is not over yet.`, { details: { jobId } })
  }
}

type Tell = (progress: Progress) => void

/** Undefined where a stream of events does not get through. */
async function listened(
  transport: Transport,
  jobId: string,
  tell: Tell,
  signal: AbortSignal,
): Promise<Job | undefined> {
  let percent = -1
  const told = (progress: Progress) => {
    if (progress.percent > percent) tell(progress)
    percent = Math.max(percent, progress.percent)
  }
  try {
    for await (const { snapshot, event } of followed(transport, jobId, { signal })) {
      if (snapshot && isOver(snapshot)) return snapshot
      if (snapshot) told(snapshot.progress)
      else if (event?.event === 'job.progress') told({ taskName: null, etaMs: null, ...event.job.progress })
    }
    return await statusOf(transport, jobId, 0, signal).then((job) => (isOver(job) ? job : undefined))
  } catch (thrown) {
    if (isFailure(thrown, 'UNREACHABLE')) return undefined
    throw thrown
  }
}

async function asked(transport: Transport, jobId: string, tell: Tell, signal: AbortSignal): Promise<Job> {
  for (;;) {
    const job = await statusOf(transport, jobId, 5, signal)
    if (isOver(job)) return job
    tell(job.progress)
    // Where the service does not hold its answer back.
    await pause(500, signal)
  }
}

/** Milliseconds without a byte after which a stream counts as dead; the service sends one more often. */
const silenceMs = 60_000
/** Milliseconds until the service's first word, which it says at once: a proxy that holds it back may do so to the end. */
const firstMs = 15_000

/** What is told of a job: first, and after a gap, the job as it is; then what happens to it. */
export interface Heard {
  readonly snapshot?: Job
  readonly event?: JobEvent
}

const isLast = ({ snapshot, event }: Heard): boolean =>
  snapshot ? isOver(snapshot) : isOver({ status: String(event?.event).slice('job.'.length) })

/** Where a client is in the events of a job. */
interface Place {
  lastEventId: string | undefined
  retryMs: number
  /** The service has no more to tell. */
  isEnd: boolean
}

const unheard = () => new MutaborError('UNREACHABLE', 'Server-sent events do not get through.')

/** The job and each of its events until the last; a stream that breaks is taken up where it was. */
export async function* followed(
  transport: Transport,
  jobId: string,
  { signal, lastEventId }: { signal?: AbortSignal | undefined; lastEventId?: string | undefined } = {},
): AsyncGenerator<Heard> {
  const place: Place = { lastEventId, retryMs: 1000, isEnd: false }
  // Behind a proxy that lets nothing through, streams would be opened for ever.
  for (let empty = 0; empty < 3; ) {
    const before = place.lastEventId
    for await (const heard of oneStream(transport, jobId, place, signal)) {
      yield heard
      if (isLast(heard)) return
    }
    if (place.isEnd) return
    empty = place.lastEventId === before ? empty + 1 : 0
    await pause(place.retryMs, signal)
  }
  throw unheard()
}

async function* oneStream(
  transport: Transport,
  jobId: string,
  place: Place,
  signal?: AbortSignal,
): AsyncGenerator<Heard> {
  const silence = new AbortController()
  let timer = setTimeout(() => silence.abort(unheard()), firstMs)
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  try {
    const both = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal
    const body = await streamOf(transport, jobId, place, both)
    if (!body) return
    for await (const { name, id, data } of eventsOf(body, alive)) {
      if (name === 'retry') place.retryMs = Number(data)
      else {
        place.lastEventId = id || place.lastEventId
        const told = JSON.parse(data) as Job & JobEvent // as the service sends it
        yield name === 'snapshot' ? { snapshot: told } : { event: told }
      }
    }
  } catch (thrown) {
    // A line that breaks is one that ends.
    if (signal?.aborted || isFailure(thrown) || thrown instanceof SyntaxError) throw thrown
  } finally {
    clearTimeout(timer)
  }
}

/** Undefined when there is no more to tell. */
async function streamOf(transport: Transport, jobId: string, place: Place, signal: AbortSignal) {
  const { lastEventId } = place
  const { status, headers, body } = await transport.send({
    ...{ operation: 'GET /v1/jobs/{jobId}/events', path: { jobId }, signal },
    headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
  })
  place.isEnd = status === 204
  if (place.isEnd) return undefined
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) throw unheard()
  return body
}

import type { Api, Job } from './api-types.ts'
import { isFailure, MutaborError } from './errors.ts'
import { parseEvents } from './event-stream.ts'
import { sleep, type Transport } from './transport.ts'

export type Progress = Job['progress']

/** A job event, in the same form as in webhooks. */
export type JobEvent = Extract<Api['events'][keyof Api['events']], { job: unknown }>

export interface WaitOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the wait fails with WAIT_ENDED; the job keeps running. Defaults to a day. */
  readonly timeoutMs?: number | undefined
}

const terminalStatuses: readonly string[] = ['completed', 'failed', 'cancelled', 'expired']
export const isFinished = ({ status }: { readonly status: string }): boolean =>
  terminalStatuses.includes(status)

/** Returns the job: immediately or, with `waitS`, when it has finished or after that many seconds. */
export const fetchJob = (
  transport: Transport,
  jobId: string,
  waitS = 0,
  signal?: AbortSignal,
): Promise<Job> =>
  transport.call({
    operation: 'GET /v1/status/{jobId}',
    path: { jobId },
    signal,
    ...(waitS > 0 && { headers: { prefer: `wait=${waitS}` } }),
  }) as Promise<Job> // as the API contract says

/** Waits until the job has finished: through server-sent events or, where these are blocked, by polling. */
export async function waitForJob(
  transport: Transport,
  jobId: string,
  options: WaitOptions = {},
): Promise<Job> {
  const deadline = AbortSignal.timeout(options.timeoutMs ?? 86_400_000)
  const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
  const onProgress = options.onProgress ?? (() => undefined)
  try {
    return (
      (await waitByEvents(transport, jobId, onProgress, signal)) ??
      (await waitByPolling(transport, jobId, onProgress, signal))
    )
  } catch (thrownError) {
    if (!deadline.aborted || options.signal?.aborted) throw thrownError
    throw new MutaborError(
      'WAIT_ENDED',
      `The job ${jobId} has not finished in time. It keeps running: wait again, or cancel it.`,
      { details: { jobId } },
    )
  }
}

type ProgressListener = (progress: Progress) => void

/** Waits with an event stream. Returns undefined if a proxy blocks it. */
async function waitByEvents(
  transport: Transport,
  jobId: string,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<Job | undefined> {
  let percent = -1
  const report = (progress: Progress) => {
    if (progress.percent > percent) onProgress(progress)
    percent = Math.max(percent, progress.percent)
  }
  try {
    for await (const { snapshot, event } of followJob(transport, jobId, { signal })) {
      if (snapshot && isFinished(snapshot)) return snapshot
      if (snapshot) report(snapshot.progress)
      else if (event?.event === 'job.progress') report({ taskName: null, etaMs: null, ...event.job.progress })
    }
    return await fetchJob(transport, jobId, 0, signal).then((job) => (isFinished(job) ? job : undefined))
  } catch (thrownError) {
    if (isFailure(thrownError, 'UNREACHABLE')) return undefined
    throw thrownError
  }
}

async function waitByPolling(
  transport: Transport,
  jobId: string,
  onProgress: ProgressListener,
  signal: AbortSignal,
): Promise<Job> {
  for (;;) {
    const job = await fetchJob(transport, jobId, 5, signal)
    if (isFinished(job)) return job
    onProgress(job.progress)
    // Pauses before the next request, in case the service responds without waiting.
    await sleep(500, signal)
  }
}

/** A stream that is silent for this long is considered dead; the service sends keep-alives more often. */
const silenceTimeoutMs = 60_000
/** The service sends the first byte immediately. If it takes longer, a proxy is probably buffering the whole stream. */
const firstByteTimeoutMs = 15_000

/** A message of the event stream: a snapshot of the job at the start and after missed events, otherwise an event. */
export interface StreamMessage {
  readonly snapshot?: Job
  readonly event?: JobEvent
}

const isLastMessage = ({ snapshot, event }: StreamMessage): boolean =>
  snapshot ? isFinished(snapshot) : isFinished({ status: String(event?.event).slice('job.'.length) })

/** How far the client has read the events of a job. */
interface StreamPosition {
  lastEventId: string | undefined
  retryMs: number
  /** Whether the service has sent all events. */
  hasEnded: boolean
}

const createStreamBlockedError = () =>
  new MutaborError('UNREACHABLE', 'Server-sent events are blocked, probably by a proxy.')

/** Yields a snapshot of the job, and its events until the last one. Resumes broken streams where they stopped. */
export async function* followJob(
  transport: Transport,
  jobId: string,
  { signal, lastEventId }: { signal?: AbortSignal | undefined; lastEventId?: string | undefined } = {},
): AsyncGenerator<StreamMessage> {
  const position: StreamPosition = { lastEventId, retryMs: 1000, hasEnded: false }
  // Gives up after a few empty streams: behind a proxy that blocks events, the loop would reopen streams forever.
  for (let emptyStreams = 0; emptyStreams < 3; ) {
    const previousEventId = position.lastEventId
    for await (const message of readStream(transport, jobId, position, signal)) {
      yield message
      if (isLastMessage(message)) return
    }
    if (position.hasEnded) return
    emptyStreams = position.lastEventId === previousEventId ? emptyStreams + 1 : 0
    await sleep(position.retryMs, signal)
  }
  throw createStreamBlockedError()
}

async function* readStream(
  transport: Transport,
  jobId: string,
  position: StreamPosition,
  signal?: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const silenceController = new AbortController()
  let timer = setTimeout(() => silenceController.abort(createStreamBlockedError()), firstByteTimeoutMs)
  const resetTimer = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silenceController.abort(), silenceTimeoutMs)
  }
  try {
    const combinedSignal = signal
      ? AbortSignal.any([signal, silenceController.signal])
      : silenceController.signal
    const body = await openStream(transport, jobId, position, combinedSignal)
    if (!body) return
    for await (const { name, id, data } of parseEvents(body, resetTimer)) {
      if (name === 'retry') position.retryMs = Number(data)
      else {
        position.lastEventId = id || position.lastEventId
        const message = JSON.parse(data) as Job & JobEvent // as sent by the service
        yield name === 'snapshot' ? { snapshot: message } : { event: message }
      }
    }
  } catch (thrownError) {
    // A broken connection is treated as the end of the stream.
    if (signal?.aborted || isFailure(thrownError) || thrownError instanceof SyntaxError) throw thrownError
  } finally {
    clearTimeout(timer)
  }
}

/** Returns undefined when there are no further events. */
async function openStream(
  transport: Transport,
  jobId: string,
  position: StreamPosition,
  signal: AbortSignal,
) {
  const { lastEventId } = position
  const { status, headers, body } = await transport.send({
    operation: 'GET /v1/jobs/{jobId}/events',
    path: { jobId },
    signal,
    headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
  })
  position.hasEnded = status === 204
  if (position.hasEnded) return undefined
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) throw createStreamBlockedError()
  return body
}

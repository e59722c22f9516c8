import { loadViewState } from '../http/job-access.ts'
import { isTerminalStatus, type Job } from '../jobs/job.ts'
import { type StatusView, statusView } from '../jobs/view.ts'
import type { Services } from '../services.ts'
import { addition, type Entry, type Feed, Feeds } from './event-feed.ts'
import { isEnd, reduced } from './render.ts'

/** The events of one job as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */

/** Milliseconds after which a browser connects again. */
const retryMs = 1000
/** Silence after which proxies would take the connection for dead. */
const heartbeatMs = 15_000
/** How long to wait for what another process may have added. */
const lookMs = 1000
/** A stream that goes on and on is begun anew before its feed ends. */
export const longestMs = 2 * 3600_000

export interface StreamOptions {
  /** Of the last event that the client has had. */
  readonly lastEventId: number | undefined
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** The client gets nothing before the end, which therefore comes with the first events. */
  readonly isWhole: boolean
}

/** Undefined when the job is over and the client has had all of it. */
export async function eventStream(
  job: Job,
  services: Services,
  options: StreamOptions,
): Promise<AsyncIterable<string> | undefined> {
  const feeds = new Feeds(services.table)
  const feed = await feeds.watch(job.owner)
  const { lastEventId } = options
  const missed = lastEventId === undefined ? undefined : await feeds.since(job.owner, lastEventId, feed)
  const had = missed?.filter(({ stream }) => stream === job.id)
  if (had?.length === 0 && isTerminalStatus(job.status)) return undefined
  return pieces({ job, services, feeds, feed, had, ...options })
}

interface Streaming extends StreamOptions {
  readonly job: Job
  readonly services: Services
  readonly feeds: Feeds
  readonly feed: Feed
  /** What the client has missed; undefined where nobody knows. */
  readonly had?: Entry[] | undefined
}

async function* pieces({ had, ...streaming }: Streaming) {
  yield `retry: ${retryMs}\n\n`
  const { feed, isWhole } = streaming
  let isOver = false
  let shown = 0
  if (had) {
    yield* had.map(eventPiece)
    isOver = had.some(({ event }) => isEnd(event)) || (isWhole && had.length > 0)
  } else {
    // Read after the feed, so that nothing can come between the two.
    const now = await currentJob(streaming)
    if (now) yield piece('snapshot', feed.last, await view(now, streaming))
    isOver = !now || isTerminalStatus(now.status)
    shown = now?.sequence ?? 0
  }
  if (!isOver) yield* later(streaming, shown)
}

async function currentJob({ job, services }: Streaming): Promise<Job | undefined> {
  const now = await services.jobs.store.getJob(job.id)
  return now?.deletedAt ? undefined : now
}

async function view(job: Job, { services }: Streaming): Promise<StatusView> {
  return statusView(await loadViewState(job, services), services.resultLink)
}

/**
 * What comes after the feed as it was, until the job is over.
 *
 * @param shown number of the job's last event before its snapshot. An event may reach the feed after a snapshot that
 * shows what it tells: a client would see the job go back.
 */
async function* later({ job, feeds, feed, deadline, isWhole }: Streaming, shown: number) {
  let { last } = feed
  let saidAt = Date.now()
  while (Date.now() < deadline) {
    const entries = await next(job.owner, last, deadline, feeds)
    last = entries.at(-1)?.seq ?? last
    const own = entries.filter(({ stream, event }) => stream === job.id && event.sequence > shown)
    yield* own.map(eventPiece)
    if (own.some(({ event }) => isEnd(event)) || (isWhole && own.length > 0)) return
    if (own.length > 0) saidAt = Date.now()
    else if (!isWhole && Date.now() - saidAt > heartbeatMs) {
      saidAt = Date.now()
      yield ': still here\n\n'
    }
  }
}

/** What has come by now, or comes within a while. */
async function next(owner: string, last: number, deadline: number, feeds: Feeds): Promise<Entry[]> {
  const come = addition(owner, Math.min(lookMs, Math.max(0, deadline - Date.now())))
  const now = await feeds.read(owner)
  if (now && now.last > last) return feeds.between(owner, last, now.last)
  await come
  return []
}

const eventPiece = ({ seq, event }: Entry) => piece(event.event, seq, reduced(event))

const piece = (event: string, id: number, data: unknown) =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

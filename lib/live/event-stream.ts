import { readCredentials } from '../access/credential.ts'
import { loadViewState } from '../access/job-access.ts'
import { type StatusView, toStatusView } from '../jobs/view.ts'
import { isTerminalStatus, type Job } from '../model/job.ts'
import type { Credential } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { EventFeeds, type Feed, type FeedEntry, waitForAppend } from './event-feed.ts'
import { isTerminalEvent, removeTaskList } from './render.ts'

/** Server-sent events of one job (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

const defaultRetryMs = 1000
/** Interval of comments in the stream, which keep proxies from closing an idle connection. */
const heartbeatMs = 15_000
/**
 * Interval for polling events that another process appended, and for checking the credential: the API promises that a
 * revocation takes effect within 1 s.
 */
const pollMs = 750
/** Maximum duration of a stream, which ends before its feed does; the client then reconnects. */
export const maxStreamMs = 2 * 3600_000

interface StreamOptions {
  /** Id of the last event that the client received. */
  readonly lastEventId: number | undefined
  /** When the stream must end, in milliseconds since 1970. */
  readonly deadline: number
  /** Whether the reply cannot be streamed, in which case it ends after the first events. */
  readonly isBuffered: boolean
  /** Delay before a client reconnects, in milliseconds; 1 s by default. */
  readonly retryMs?: number
  /** Credential of the client; the stream ends when it is revoked. */
  readonly credential?: Credential | undefined
}

/** Creates the event stream of a job; undefined if the job is finished and the client has received all events. */
export async function createEventStream(
  job: Job,
  services: Services,
  options: StreamOptions,
): Promise<AsyncIterable<string> | undefined> {
  const feeds = new EventFeeds(services.table)
  const feed = await feeds.watch(job.owner)
  const { lastEventId } = options
  const missedEntriesOfOwner =
    lastEventId === undefined ? undefined : await feeds.readMissedEntries(job.owner, lastEventId, feed)
  const missedEntries = missedEntriesOfOwner?.filter(({ stream }) => stream === job.id)
  if (missedEntries?.length === 0 && isTerminalStatus(job.status)) return undefined
  return streamEvents({ job, services, feeds, feed, missedEntries, ...options })
}

interface StreamContext extends StreamOptions {
  readonly job: Job
  readonly services: Services
  readonly feeds: EventFeeds
  readonly feed: Feed
  /** Events that the client missed; undefined if they are unknown. */
  readonly missedEntries?: FeedEntry[] | undefined
}

async function* streamEvents({ missedEntries, retryMs = defaultRetryMs, ...context }: StreamContext) {
  yield `retry: ${retryMs}\n\n`
  const { feed, isBuffered } = context
  let isOver = false
  let snapshotSequence = 0
  if (missedEntries) {
    yield* missedEntries.map(formatEntry)
    isOver =
      missedEntries.some(({ event }) => isTerminalEvent(event)) || (isBuffered && missedEntries.length > 0)
  } else {
    // The job is read after the feed, so that no event is lost between the two reads.
    const currentJob = await loadCurrentJob(context)
    if (currentJob) yield formatEvent('snapshot', feed.last, await createView(currentJob, context))
    isOver = !currentJob || isTerminalStatus(currentJob.status)
    snapshotSequence = currentJob?.sequence ?? 0
  }
  if (!isOver) yield* streamNewEvents(context, snapshotSequence)
}

async function loadCurrentJob({ job, services }: StreamContext): Promise<Job | undefined> {
  const currentJob = await services.jobs.store.getJob(job.id)
  return currentJob?.deletedAt ? undefined : currentJob
}

async function createView(job: Job, { services }: StreamContext): Promise<StatusView> {
  return toStatusView(await loadViewState(job, services), services.resultLink)
}

/**
 * Streams events that are appended to the feed, until the job is finished.
 * @param snapshotSequence number of the job's last event before the snapshot. An event may reach the feed after a
 * snapshot that already includes it; sending it would make the job appear to go back.
 */
async function* streamNewEvents(
  { job, services, feeds, feed, deadline, isBuffered, credential = [] }: StreamContext,
  snapshotSequence: number,
) {
  let { last } = feed
  let lastSentAtMs = Date.now()
  while (Date.now() < deadline) {
    const entries = await waitForEntries(job.owner, last, deadline, feeds)
    const isActive = await readCredentials([credential], services.table)
    if (!isActive(credential)) return
    last = entries.at(-1)?.seq ?? last
    const ownEntries = entries.filter(
      ({ stream, event }) => stream === job.id && event.sequence > snapshotSequence,
    )
    yield* ownEntries.map(formatEntry)
    if (ownEntries.some(({ event }) => isTerminalEvent(event)) || (isBuffered && ownEntries.length > 0))
      return
    if (ownEntries.length > 0) lastSentAtMs = Date.now()
    else if (!isBuffered && Date.now() - lastSentAtMs > heartbeatMs) {
      lastSentAtMs = Date.now()
      yield ': still here\n\n'
    }
  }
}

/** Returns new events; if there are none, waits for some time. */
async function waitForEntries(
  owner: string,
  lastNumber: number,
  deadline: number,
  feeds: EventFeeds,
): Promise<FeedEntry[]> {
  const appendPromise = waitForAppend(owner, Math.min(pollMs, Math.max(0, deadline - Date.now())))
  const currentFeed = await feeds.read(owner)
  if (currentFeed && currentFeed.last > lastNumber)
    return feeds.readRange(owner, lastNumber, currentFeed.last)
  await appendPromise
  return []
}

const formatEntry = ({ seq, event }: FeedEntry) => formatEvent(event.event, seq, removeTaskList(event))

const formatEvent = (event: string, id: number, data: unknown) =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

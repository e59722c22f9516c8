import { randomUUID } from 'node:crypto'
import type { BusEvent } from '../../events/index.ts'
import { readCredentials } from '../access/credential.ts'
import { loadViewState } from '../access/job-access.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import type { PostOutcome } from '../aws/sockets.ts'
import { type StatusView, toStatusView } from '../jobs/view.ts'
import { type Job, liveStatuses } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { type ListenerWithRequests, SocketStore } from './connections.ts'
import { EventFeeds, type Feed, type FeedEntry } from './event-feed.ts'
import {
  type CloseReason,
  closeReasons,
  type frameErrors,
  pingIntervalMs,
  type ServerFrame,
} from './frames.ts'
import {
  createEventFrame,
  createJobFrame,
  createSnapshotFrames,
  isTerminalEvent,
  toJobFrame,
} from './render.ts'
import { addSubscription, isSubscribed, removeSubscriptions } from './subscriptions.ts'

/** Maximum number of sockets that are written to at the same time. */
const maxConcurrentPosts = 50
/** How long one socket may delay the other sockets of its owner. */
const maxPostMs = 2000
/**
 * How long one call sends on behalf of other calls. Then it starts a new call, because its function has a time limit.
 */
const maxBroadcastMs = 8000
/** Maximum number of attempts to either get the lease or leave the work to its holder. */
const maxAcquireAttempts = 5
/** Maximum number of jobs in a snapshot of all jobs; the newest are included. */
const maxSnapshotJobs = 100

/** Events that wait to be numbered, and a promise that resolves when they have been sent. */
interface BroadcastRound {
  readonly events: BusEvent[]
  readonly completion: Promise<void>
}

/**
 * Sends to the sockets of an owner. Of all processes, only one sends at a time. So each socket receives the feed in
 * order, without gaps or duplicates, and the reply to a request has one place among the events.
 */
export class Broadcast {
  readonly #services: Services
  readonly #feeds: EventFeeds
  readonly #connections: SocketStore
  /** The next round of each owner, which includes all events that arrive before it starts. */
  readonly #waitingRoundsByOwner = new Map<string, BroadcastRound>()
  readonly #currentRoundsByOwner = new Map<string, Promise<void>>()

  constructor(services: Services) {
    this.#services = services
    this.#feeds = new EventFeeds(services.table)
    this.#connections = new SocketStore(services.table)
  }

  /**
   * Publishes an event. Resolves when the event was sent to all connected sockets, or when another process will send
   * it. The event may be sent more than once.
   */
  publish(event: BusEvent): Promise<void> {
    return this.#joinRound(event.owner, event)
  }

  /**
   * Answers the pending requests of an owner's sockets. Resolves when all requests were answered, or when another
   * process will answer them.
   */
  serve(owner: string): Promise<void> {
    return this.#joinRound(owner)
  }

  #joinRound(owner: string, event?: BusEvent): Promise<void> {
    const waitingRound = this.#waitingRoundsByOwner.get(owner)
    if (waitingRound) {
      if (event) waitingRound.events.push(event)
      return waitingRound.completion
    }
    const events = event ? [event] : []
    const previousRound = this.#currentRoundsByOwner.get(owner)?.catch(() => undefined) ?? Promise.resolve()
    const roundPromise = previousRound.then(() => {
      this.#waitingRoundsByOwner.delete(owner)
      this.#currentRoundsByOwner.set(owner, roundPromise)
      return this.#runRound(owner, events)
    })
    this.#waitingRoundsByOwner.set(owner, { events, completion: roundPromise })
    const cleanUp = () => {
      if (this.#currentRoundsByOwner.get(owner) === roundPromise) this.#currentRoundsByOwner.delete(owner)
    }
    roundPromise.then(cleanUp, cleanUp)
    return roundPromise
  }

  async #runRound(owner: string, events: readonly BusEvent[]): Promise<void> {
    const holder = randomUUID()
    const appendedFeed = events.length > 0 ? await this.#feeds.append(owner, events, holder) : 'taken'
    let feed = appendedFeed === 'taken' ? await this.#acquireFeed(owner, holder) : appendedFeed
    const deadline = Date.now() + maxBroadcastMs
    while (feed) {
      await this.#sendFeed(owner, feed)
      feed = await this.#feeds.release(owner, holder, feed.last)
      if (!feed || Date.now() < deadline) continue
      await this.#feeds.abandon(owner, holder)
      await this.#services.bus.signal('sockets.waiting', { owner, listeners: ['sockets'] })
      return
    }
  }

  async #sendFeed(owner: string, feed: Feed): Promise<void> {
    const { sent, last } = feed
    const [entries, connectedListeners] = await Promise.all([
      sent < last ? this.#feeds.readRange(owner, sent, last) : [],
      this.#connections.list(owner),
    ])
    const listeners = await this.#closeRevoked(owner, connectedListeners)
    const jobs = await this.#loadJobs(entries, listeners)
    await forEachConcurrently(listeners, maxConcurrentPosts, async (listenerWithRequests) => {
      const round = { owner, feed, entries, jobs, ...listenerWithRequests }
      if (listenerWithRequests.listener.jobId === undefined) await this.#serveUser(round)
      else await this.#serveJob(round, listenerWithRequests.listener.jobId)
    })
  }

  /** Closes the sockets whose key, token or session was revoked, and returns the remaining sockets. */
  async #closeRevoked(
    owner: string,
    listeners: readonly ListenerWithRequests[],
  ): Promise<ListenerWithRequests[]> {
    const credentials = listeners.flatMap(({ listener: { credential } }) => (credential ? [credential] : []))
    const isActive = await readCredentials(credentials, this.#services.table)
    const revokedListeners = listeners.filter(({ listener: { credential = [] } }) => !isActive(credential))
    await forEachConcurrently(revokedListeners, maxConcurrentPosts, ({ listener: { id } }) =>
      this.close(id, owner, 'revoked'),
    )
    return listeners.filter((listener) => !revokedListeners.includes(listener))
  }

  /**
   * Acquires the lease for sending. Returns undefined if another process holds the lease: that process then also sends
   * on behalf of this process, so that an owner occupies only one process.
   */
  async #acquireFeed(owner: string, holder: string): Promise<Feed | undefined> {
    for (let attempt = 0; attempt < maxAcquireAttempts; attempt++) {
      const acquiredFeed = await this.#feeds.acquire(owner, holder)
      if (acquiredFeed !== 'taken') return acquiredFeed
      if (await this.#feeds.requestRound(owner)) return undefined
    }
    throw new Error("gave up after repeated write conflicts on the lease of an owner's sockets")
  }

  /** Loads the jobs of single-job sockets that have something to send. */
  async #loadJobs(
    entries: readonly FeedEntry[],
    listeners: readonly ListenerWithRequests[],
  ): Promise<ReadonlyMap<string, Job>> {
    const ids = listeners.flatMap(({ listener: { jobId, from }, requests }) =>
      jobId !== undefined &&
      (from === undefined || requests.length > 0 || entries.some(({ stream }) => stream === jobId))
        ? [jobId]
        : [],
    )
    const jobs = await this.#services.jobs.store.getJobs([...new Set(ids)])
    return new Map(jobs.map((job) => [job.id, job]))
  }

  async #serveUser(round: SocketRound): Promise<void> {
    const { listener, requests, entries, feed, owner } = round
    if (listener.from === undefined && requests.length === 0) return
    let { from, subscriptions } = listener
    const frames =
      from === undefined
        ? []
        : entries
            .filter((entry) => isSubscribed(entry, subscriptions))
            .map((entry) => createEventFrame(entry, this.#services.resultLink))
    for (const { request } of requests) {
      if (from === undefined && request.type !== 'greet') continue
      switch (request.type) {
        case 'greet':
          // The "socket opened" event was repeated.
          if (from !== undefined) break
          from = feed.last
          frames.push(createHelloFrame(listener.id, feed.last))
          break
        case 'subscribe':
          subscriptions = addSubscription(subscriptions, request)
          frames.push(...createSnapshotFrames(feed.last, await this.#createSnapshot(owner, request.jobs)))
          break
        case 'unsubscribe':
          subscriptions = removeSubscriptions(subscriptions, request.jobs)
          break
        case 'resume': {
          const missedEntries = await this.#feeds.readMissedEntries(owner, request.since, feed, from)
          if (missedEntries)
            frames.push(
              ...missedEntries
                .filter((entry) => isSubscribed(entry, subscriptions))
                .map((entry) => createEventFrame(entry, this.#services.resultLink)),
            )
          else
            frames.push(
              createSequenceGoneError(request.since),
              ...createSnapshotFrames(feed.last, await this.#createSnapshot(owner, '*')),
            )
          from = Math.min(request.since, from ?? request.since)
        }
      }
    }
    await this.#deliver(round, frames, { from, subscriptions })
  }

  async #serveJob(round: SocketRound, jobId: string): Promise<void> {
    const { listener, requests, entries, jobs, feed } = round
    if (listener.from === undefined && requests.length === 0) return
    const job = jobs.get(jobId)
    const jobEntries = listener.from === undefined ? [] : entries.filter(({ stream }) => stream === jobId)
    const jobFrames = jobEntries.flatMap((entry) => toJobFrame(entry, job) ?? [])
    const isOver =
      jobEntries.some(({ event }) => isTerminalEvent(event)) ||
      (listener.from === undefined &&
        (job === undefined || !liveStatuses.some((liveStatus) => liveStatus === job.status)))
    const frames = [...jobFrames, ...(requests.length > 0 && job ? [createJobFrame(job)] : [])]
    const isSent = await this.#deliver(
      round,
      frames.map((frame) => JSON.stringify(frame)),
      { from: listener.from ?? feed.last, subscriptions: undefined },
    )
    if (isSent && isOver) await this.close(listener.id, round.owner, 'over')
  }

  /** Sends frames to a socket and removes the requests that they answer. Returns false if sending failed. */
  async #deliver(
    { owner, listener, requests }: SocketRound,
    frames: readonly string[],
    changedListener: Pick<ListenerWithRequests['listener'], 'from' | 'subscriptions'>,
  ): Promise<boolean> {
    const outcome = await this.#post(listener.id, frames)
    if (outcome !== 'sent') {
      if (outcome === 'slow') await this.close(listener.id, owner, 'tooSlow')
      else await this.#connections.remove(listener.id, owner)
      return false
    }
    if (requests.length > 0)
      await this.#connections.completeRequests(
        owner,
        { ...listener, ...changedListener },
        requests.map(({ key }) => key),
      )
    return true
  }

  /**
   * Sends frames to a socket; stops at the first frame that cannot be sent, because the client would not notice a gap.
   */
  async #post(id: string, frames: readonly string[]): Promise<PostOutcome> {
    const deadline = Date.now() + maxPostMs
    for (const frame of frames) {
      if (Date.now() > deadline) return 'slow'
      const outcome = await this.#services.sockets.post(id, frame).catch((error: unknown) => {
        this.#services.log.error({ error, connectionId: id }, 'sending a frame failed')
        return 'slow' as const
      })
      if (outcome !== 'sent') return outcome
    }
    return 'sent'
  }

  /** Sends a frame with the reason to a socket, then closes it. */
  async close(id: string, owner: string | undefined, reason: CloseReason): Promise<void> {
    const { code, description } = closeReasons[reason]
    const errorCode = errorCodes[reason]
    const frame: ServerFrame | undefined = errorCode && {
      type: 'error',
      code: errorCode,
      message: description,
      closeCode: code,
    }
    const { sockets, log } = this.#services
    log.info({ connectionId: id, code }, 'socket closed')
    if (frame) await sockets.post(id, JSON.stringify(frame)).catch(() => 'gone')
    await this.#connections.remove(id, owner)
    await sockets.close(id, code, description)
  }

  async #createSnapshot(owner: string, requestedJobs: '*' | readonly string[]): Promise<StatusView[]> {
    const { jobs, resultLink } = this.#services
    const foundJobs =
      requestedJobs === '*'
        ? (
            await jobs.store.list({
              owner,
              limit: maxSnapshotJobs,
              newestFirst: true,
              statuses: liveStatuses,
              matches: ({ status }) => liveStatuses.some((live) => live === status),
            })
          ).jobs
        : await jobs.store.getJobs([...new Set(requestedJobs)])
    const ownJobs = foundJobs.filter((job) => job.owner === owner && !job.deletedAt)
    const states = await Promise.all(ownJobs.map((job) => loadViewState(job, this.#services)))
    return states.map((state) => toStatusView(state, resultLink))
  }
}

/** The work for one socket in one round of sending. */
interface SocketRound extends ListenerWithRequests {
  readonly owner: string
  readonly feed: Feed
  readonly entries: readonly FeedEntry[]
  readonly jobs: ReadonlyMap<string, Job>
}

const errorCodes: Partial<Readonly<Record<CloseReason, (typeof frameErrors)[number]>>> = {
  badFrames: 'INVALID_REQUEST',
  unauthenticated: 'AUTHENTICATION_REQUIRED',
  revoked: 'AUTHENTICATION_REQUIRED',
  forbidden: 'INSUFFICIENT_PERMISSIONS',
  authTimeout: 'TIMEOUT',
  tooMany: 'RATE_LIMITED',
}

const createHelloFrame = (connectionId: string, lastSequence: number) =>
  JSON.stringify({
    type: 'hello',
    connectionId,
    heartbeatMs: pingIntervalMs,
    serverTime: new Date().toISOString(),
    lastSequence,
  } satisfies ServerFrame)

const createSequenceGoneError = (sinceNumber: number) =>
  JSON.stringify({
    type: 'error',
    code: 'SEQUENCE_GONE',
    message: `Some events after ${sinceNumber} are no longer available. A snapshot of the current jobs follows.`,
  } satisfies ServerFrame)

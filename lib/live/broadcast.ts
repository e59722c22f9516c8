import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BusEvent } from '../../events/index.ts'
import type { PostOutcome } from '../aws/sockets.ts'
import { loadViewState } from '../http/job-access.ts'
import { type Job, liveStatuses } from '../jobs/job.ts'
import { type StatusView, statusView } from '../jobs/view.ts'
import { eachOf } from '../map-concurrently.ts'
import type { Services } from '../services.ts'
import { Connections, type Wanting } from './connections.ts'
import { type Entry, type Feed, Feeds } from './event-feed.ts'
import { type CloseReason, closes, type frameErrors, heartbeatMs, type ServerFrame } from './frames.ts'
import { eventFrame, flattened, isEnd, jobFrame, snapshotFrames } from './render.ts'
import { isWanted, withLess, withMore } from './subscriptions.ts'

/** Sockets that are written to at a time. */
const writers = 50
/** How long one of them may hold up the others of its owner. */
const patienceMs = 2000
/** How long to wait for who sends to the sockets of an owner now. */
const waitMs = 12_000
/** Jobs that a snapshot of all shows, the newest. */
const mostLive = 100

/** What waits to be numbered, and who sends it. */
interface Round {
  readonly events: BusEvent[]
  readonly done: Promise<void>
}

/**
 * Sends to the sockets of an owner. One at a time does so, whichever process it is in: what each socket gets is in the
 * order of the feed, with no gap and nothing twice, and what a client asked for comes between the events at one place.
 */
export class Broadcast {
  readonly #services: Services
  readonly #feeds: Feeds
  readonly #connections: Connections
  /** The next round of each owner, which takes with it all that comes before it begins. */
  readonly #next = new Map<string, Round>()
  readonly #now = new Map<string, Promise<void>>()

  constructor(services: Services) {
    this.#services = services
    this.#feeds = new Feeds(services.table)
    this.#connections = new Connections(services.table)
  }

  /** Resolves when everybody who is there has been sent the event; it may be told again. */
  tell(event: BusEvent): Promise<void> {
    return this.#round(event.owner, event)
  }

  /** Resolves when what the sockets of an owner want has been sent. */
  serve(owner: string): Promise<void> {
    return this.#round(owner)
  }

  #round(owner: string, event?: BusEvent): Promise<void> {
    const waiting = this.#next.get(owner)
    if (waiting) {
      if (event) waiting.events.push(event)
      return waiting.done
    }
    const events = event ? [event] : []
    const before = this.#now.get(owner)?.catch(() => undefined) ?? Promise.resolve()
    const done = before.then(() => {
      this.#next.delete(owner)
      this.#now.set(owner, done)
      return this.#send(owner, events)
    })
    this.#next.set(owner, { events, done })
    const leave = () => {
      if (this.#now.get(owner) === done) this.#now.delete(owner)
    }
    done.then(leave, leave)
    return done
  }

  async #send(owner: string, events: readonly BusEvent[]): Promise<void> {
    const holder = randomUUID()
    const appended = events.length > 0 ? await this.#feeds.append(owner, events, holder) : 'taken'
    const feed = appended === 'taken' ? await this.#taken(owner, holder) : appended
    if (!feed) return
    const { sent, last } = feed
    const [entries, listeners] = await Promise.all([
      sent < last ? this.#feeds.between(owner, sent, last) : [],
      this.#connections.of(owner),
    ])
    const jobs = await this.#jobsOf(entries, listeners)
    await eachOf(listeners, writers, async (one) => {
      const turn = { owner, feed, entries, jobs, ...one }
      if (one.listener.jobId === undefined) await this.#serveUser(turn)
      else await this.#serveJob(turn, one.listener.jobId)
    })
    await this.#feeds.giveBack(owner, holder, last)
  }

  async #taken(owner: string, holder: string): Promise<Feed | undefined> {
    const deadline = Date.now() + waitMs
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 1.5, 300)) {
      const taken = await this.#feeds.take(owner, holder)
      if (taken !== 'taken') return taken
      if (Date.now() > deadline)
        throw new Error('somebody else sends to the sockets of an owner all the time')
      await sleep(pauseMs)
    }
  }

  /** What sockets of single jobs show beside the events. */
  async #jobsOf(entries: readonly Entry[], listeners: readonly Wanting[]): Promise<ReadonlyMap<string, Job>> {
    const ids = listeners.flatMap(({ listener: { jobId, from }, wants }) =>
      jobId !== undefined &&
      (from === undefined || wants.length > 0 || entries.some(({ stream }) => stream === jobId))
        ? [jobId]
        : [],
    )
    const jobs = await this.#services.jobs.store.jobs([...new Set(ids)])
    return new Map(jobs.map((job) => [job.id, job]))
  }

  async #serveUser(turn: Turn): Promise<void> {
    const { listener, wants, entries, feed, owner } = turn
    if (listener.from === undefined && wants.length === 0) return
    let { from, subscriptions } = listener
    const frames =
      from === undefined
        ? []
        : entries
            .filter((entry) => isWanted(entry, subscriptions))
            .map((entry) => eventFrame(entry, this.#services.resultLink))
    for (const { want } of wants) {
      if (from === undefined && want.type !== 'greet') continue
      switch (want.type) {
        case 'greet':
          // Told twice that it is open.
          if (from !== undefined) break
          from = feed.last
          frames.push(hello(listener.id, feed.last))
          break
        case 'subscribe':
          subscriptions = withMore(subscriptions, want)
          frames.push(...snapshotFrames(feed.last, await this.#snapshot(owner, want.jobs)))
          break
        case 'unsubscribe':
          subscriptions = withLess(subscriptions, want.jobs)
          break
        case 'resume': {
          const missed = await this.#feeds.since(owner, want.since, feed, from)
          if (missed)
            frames.push(
              ...missed
                .filter((entry) => isWanted(entry, subscriptions))
                .map((entry) => eventFrame(entry, this.#services.resultLink)),
            )
          else
            frames.push(
              sequenceGone(want.since),
              ...snapshotFrames(feed.last, await this.#snapshot(owner, '*')),
            )
          from = Math.min(want.since, from ?? want.since)
        }
      }
    }
    await this.#deliver(turn, frames, { from, subscriptions })
  }

  async #serveJob(turn: Turn, jobId: string): Promise<void> {
    const { listener, wants, entries, jobs, feed } = turn
    if (listener.from === undefined && wants.length === 0) return
    const job = jobs.get(jobId)
    const told = listener.from === undefined ? [] : entries.filter(({ stream }) => stream === jobId)
    const flat = told.flatMap((entry) => flattened(entry, job) ?? [])
    const isOver =
      told.some(({ event }) => isEnd(event)) ||
      (listener.from === undefined &&
        (job === undefined || !liveStatuses.some((live) => live === job.status)))
    const frames = [...flat, ...(wants.length > 0 && job ? [jobFrame(job)] : [])]
    const sent = await this.#deliver(
      turn,
      frames.map((frame) => JSON.stringify(frame)),
      { from: listener.from ?? feed.last, subscriptions: undefined },
    )
    if (sent && isOver) await this.end(listener.id, turn.owner, 'over')
  }

  /** False when nobody reads it. */
  async #deliver(
    { owner, listener, wants }: Turn,
    frames: readonly string[],
    changed: Pick<Wanting['listener'], 'from' | 'subscriptions'>,
  ): Promise<boolean> {
    const outcome = await this.#post(listener.id, frames)
    if (outcome !== 'sent') {
      if (outcome === 'slow') await this.end(listener.id, owner, 'tooSlow')
      else await this.#connections.remove(listener.id, owner)
      return false
    }
    if (wants.length > 0)
      await this.#connections.settle(
        owner,
        { ...listener, ...changed },
        wants.map(({ key }) => key),
      )
    return true
  }

  /** A gap would go unnoticed: whoever misses one frame gets no other. */
  async #post(id: string, frames: readonly string[]): Promise<PostOutcome> {
    const deadline = Date.now() + patienceMs
    for (const frame of frames) {
      if (Date.now() > deadline) return 'slow'
      const outcome = await this.#services.sockets.post(id, frame).catch((error: unknown) => {
        this.#services.log.error({ error, connectionId: id }, 'a frame could not be sent')
        return 'slow' as const
      })
      if (outcome !== 'sent') return outcome
    }
    return 'sent'
  }

  /** Closes a socket, with a frame that says why. */
  async end(id: string, owner: string | undefined, reason: CloseReason): Promise<void> {
    const { code, means } = closes[reason]
    const errorCode = errorCodes[reason]
    const frame: ServerFrame | undefined = errorCode && {
      ...{ type: 'error', code: errorCode, message: means, closeCode: code },
    }
    const { sockets, log } = this.#services
    log.info({ connectionId: id, code }, 'socket closed')
    if (frame) await sockets.post(id, JSON.stringify(frame)).catch(() => 'gone')
    await this.#connections.remove(id, owner)
    await sockets.close(id, code, means)
  }

  async #snapshot(owner: string, wanted: '*' | readonly string[]): Promise<StatusView[]> {
    const { jobs, resultLink } = this.#services
    const found =
      wanted === '*'
        ? (
            await jobs.store.list({
              ...{ owner, limit: mostLive, newestFirst: true, statuses: liveStatuses },
              matches: ({ status }) => liveStatuses.some((live) => live === status),
            })
          ).jobs
        : await jobs.store.jobs([...new Set(wanted)])
    const own = found.filter((job) => job.owner === owner && !job.deletedAt)
    const states = await Promise.all(own.map((job) => loadViewState(job, this.#services)))
    return states.map((state) => statusView(state, resultLink))
  }
}

/** One socket in one round. */
interface Turn extends Wanting {
  readonly owner: string
  readonly feed: Feed
  readonly entries: readonly Entry[]
  readonly jobs: ReadonlyMap<string, Job>
}

const errorCodes: Partial<Readonly<Record<CloseReason, (typeof frameErrors)[number]>>> = {
  badFrames: 'INVALID_REQUEST',
  unauthenticated: 'AUTHENTICATION_REQUIRED',
  forbidden: 'INSUFFICIENT_PERMISSIONS',
  authTimeout: 'TIMEOUT',
  tooMany: 'RATE_LIMITED',
}

const hello = (connectionId: string, lastSequence: number) =>
  JSON.stringify({
    type: 'hello',
    connectionId,
    heartbeatMs,
    serverTime: new Date().toISOString(),
    lastSequence,
  } satisfies ServerFrame)

const sequenceGone = (since: number) =>
  JSON.stringify({
    type: 'error',
    code: 'SEQUENCE_GONE',
    message: `Not everything after ${since} is kept. How the jobs are now comes as a snapshot.`,
  } satisfies ServerFrame)

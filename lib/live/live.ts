import { setTimeout as sleep } from 'node:timers/promises'
import { requireJobId, requireVisibleJob } from '../access/job-access.ts'
import { isAccount } from '../accounts/accounts.ts'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import { AppError } from '../errors.ts'
import { getClientIpBehindEdge } from '../net/edge-origin.ts'
import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'
import { parseInput } from '../validation/parse-input.ts'
import { Broadcast } from './broadcast.ts'
import { redeemTicket } from './connect-tokens.ts'
import { type ConnectingOwner, maxSockets, type Socket, SocketStore } from './connections.ts'
import { EventFeeds } from './event-feed.ts'
import { authTimeoutMs, ClientFrame, clientFrames, maxBadFrames, type ServerFrame } from './frames.ts'
import { type Handshake, type IdentityClaim, readClaim, readTokenClaim } from './handshake.ts'

/** How long a socket may take to open after its handshake was accepted. */
const openTimeoutMs = 3000
/** How long a frame waits for the `auth` frame before it, which another process may be handling. */
const identifyTimeoutMs = 1000

/** Handles socket events: connect, open, message, disconnect. */
export class Live {
  readonly broadcast: Broadcast
  readonly #services: Services
  readonly #feeds: EventFeeds
  readonly #connections: SocketStore
  readonly #mutex = new KeyedMutex()

  constructor(services: Services) {
    this.#services = services
    this.broadcast = new Broadcast(services)
    this.#feeds = new EventFeeds(services.table)
    this.#connections = new SocketStore(services.table)
  }

  /**
   * Opens a connection. An unknown client may still authenticate in a frame. A client that the service will refuse also
   * gets a connection, so that the service can close it with the reason.
   * @throws AppError JOB_NOT_FOUND; INSUFFICIENT_PERMISSIONS for a request that bypassed the CDN
   */
  async connect(id: string, request: Handshake): Promise<void> {
    // Only the connect event has the CDN's headers. Later events of a refused socket are ignored.
    const sourceIp = getClientIpBehindEdge(request, this.#services.config)
    const handshake = { ...request, sourceIp }
    const { jobId } = handshake.query
    const newSocket =
      jobId === undefined
        ? await this.#createUserSocket(id, handshake)
        : await this.#createJobSocket(id, jobId, handshake)
    const socket = { ...newSocket, ip: sourceIp }
    if (socket.owner !== undefined) await this.#feeds.watch(socket.owner)
    const isWaiting = socket.owner === undefined && socket.refused === undefined
    await this.#connections.add(socket, isWaiting ? new Date(Date.now() + authTimeoutMs) : undefined)
    await this.#services.bus.signal('socket.opened', { connectionId: id, listeners: ['sockets'] })
    // A long-running process closes the socket in time; on Lambda, the sweep does so, which runs every minute.
    if (isWaiting) setTimeout(() => void this.wake(id).catch(() => undefined), authTimeoutMs + 50).unref()
  }

  async #createUserSocket(id: string, handshake: Handshake): Promise<Socket> {
    const claim = await readClaim(handshake, this.#services)
    const foundOwner = await this.#findOwner(claim)
    if (!foundOwner)
      return claim.kind === 'unknown'
        ? { id, bad: 0 }
        : { id, bad: 0, refused: claim.kind === 'refused' ? claim.reason : 'unauthenticated' }
    return (await this.#isFull(foundOwner.owner))
      ? { id, bad: 0, refused: 'tooMany' }
      : { id, bad: 0, ...foundOwner }
  }

  async #findOwner(claim: IdentityClaim): Promise<ConnectingOwner | undefined> {
    if (claim.kind === 'known') {
      const { kind: _, ...ownerClaim } = claim
      return ownerClaim
    }
    return claim.kind === 'ticket' ? redeemTicket(this.#services.table, claim.ticket) : undefined
  }

  /** Creates the socket of one job. Anyone who knows the id of a job may watch it, unless it belongs to an account. */
  async #createJobSocket(id: string, requestedJobId: string, handshake: Handshake): Promise<Socket> {
    const jobId = requireJobId(requestedJobId)
    const foundJob = await this.#services.jobs.store.getJob(jobId)
    const isOfAccount = foundJob !== undefined && isAccount(foundJob.owner)
    const account = isOfAccount
      ? await this.#findOwner(await readClaim(handshake, this.#services))
      : undefined
    const job = requireVisibleJob(foundJob, jobId, { ownerId: account?.owner ?? '' })
    if (await this.#isFull(job.owner, jobId)) return { id, bad: 0, refused: 'tooMany' }
    return { id, bad: 0, owner: job.owner, ...defined({ credential: account?.credential }), jobId }
  }

  async #isFull(owner: string, jobId?: string): Promise<boolean> {
    if ((await this.#connections.count(owner)) < maxSockets) return false
    const count = async () => {
      const allListeners = await this.#connections.list(owner)
      return allListeners.map(({ listener }) => listener).filter((listener) => listener.jobId === jobId)
    }
    const listeners = await count()
    if (listeners.length < maxSockets) return false
    // A gateway that crashed did not report its closed sockets, so they are checked.
    for (const { id } of listeners)
      if (!(await this.#services.sockets.isOpen(id))) await this.#connections.remove(id, owner)
    return (await count()).length >= maxSockets
  }

  /** Greets a socket once it can be written to, which is shortly after its handshake was accepted. */
  async handleOpened(id: string): Promise<void> {
    const socket = await this.#connections.find(id)
    if (!socket) return
    const deadline = Date.now() + openTimeoutMs
    while (!(await this.#services.sockets.isOpen(id))) {
      if (Date.now() > deadline) return this.#connections.remove(id, socket.owner)
      await sleep(20)
    }
    if (socket.refused) await this.broadcast.close(id, socket.owner, socket.refused)
    else if (socket.owner !== undefined) await this.#sendGreeting(socket.owner, id)
  }

  async #sendGreeting(owner: string, id: string): Promise<void> {
    await this.#connections.addRequest(owner, id, { type: 'greet' })
    await this.broadcast.serve(owner)
  }

  /** Handles a frame. Returns the reply if its order relative to events does not matter. */
  async receive(id: string, text: string): Promise<ServerFrame | undefined> {
    const outcome = await this.#mutex.run(id, () => this.#receive(id, text))
    if (!outcome || 'type' in outcome) return outcome
    // Requests are served outside the mutex, so that many frames in a row are served in one round.
    await this.broadcast.serve(outcome.ownerToServe)
    return undefined
  }

  async #receive(
    id: string,
    text: string,
  ): Promise<ServerFrame | { readonly ownerToServe: string } | undefined> {
    const socket = await this.#connections.find(id)
    if (!socket || socket.refused) return undefined
    let frame: ClientFrame
    try {
      frame = parseFrame(text)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if ((await this.#connections.countBadFrame(id)) >= maxBadFrames) {
        await this.broadcast.close(id, socket.owner, 'badFrames')
        return undefined
      }
      return { type: 'error', code: 'INVALID_REQUEST', message: error.message }
    }
    if (frame.type === 'ping') return { type: 'pong' }
    if (frame.type === 'auth') return this.#identify(socket, frame.token)
    const owner = socket.owner ?? (await this.#waitForOwner(id))
    if (owner === undefined) {
      await this.broadcast.close(id, undefined, 'unauthenticated')
      return undefined
    }
    if (socket.jobId !== undefined)
      return {
        type: 'error',
        code: 'INVALID_REQUEST',
        message: 'A socket for a single job only accepts `ping`.',
      }
    await this.#connections.addRequest(owner, id, frame)
    return { ownerToServe: owner }
  }

  /** Waits until the socket has an owner, because another process may be handling the `auth` frame sent just before. */
  async #waitForOwner(id: string): Promise<string | undefined> {
    const deadline = Date.now() + identifyTimeoutMs
    while (Date.now() < deadline) {
      const { owner } = (await this.#connections.find(id)) ?? {}
      if (owner !== undefined) return owner
      await sleep(100)
    }
    return undefined
  }

  async #identify(socket: Socket, token: string): Promise<ServerFrame | undefined> {
    const { id, ip = '' } = socket
    if (socket.owner !== undefined)
      return { type: 'error', code: 'INVALID_REQUEST', message: 'The connection is already authenticated.' }
    const claim = await readTokenClaim(token, ip, this.#services)
    const foundOwner = await this.#findOwner(claim)
    if (!foundOwner)
      await this.broadcast.close(id, undefined, claim.kind === 'refused' ? claim.reason : 'unauthenticated')
    else if (await this.#isFull(foundOwner.owner)) await this.broadcast.close(id, undefined, 'tooMany')
    else {
      await this.#feeds.watch(foundOwner.owner)
      if (await this.#connections.identify(socket, foundOwner)) await this.#sendGreeting(foundOwner.owner, id)
    }
    return undefined
  }

  async handleDisconnect(id: string): Promise<void> {
    const socket = await this.#connections.find(id)
    if (socket) await this.#connections.remove(id, socket.owner)
  }

  /** Logs an unexpected error and returns the frame that reports it to the client. */
  readonly createInternalErrorFrame = (error: unknown): ServerFrame => {
    this.#services.log.error({ error }, 'handling a frame failed')
    return {
      type: 'error',
      code: 'INTERNAL_ERROR',
      message: 'An internal error occurred. Send the frame again.',
    }
  }

  /** Closes a socket whose client did not authenticate in time. */
  async wake(id: string): Promise<void> {
    const socket = await this.#connections.find(id)
    if (socket && socket.owner === undefined) await this.broadcast.close(id, undefined, 'authTimeout')
  }
}

/** Parses a frame of a client. @throws AppError INVALID_REQUEST or INVALID_INPUT */
function parseFrame(text: string): ClientFrame {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AppError('INVALID_REQUEST', 'Frames must be valid JSON.', undefined, { cause })
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  const knownFrames = Object.keys(clientFrames)
  if (typeof type !== 'string' || !knownFrames.includes(type))
    throw new AppError('INVALID_REQUEST', `type: expected one of ${knownFrames.join(', ')}.`)
  return parseInput(ClientFrame, value, type)
}

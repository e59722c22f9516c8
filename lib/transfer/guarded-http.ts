import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { getDefaultHighWaterMark, Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { giveBack, intoReused } from '../buffer-pool.ts'
import { AppError } from '../errors.ts'
import { Addresses, type Resolve } from './addresses.ts'
import { Breaker } from './circuit-breaker.ts'
import { bundled } from './corked-socket.ts'
import { type CheckedAgents, checkedAgents } from './guarded-agents.ts'
import { unreachable } from './network-error.ts'
import { RemoteError } from './remote-error.ts'
import { piecesOf } from './stream-chunks.ts'

/** Milliseconds to connect, to the first byte of an answer, and between two pieces of its body. */
const usualConnectMs = 10_000
const answerMs = 30_000
const silenceMs = 30_000
/** Bytes that a connection may still hold while it asks for more (`getDefaultHighWaterMark` of Node's streams). */
const heldBytes = getDefaultHighWaterMark(false)
/** Redirects of one request, where they are followed. */
export const mostRedirects = 3

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** They go to the host of the URL and to no other that it may lead to. */
  readonly headers?: Readonly<Record<string, string>>
  /** A stream can be sent only once: then no redirect may be followed. */
  readonly body?: string | Buffer | Readable
  readonly signal: AbortSignal
  /** 3 when left out. */
  readonly mostRedirects?: number
  /** Milliseconds to the first byte of the answer; 30 s when left out. */
  readonly answerMs?: number
  /** What one address answers says nothing of others of its host, and is not held against them. */
  readonly isOnItsOwn?: boolean
}

export interface OutgoingResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Whoever asked reads it or destroys it. */
  readonly body: Readable
  /** Where the redirects led. */
  readonly url: URL
}

interface Settings {
  /** Networks in CIDR notation that may be reached though they are not public. */
  readonly allowed?: readonly string[]
  readonly resolve?: Resolve
  readonly now?: () => number
  /** Milliseconds to connect; 10 s when left out. */
  readonly connectMs?: number
}

/** What all have in common that share connections, and for whom one is. */
interface Shared {
  readonly addresses: Addresses
  readonly agents: CheckedAgents
  readonly breaker: Breaker
  readonly agent: Agent
  readonly connectMs: number
  readonly owner: string
}

function opened({ allowed, resolve, now, connectMs = usualConnectMs }: Settings): Shared {
  const addresses = new Addresses(allowed, resolve)
  const secured = buildConnector({ timeout: connectMs })
  const agent = new Agent({
    bodyTimeout: silenceMs,
    connect: (options, done) => {
      const { hostname, servername, protocol } = options
      const connector = protocol === 'http:' ? readingIntoReused(connectMs) : secured
      addresses.of(hostname).then(
        ({ address }) => {
          const named = servername ?? (isIP(hostname) ? undefined : hostname)
          connector({ ...options, hostname: address, ...(named && { servername: named }) }, done)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  const agents = checkedAgents(addresses)
  return { addresses, agents, breaker: new Breaker(now), agent, connectMs, owner: '' }
}

/** For one connection. What is decrypted is copied by Node in any case. */
function readingIntoReused(timeout: number): buildConnector.connector {
  let socket: Socket | undefined
  const onread = intoReused((bytes) => socket?.push(bytes) ?? false)
  const connector = buildConnector({ timeout, onread } as buildConnector.BuildOptions) // it hands on what Node takes
  return (options, done) =>
    connector(options, (...[error, connected]) => {
      if (error) return done(error, null)
      socket = connected
      done(null, connected)
    })
}

/**
 * The only way out for what a user may point at something: URLs, webhooks, stores with an endpoint of their own. Each
 * connection goes to an address that was checked just before, so that neither a redirect nor a name that changes
 * leads into the network of this service.
 */
export class Outgoing {
  readonly addresses: Addresses
  /** For clients of other makers. */
  readonly agents: CheckedAgents
  readonly #shared: Shared

  constructor(settings: Settings | Shared = {}) {
    this.#shared = 'owner' in settings ? settings : opened(settings)
    this.addresses = this.#shared.addresses
    this.agents = this.#shared.agents
  }

  /** The same for somebody whose failures are his own; it ends with the one that it is of. */
  for(owner: string): Outgoing {
    return new Outgoing({ ...this.#shared, owner })
  }

  /**
   * @throws AppError URL_NOT_ALLOWED, INVALID_INPUT for a URL that is none of HTTP; RemoteError for a host that does
   * not answer. Any answer is a success.
   */
  async request(given: string | URL, asked: OutgoingRequest): Promise<OutgoingResponse> {
    let { url, headers } = withoutCredentials(httpUrl(given), asked.headers)
    const { method = 'GET', body } = asked
    for (let left = asked.mostRedirects ?? mostRedirects; ; left--) {
      const answer = await this.#send(url, { ...asked, method, headers, ...(body !== undefined && { body }) })
      const next = redirectOf(answer, url)
      if (!next || asked.mostRedirects === 0) return { ...answer, url }
      answer.body.destroy()
      if (left === 0)
        throw new RemoteError('status', `${url.host} redirects more than ${mostRedirects} times.`, {
          isPassing: false,
          status: answer.status,
        })
      if (!isSameHost(url, next)) headers = {}
      url = withoutCredentials(next, {}).url
    }
  }

  async #send(
    url: URL,
    { method, headers, body, signal, answerMs: within = answerMs, isOnItsOwn = false }: OutgoingRequest,
  ) {
    const { agent, breaker, owner } = this.#shared
    if (!isOnItsOwn) breaker.require(url.host, owner)
    try {
      const { statusCode, ...answer } = await request(url, {
        dispatcher: agent,
        method: method as Dispatcher.HttpMethod, // one of ours
        headers: { 'user-agent': 'Mutabor/1', 'accept-encoding': 'identity', ...headers },
        body: body instanceof Readable ? (givingBack(body) as unknown as Readable) : (body ?? null), // its types do not know all that it takes
        signal,
        headersTimeout: within,
      })
      if (statusCode < 500) breaker.succeeded(url.host, owner)
      else if (!isOnItsOwn) breaker.failed(url.host, owner)
      // Whoever reads it hears of errors; one that is destroyed unread would end the process with one.
      answer.body.on('error', () => {})
      return { status: statusCode, headers: answer.headers, body: answer.body }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      if (!isOnItsOwn) breaker.failed(url.host, owner)
      throw unreachable(url.host, error)
    }
  }

  /** A connection for protocols other than HTTP. @throws as `request` does. */
  async connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const { breaker, connectMs, owner } = this.#shared
    const name = `${host}:${port}`
    breaker.require(name, owner)
    try {
      const { address } = await this.addresses.of(host)
      const within = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const socket = await connected(address, port, within)
      breaker.succeeded(name, owner)
      return bundled(socket)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      breaker.failed(name, owner)
      throw unreachable(name, error)
    }
  }

  async close(): Promise<void> {
    this.agents.http.destroy()
    this.agents.https.destroy()
    await this.#shared.agent.destroy()
  }
}

/** The next piece is asked for when the connection has taken all that it was given, or has little of it left. */
async function* givingBack(body: Readable): AsyncGenerator<Buffer> {
  for await (const piece of piecesOf(body)) {
    yield piece
    if (piece.length >= heldBytes) giveBack(piece)
  }
}

/** The signal ends with the connecting: as an option of Node's it would break off what is connected too. */
async function connected(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  const socket = connectTcp({ host, port })
  const stop = () => void socket.destroy(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    await once(socket, 'connect')
    return socket
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** @throws AppError INVALID_INPUT */
export function httpUrl(given: string | URL): URL {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new AppError(
    'INVALID_INPUT',
    `url: expected a URL that starts with https:// or http://, got "${String(given).slice(0, 100)}".`,
    { field: 'url' },
  )
}

/** `https://name:password@host` means what it says in a browser; to a log or an error it would tell a secret. */
export function withoutCredentials(url: URL, headers: OutgoingRequest['headers'] = {}) {
  if (!url.username && !url.password) return { url, headers }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return {
    url: plain,
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, ...headers },
  }
}

/** Whether what is for the host of the one may go to the other too: not in the clear either, where it was not so before. */
export const isSameHost = (own: URL, other: URL): boolean =>
  own.host === other.host && !(own.protocol === 'https:' && other.protocol === 'http:')

export const redirects: readonly number[] = [301, 302, 303, 307, 308]

function redirectOf({ status, headers }: Pick<OutgoingResponse, 'status' | 'headers'>, from: URL) {
  const { location } = headers
  if (!redirects.includes(status) || typeof location !== 'string') return undefined
  if (!URL.canParse(location, from.href))
    throw new RemoteError('status', `${from.host} redirects to something that is no address.`, { status })
  return httpUrl(new URL(location, from))
}

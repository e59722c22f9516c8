import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { getDefaultHighWaterMark, Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { pooledReadOptions, releaseBuffer } from '../buffer-pool.ts'
import { AppError } from '../errors.ts'
import { AddressGuard, type ResolveHost } from './addresses.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { corkWrites } from './corked-socket.ts'
import { createGuardedAgents, type GuardedAgents } from './guarded-agents.ts'
import { networkError } from './network-error.ts'
import { RemoteError } from './remote-error.ts'
import { readChunks } from './stream-chunks.ts'

/** Milliseconds to connect, to the first byte of an answer, and between two pieces of its body. */
const defaultConnectTimeoutMs = 10_000
const defaultResponseTimeoutMs = 30_000
const bodyTimeoutMs = 30_000
/** Bytes that a connection may still hold while it asks for more (`getDefaultHighWaterMark` of Node's streams). */
const socketBufferBytes = getDefaultHighWaterMark(false)
/** Redirects of one request, where they are followed. */
export const defaultMaxRedirects = 3

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** They go to the host of the URL and to no other that it may lead to. */
  readonly headers?: Readonly<Record<string, string>>
  /** A stream can be sent only once: then no redirect may be followed. */
  readonly body?: string | Buffer | Readable
  readonly signal: AbortSignal
  /** 3 when left out. */
  readonly maxRedirects?: number
  /** Milliseconds to the first byte of the answer; 30 s when left out. */
  readonly responseTimeoutMs?: number
  /** What one address answers says nothing of others of its host, and is not held against them. */
  readonly bypassesCircuitBreaker?: boolean
}

export interface OutgoingResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Whoever asked reads it or destroys it. */
  readonly body: Readable
  /** Where the redirects led. */
  readonly url: URL
}

interface GuardedHttpOptions {
  /** Networks in CIDR notation that may be reached though they are not public. */
  readonly allowed?: readonly string[]
  readonly resolve?: ResolveHost
  readonly now?: () => number
  /** Milliseconds to connect; 10 s when left out. */
  readonly connectMs?: number
}

/** What all have in common that share connections, and for whom one is. */
interface SharedState {
  readonly addresses: AddressGuard
  readonly agents: GuardedAgents
  readonly breaker: CircuitBreaker
  readonly agent: Agent
  readonly connectMs: number
  readonly owner: string
}

function createSharedState({
  allowed,
  resolve,
  now,
  connectMs = defaultConnectTimeoutMs,
}: GuardedHttpOptions): SharedState {
  const addresses = new AddressGuard(allowed, resolve)
  const tlsConnector = buildConnector({ timeout: connectMs })
  const agent = new Agent({
    bodyTimeout: bodyTimeoutMs,
    connect: (options, done) => {
      const { hostname, servername, protocol } = options
      const connector = protocol === 'http:' ? createPooledConnector(connectMs) : tlsConnector
      addresses.resolve(hostname).then(
        ({ address }) => {
          const named = servername ?? (isIP(hostname) ? undefined : hostname)
          connector({ ...options, hostname: address, ...(named && { servername: named }) }, done)
        },
        (error: Error) => done(error, null),
      )
    },
  })
  const agents = createGuardedAgents(addresses)
  return { addresses, agents, breaker: new CircuitBreaker(now), agent, connectMs, owner: '' }
}

/** For one connection. What is decrypted is copied by Node in any case. */
function createPooledConnector(timeout: number): buildConnector.connector {
  let socket: Socket | undefined
  const onread = pooledReadOptions((bytes) => socket?.push(bytes) ?? false)
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
export class GuardedHttp {
  readonly addresses: AddressGuard
  /** For clients of other makers. */
  readonly agents: GuardedAgents
  readonly #shared: SharedState

  constructor(options: GuardedHttpOptions | SharedState = {}) {
    this.#shared = 'owner' in options ? options : createSharedState(options)
    this.addresses = this.#shared.addresses
    this.agents = this.#shared.agents
  }

  /** The same for somebody whose failures are his own; it ends with the one that it is of. */
  forOwner(owner: string): GuardedHttp {
    return new GuardedHttp({ ...this.#shared, owner })
  }

  /**
   * @throws AppError URL_NOT_ALLOWED, INVALID_INPUT for a URL that is none of HTTP; RemoteError for a host that does
   * not answer. Any answer is a success.
   */
  async request(target: string | URL, options: OutgoingRequest): Promise<OutgoingResponse> {
    let { url, headers } = moveCredentialsToHeader(parseHttpUrl(target), options.headers)
    const { method = 'GET', body } = options
    for (let left = options.maxRedirects ?? defaultMaxRedirects; ; left--) {
      const response = await this.#send(url, {
        ...options,
        method,
        headers,
        ...(body !== undefined && { body }),
      })
      const next = findRedirect(response, url)
      if (!next || options.maxRedirects === 0) return { ...response, url }
      response.body.destroy()
      if (left === 0)
        throw new RemoteError('status', `${url.host} redirects more than ${defaultMaxRedirects} times.`, {
          isTransient: false,
          status: response.status,
        })
      if (!isSameHost(url, next)) headers = {}
      url = moveCredentialsToHeader(next, {}).url
    }
  }

  async #send(
    url: URL,
    {
      method,
      headers,
      body,
      signal,
      responseTimeoutMs: timeoutMs = defaultResponseTimeoutMs,
      bypassesCircuitBreaker = false,
    }: OutgoingRequest,
  ) {
    const { agent, breaker, owner } = this.#shared
    if (!bypassesCircuitBreaker) breaker.requireClosed(url.host, owner)
    try {
      const { statusCode, ...response } = await request(url, {
        dispatcher: agent,
        method: method as Dispatcher.HttpMethod, // one of ours
        headers: { 'user-agent': 'Mutabor/1', 'accept-encoding': 'identity', ...headers },
        body: body instanceof Readable ? (releaseAfterSending(body) as unknown as Readable) : (body ?? null), // its types do not know all that it takes
        signal,
        headersTimeout: timeoutMs,
      })
      if (statusCode < 500) breaker.recordSuccess(url.host, owner)
      else if (!bypassesCircuitBreaker) breaker.recordFailure(url.host, owner)
      // Whoever reads it hears of errors; one that is destroyed unread would end the process with one.
      response.body.on('error', () => {})
      return { status: statusCode, headers: response.headers, body: response.body }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      if (!bypassesCircuitBreaker) breaker.recordFailure(url.host, owner)
      throw networkError(url.host, error)
    }
  }

  /** A connection for protocols other than HTTP. @throws as `request` does. */
  async connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const { breaker, connectMs, owner } = this.#shared
    const name = `${host}:${port}`
    breaker.requireClosed(name, owner)
    try {
      const { address } = await this.addresses.resolve(host)
      const timeoutMs = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const socket = await connectSocket(address, port, timeoutMs)
      breaker.recordSuccess(name, owner)
      return corkWrites(socket)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      breaker.recordFailure(name, owner)
      throw networkError(name, error)
    }
  }

  async close(): Promise<void> {
    this.agents.http.destroy()
    this.agents.https.destroy()
    await this.#shared.agent.destroy()
  }
}

/** The next piece is asked for when the connection has taken all that it was given, or has little of it left. */
async function* releaseAfterSending(body: Readable): AsyncGenerator<Buffer> {
  for await (const piece of readChunks(body)) {
    yield piece
    if (piece.length >= socketBufferBytes) releaseBuffer(piece)
  }
}

/** The signal ends with the connecting: as an option of Node's it would break off what is connected too. */
async function connectSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
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
export function parseHttpUrl(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new AppError(
    'INVALID_INPUT',
    `url: expected a URL that starts with https:// or http://, got "${String(target).slice(0, 100)}".`,
    { field: 'url' },
  )
}

/** `https://name:password@host` means what it says in a browser; to a log or an error it would tell a secret. */
export function moveCredentialsToHeader(url: URL, headers: OutgoingRequest['headers'] = {}) {
  if (!url.username && !url.password) return { url, headers }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const stripped = new URL(url)
  stripped.username = ''
  stripped.password = ''
  return {
    url: stripped,
    headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, ...headers },
  }
}

/** Whether what is for the host of the one may go to the other too: not in the clear either, where it was not so before. */
export const isSameHost = (url: URL, other: URL): boolean =>
  url.host === other.host && !(url.protocol === 'https:' && other.protocol === 'http:')

export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

function findRedirect({ status, headers }: Pick<OutgoingResponse, 'status' | 'headers'>, from: URL) {
  const { location } = headers
  if (!redirectStatuses.includes(status) || typeof location !== 'string') return undefined
  if (!URL.canParse(location, from.href))
    throw new RemoteError('status', `${from.host} redirects to something that is no address.`, { status })
  return parseHttpUrl(new URL(location, from))
}

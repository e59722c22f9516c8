import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { getDefaultHighWaterMark, Readable } from 'node:stream'
import { Agent, buildConnector, type Dispatcher, request } from 'undici'
import { AppError } from '../errors.ts'
import { createPooledReadOptions, releaseBuffer } from '../io/buffer-pool.ts'
import { defined } from '../validation/defined.ts'
import { describeUrl } from '../validation/describe-url.ts'
import { AddressGuard, type ResolveHost } from './addresses.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import { corkWrites } from './corked-socket.ts'
import { createGuardedAgents, type GuardedAgents } from './guarded-agents.ts'
import { createNetworkError } from './network-error.ts'
import { RemoteError } from './remote-error.ts'
import { readChunks } from './stream-chunks.ts'

/** Timeout for connecting to a host. */
const defaultConnectTimeoutMs = 10_000
/** Timeout for the first byte of a response. */
const defaultResponseTimeoutMs = 30_000
/** Timeout between two chunks of the body of a response. */
const bodyTimeoutMs = 30_000
/**
 * Number of bytes that a socket may still have buffered when it requests more (`getDefaultHighWaterMark` of Node's
 * streams).
 */
const socketBufferBytes = getDefaultHighWaterMark(false)
/** Maximum number of redirects that are followed per request. */
export const defaultMaxRedirects = 3

export interface OutgoingRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  /** Headers that are sent only to the host of the URL, not to the hosts of redirects. */
  readonly headers?: Readonly<Record<string, string>>
  /** Body of the request. A stream can be sent only once, so a request with a stream must disable redirects. */
  readonly body?: string | Buffer | Readable
  readonly signal: AbortSignal
  /** Maximum number of redirects to follow; 3 if omitted. */
  readonly maxRedirects?: number
  /** Timeout for the first byte of the response, in milliseconds; 30 s if omitted. */
  readonly responseTimeoutMs?: number
  /** Whether to ignore the circuit breaker, because failures of this URL say nothing about other URLs of its host. */
  readonly bypassesCircuitBreaker?: boolean
}

export interface OutgoingResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Body of the response, which the caller has to read or destroy. */
  readonly body: Readable
  /** URL of the response, after redirects. */
  readonly url: URL
}

interface GuardedHttpOptions {
  /** Non-public networks in CIDR notation that may be reached. */
  readonly allowedNetworks?: readonly string[]
  readonly resolve?: ResolveHost
  readonly now?: () => number
  /** Timeout for connecting, in milliseconds; 10 s if omitted. */
  readonly connectTimeoutMs?: number
}

/** State that all instances with the same connections share, and the owner for whom this instance acts. */
interface SharedState {
  readonly addressGuard: AddressGuard
  readonly agents: GuardedAgents
  readonly breaker: CircuitBreaker
  readonly agent: Agent
  readonly connectTimeoutMs: number
  readonly owner: string
}

function createSharedState({
  allowedNetworks: allowed,
  resolve,
  now,
  connectTimeoutMs: connectMs = defaultConnectTimeoutMs,
}: GuardedHttpOptions): SharedState {
  const addressGuard = new AddressGuard(allowed, resolve)
  const tlsConnector = buildConnector({ timeout: connectMs })
  const agent = new Agent({
    bodyTimeout: bodyTimeoutMs,
    connect: (options, callback) => {
      const { hostname, servername, protocol } = options
      const connector = protocol === 'http:' ? createPooledConnector(connectMs) : tlsConnector
      addressGuard.resolve(hostname).then(
        ({ address }) => {
          const tlsName = servername ?? (isIP(hostname) ? undefined : hostname)
          connector({ ...options, hostname: address, ...(tlsName && { servername: tlsName }) }, callback)
        },
        (error: Error) => callback(error, null),
      )
    },
  })
  const agents = createGuardedAgents(addressGuard)
  return {
    addressGuard,
    agents,
    breaker: new CircuitBreaker(now),
    agent,
    connectTimeoutMs: connectMs,
    owner: '',
  }
}

/**
 * Creates a connector for one connection without TLS that reads into pooled buffers. With TLS, Node copies the data
 * anyway.
 */
function createPooledConnector(timeout: number): buildConnector.connector {
  let socket: Socket | undefined
  const onread = createPooledReadOptions((bytes) => socket?.push(bytes) ?? false)
  const connector = buildConnector({ timeout, onread } as buildConnector.BuildOptions) // undici passes it on to Node
  return (options, callback) =>
    connector(options, (...[error, connectedSocket]) => {
      if (error) return callback(error, null)
      socket = connectedSocket
      callback(null, connectedSocket)
    })
}

/**
 * HTTP client for all URLs and hosts that users supply: remote files, webhooks, stores with custom endpoints. Each
 * connection goes to an IP address that was checked just before, so that neither a redirect nor a changing DNS name
 * leads into the service's network (SSRF).
 */
export class GuardedHttp {
  readonly addressGuard: AddressGuard
  /** Agents of Node for clients of other libraries, with the same checks. */
  readonly agents: GuardedAgents
  readonly #sharedState: SharedState

  constructor(options: GuardedHttpOptions | SharedState = {}) {
    this.#sharedState = 'owner' in options ? options : createSharedState(options)
    this.addressGuard = this.#sharedState.addressGuard
    this.agents = this.#sharedState.agents
  }

  /**
   * Returns a client that uses the same connections, but counts failures for the given owner. Closing this client also
   * closes the returned one.
   */
  forOwner(owner: string): GuardedHttp {
    return new GuardedHttp({ ...this.#sharedState, owner })
  }

  /**
   * Sends a request; any status of the response is a success.
   * @throws AppError URL_NOT_ALLOWED, INVALID_INPUT for a URL other than HTTP; RemoteError if the host does not
   * respond.
   */
  async request(target: string | URL, options: OutgoingRequest): Promise<OutgoingResponse> {
    let { url, headers } = moveCredentialsToHeader(parseHttpUrl(target), options.headers)
    const { method = 'GET', body } = options
    for (let redirectsLeft = options.maxRedirects ?? defaultMaxRedirects; ; redirectsLeft--) {
      const response = await this.#send(url, {
        ...options,
        method,
        headers,
        ...defined({ body }),
      }).catch((error: unknown) => {
        if (body instanceof Readable) discardBody(body)
        throw error
      })
      const nextUrl = findRedirect(response, url)
      if (!nextUrl || options.maxRedirects === 0) return { ...response, url }
      response.body.destroy()
      if (redirectsLeft === 0)
        throw new RemoteError('status', `${url.host} redirects more than ${defaultMaxRedirects} times.`, {
          isTransient: false,
          status: response.status,
        })
      if (!isSameHost(url, nextUrl)) headers = {}
      url = moveCredentialsToHeader(nextUrl, {}).url
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
    const { agent, breaker, owner } = this.#sharedState
    if (!bypassesCircuitBreaker) breaker.requireClosed(url.host, owner)
    try {
      const { statusCode, ...response } = await request(url, {
        dispatcher: agent,
        method: method as Dispatcher.HttpMethod, // all are methods of undici
        headers: { 'user-agent': 'Mutabor/1', 'accept-encoding': 'identity', ...headers },
        // The types of undici lack async iterables.
        body: body instanceof Readable ? (releaseAfterSending(body) as unknown as Readable) : (body ?? null),
        signal,
        headersTimeout: timeoutMs,
      })
      if (statusCode < 500) breaker.recordSuccess(url.host, owner)
      else if (!bypassesCircuitBreaker) breaker.recordFailure(url.host, owner)
      // Readers still get errors. Without a listener, destroying an unread body would crash the process.
      response.body.on('error', () => {})
      return { status: statusCode, headers: response.headers, body: response.body }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      if (!bypassesCircuitBreaker) breaker.recordFailure(url.host, owner)
      throw createNetworkError(url.host, error)
    }
  }

  /** Opens a connection for protocols other than HTTP. @throws the same errors as `request`. */
  async connect(host: string, port: number, signal: AbortSignal): Promise<Socket> {
    const { breaker, connectTimeoutMs: connectMs, owner } = this.#sharedState
    const name = `${host}:${port}`
    breaker.requireClosed(name, owner)
    try {
      const { address } = await this.addressGuard.resolve(host)
      const connectSignal = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
      const socket = await connectSocket(address, port, connectSignal)
      breaker.recordSuccess(name, owner)
      return corkWrites(socket)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AppError) throw error
      breaker.recordFailure(name, owner)
      throw createNetworkError(name, error)
    }
  }

  async close(): Promise<void> {
    this.agents.http.destroy()
    this.agents.https.destroy()
    await this.#sharedState.agent.destroy()
  }
}

/** Closes the file or connection of a body that was not sent, or only in part. */
function discardBody(body: Readable): void {
  // Without a listener, an error while the body is destroyed would crash the process.
  body.on('error', () => {})
  body.destroy()
}

/**
 * Yields the chunks of a body. Releases pooled buffers once the socket requests the next chunk, because it has sent
 * nearly all earlier bytes by then.
 */
async function* releaseAfterSending(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of readChunks(body)) {
    yield chunk
    if (chunk.length >= socketBufferBytes) releaseBuffer(chunk)
  }
}

/**
 * Connects a socket. The signal aborts only the connecting. If it were passed as a socket option, it would also close
 * the open connection.
 */
async function connectSocket(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted()
  const socket = connectTcp({ host, port })
  const destroySocket = () => void socket.destroy(signal.reason)
  signal.addEventListener('abort', destroySocket)
  try {
    await once(socket, 'connect')
    return socket
  } finally {
    signal.removeEventListener('abort', destroySocket)
  }
}

/** Parses an HTTP URL. @throws AppError INVALID_INPUT */
export function parseHttpUrl(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  throw new AppError(
    'INVALID_INPUT',
    `url: expected a URL that starts with https:// or http://, got "${describeUrl(String(target))}".`,
    { field: 'url' },
  )
}

/**
 * Moves the credentials of `https://name:password@host` to a header, as browsers do, so that no log or error contains
 * the password.
 */
export function moveCredentialsToHeader(url: URL, headers: OutgoingRequest['headers'] = {}) {
  if (!url.username && !url.password) return { url, headers }
  const userAndPassword = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const urlWithoutCredentials = new URL(url)
  urlWithoutCredentials.username = ''
  urlWithoutCredentials.password = ''
  return {
    url: urlWithoutCredentials,
    headers: { authorization: `Basic ${Buffer.from(userAndPassword).toString('base64')}`, ...headers },
  }
}

/**
 * Whether headers for the host of `url` may also be sent to `otherUrl`: the host is the same, and HTTPS is not replaced
 * by HTTP.
 */
export const isSameHost = (url: URL, otherUrl: URL): boolean =>
  url.host === otherUrl.host && !(url.protocol === 'https:' && otherUrl.protocol === 'http:')

export const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

function findRedirect({ status, headers }: Pick<OutgoingResponse, 'status' | 'headers'>, baseUrl: URL) {
  const { location } = headers
  if (!redirectStatuses.includes(status) || typeof location !== 'string') return undefined
  if (!URL.canParse(location, baseUrl.href))
    throw new RemoteError('status', `${baseUrl.host} redirects to an invalid URL.`, { status })
  return parseHttpUrl(new URL(location, baseUrl))
}

import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { Semaphore } from '../../../async/semaphore.ts'
import { timeoutErrorType } from '../../../embedded-aws/lambda/function-error.ts'
import type { InvocationOutcome, Lambda } from '../../../embedded-aws/lambda/runtime.ts'
import type { Log } from '../../../log.ts'
import { createFrameSizeTracker } from './frame-sizes.ts'
import {
  createConnectEvent,
  createConnection,
  createDisconnectEvent,
  createMessageEvent,
  type WebSocketConnection,
} from './websocket-event.ts'
import { createRouteSelector, type WebSocketRoute } from './websocket-routes.ts'

interface WebSocketApiOptions {
  readonly lambda: Lambda
  readonly routes: readonly WebSocketRoute[]
  readonly routeSelectionExpression: string
  /** Name of the stage, as used in events. */
  readonly stage: string
  readonly limits?: Partial<typeof defaultLimits>
  readonly log: Log
}

/**
 * Limits of API Gateway:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
 */
const defaultLimits = {
  messageBytes: 128 * 1024,
  frameBytes: 32 * 1024,
  idleMs: 10 * 60_000,
  connectedMs: 2 * 3600_000,
  integrationMs: 29_000,
}

/**
 * Maximum number of messages of one connection that are processed at the same time; further messages wait in the
 * socket.
 */
const maxConcurrentMessages = 10
/**
 * Maximum number of connects and disconnects at the same time. With more, the function's calls to the table would time
 * out.
 */
const maxConnectionEvents = 32
/** Maximum number of bytes buffered for a client that does not read. */
const maxUnreadBytes = 256 * 1024
/** How long to wait for the clients' closing handshakes, and then for the last functions. */
const closeTimeoutMs = 3000

const closeCodes = { normal: 1000, goingAway: 1001, noText: 1003, tooBig: 1009 } as const

const HandlerResult = z.object({
  statusCode: z.coerce.number().int().min(100).max(599).optional(),
  headers: z.record(z.string(), z.unknown()).nullish(),
  body: z.string().nullish(),
})

interface OpenConnection {
  readonly connection: WebSocketConnection
  readonly socket: WebSocket
  readonly resetIdleTimer: () => void
  lastActiveAt: Date
  runningMessageCount: number
}

/**
 * A WebSocket API, which turns connections and messages into events of functions. The functions reply through
 * `@connections`.
 */
export class WebSocketApi {
  readonly #options: WebSocketApiOptions
  readonly #limits: typeof defaultLimits
  readonly #functionsByRoute: ReadonlyMap<string, string>
  readonly #selectRoute: (message: string) => string | undefined
  readonly #openConnections = new Map<string, OpenConnection>()
  readonly #connectionEvents = new Semaphore(maxConnectionEvents)
  readonly #pendingOperations = new Set<Promise<unknown>>()
  readonly #protocols = new WeakMap<IncomingMessage, string>()
  readonly #server: WebSocketServer

  constructor(options: WebSocketApiOptions) {
    this.#options = options
    this.#limits = { ...defaultLimits, ...options.limits }
    this.#functionsByRoute = new Map(options.routes.map(({ key, functionName }) => [key, functionName]))
    this.#selectRoute = createRouteSelector(options.routeSelectionExpression)
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: this.#limits.messageBytes,
      handleProtocols: (_offered, request) => this.#protocols.get(request) ?? false,
    })
  }

  /** Handles the upgrade request of a WebSocket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): true {
    const operation = this.#connect(request, socket, head)
    operation.catch(() => socket.destroy())
    this.#trackOperation(operation)
    return true
  }

  get(connectionId: string): Readonly<Pick<OpenConnection, 'connection' | 'lastActiveAt'>> | undefined {
    return this.#openConnections.get(connectionId)
  }

  /** Sends a message; returns `slow` if too much is already buffered for a client that does not read. */
  send(connectionId: string, message: Buffer): Promise<'sent' | 'gone' | 'slow'> {
    const openConnection = this.#openConnections.get(connectionId)
    if (!openConnection || openConnection.socket.readyState !== openConnection.socket.OPEN)
      return Promise.resolve('gone')
    if (openConnection.socket.bufferedAmount > maxUnreadBytes) return Promise.resolve('slow')
    openConnection.resetIdleTimer()
    // The message may still be buffered, until the client reads on; the close event reports a lost connection.
    openConnection.socket.send(message, { binary: false }, () => undefined)
    return Promise.resolve('sent')
  }

  /** Closes a connection; returns false if it no longer exists. */
  disconnect(
    connectionId: string,
    code: number = closeCodes.normal,
    reason = 'Connection Closed Normally',
  ): boolean {
    const openConnection = this.#openConnections.get(connectionId)
    openConnection?.socket.close(code, reason)
    return openConnection !== undefined
  }

  /** Closes all connections and notifies the functions. */
  async close(): Promise<void> {
    for (const { socket } of this.#openConnections.values()) socket.close(closeCodes.goingAway, 'Going away')
    const timer = setTimeout(() => {
      for (const { socket } of this.#openConnections.values()) socket.terminate()
    }, closeTimeoutMs)
    const limit = new Promise((resolve) => setTimeout(resolve, 2 * closeTimeoutMs).unref())
    while (this.#openConnections.size > 0 || this.#pendingOperations.size > 0) {
      const closePromises = [...this.#openConnections.values()].map(
        ({ socket }) => new Promise((resolve) => socket.once('close', resolve)),
      )
      const raceResult = await Promise.race([
        ...closePromises,
        ...this.#pendingOperations,
        limit.then(() => 'timeout' as const),
      ])
      if (raceResult === 'timeout') break
    }
    clearTimeout(timer)
  }

  #trackOperation(operation: Promise<unknown>): void {
    const loggedOperation = operation.catch((error) =>
      this.#options.log.error({ error }, 'a WebSocket failed'),
    )
    this.#pendingOperations.add(loggedOperation)
    void loggedOperation.finally(() => this.#pendingOperations.delete(loggedOperation))
  }

  /** Invokes the function of a route; returns undefined if there is none. */
  async #invoke(route: string, event: unknown): Promise<InvocationOutcome | undefined> {
    const name = this.#functionsByRoute.get(route)
    if (name === undefined) return undefined
    return this.#options.lambda.invoke(name, event, { limitMs: this.#limits.integrationMs })
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!isHandshake(request)) {
      rejectHandshake(socket, 400)
      return
    }
    const connection = createConnection(request, this.#options.stage)
    const outcome = await this.#connectionEvents.run(async () =>
      socket.destroyed ? 'abandoned' : this.#invoke('$connect', createConnectEvent(connection, request)),
    )
    if (outcome === 'abandoned') return
    const { status, protocol } = outcome ? toHandshakeResult(outcome) : { status: 200, protocol: undefined }
    if (status < 200 || status > 299) {
      rejectHandshake(socket, status)
      return
    }
    if (protocol !== undefined) this.#protocols.set(request, protocol)
    if (socket.destroyed) {
      // The function has registered the client by now, so it must be notified that the client disconnected.
      await this.#invoke('$disconnect', createDisconnectEvent(connection, 1006, ''))
      return
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) =>
      this.#accept(connection, webSocket, socket),
    )
  }

  #accept(connection: WebSocketConnection, socket: WebSocket, rawSocket: Duplex): void {
    const close = () => socket.close(closeCodes.goingAway, 'Going away')
    const idleTimer = setTimeout(close, this.#limits.idleMs)
    const lifetimeTimer = setTimeout(close, this.#limits.connectedMs)
    const openConnection: OpenConnection = {
      connection,
      socket,
      lastActiveAt: new Date(),
      runningMessageCount: 0,
      resetIdleTimer: () => {
        openConnection.lastActiveAt = new Date()
        idleTimer.refresh()
      },
    }
    this.#openConnections.set(connection.id, openConnection)
    const measureLargestFrame = createFrameSizeTracker()
    // Frames are measured before the library gets their bytes, so that a frame that is too large never becomes a
    // message.
    rawSocket.prependListener('data', (chunk: Buffer) => {
      if (measureLargestFrame(chunk) > this.#limits.frameBytes)
        socket.close(closeCodes.tooBig, 'Message too big')
    })
    socket.on('ping', openConnection.resetIdleTimer)
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) return
      // API Gateway on binary frames: "API Gateway rejects it and disconnects the client with code 1003".
      if (isBinary) socket.close(closeCodes.noText, 'Binary frames are not supported')
      else this.#trackOperation(this.#receive(openConnection, String(data)))
    })
    // A close event, which has the close code, follows each error.
    socket.on('error', () => {})
    socket.once('close', (code, reason) => {
      clearTimeout(idleTimer)
      clearTimeout(lifetimeTimer)
      this.#openConnections.delete(connection.id)
      const event = createDisconnectEvent(connection, code, reason.toString())
      this.#trackOperation(this.#connectionEvents.run(() => this.#invoke('$disconnect', event)))
    })
  }

  async #receive(openConnection: OpenConnection, message: string): Promise<void> {
    const { connection, socket } = openConnection
    openConnection.resetIdleTimer()
    if (++openConnection.runningMessageCount >= maxConcurrentMessages) socket.pause()
    const selectedRoute = this.#selectRoute(message)
    const isNamed =
      selectedRoute !== undefined &&
      !selectedRoute.startsWith('$') &&
      this.#functionsByRoute.has(selectedRoute)
    const route = isNamed ? selectedRoute : '$default'
    const event = createMessageEvent(connection, route, message)
    const outcome = await this.#invoke(route, event)
    openConnection.runningMessageCount -= 1
    if (socket.isPaused) socket.resume()
    const { requestId } = event.requestContext
    const reply = (text: string) =>
      socket.send(JSON.stringify({ message: text, connectionId: connection.id, requestId }))
    if (!outcome) reply('Forbidden')
    else if (!outcome.ok) reply('Internal server error')
    else {
      const result = HandlerResult.safeParse(outcome.value)
      if (result.success && result.data.body) socket.send(result.data.body)
    }
  }
}

/**
 * Whether a request is a valid handshake. The library would refuse it later, when a function already considers the
 * client connected.
 */
const isHandshake = ({ method, headers }: IncomingMessage) =>
  method === 'GET' &&
  /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
  headers['sec-websocket-version'] === '13'

/** Returns the status and the subprotocol that the `$connect` function chose. */
function toHandshakeResult(outcome: InvocationOutcome): { status: number; protocol: string | undefined } {
  if (!outcome.ok)
    return { status: outcome.failure.errorType === timeoutErrorType ? 504 : 502, protocol: undefined }
  const result = HandlerResult.safeParse(outcome.value)
  if (!result.success) return { status: 502, protocol: undefined }
  const { statusCode = 502, headers } = result.data
  const protocol = Object.entries(headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'sec-websocket-protocol',
  )?.[1]
  return { status: statusCode, protocol: typeof protocol === 'string' ? protocol : undefined }
}

function rejectHandshake(socket: Duplex, status: number): void {
  const reason = STATUS_CODES[status] ?? 'Refused'
  const body = JSON.stringify({ message: reason })
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

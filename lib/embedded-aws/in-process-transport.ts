// Passes the requests of an AWS client to a server in the same process, without a network connection.
import { EventEmitter } from 'node:events'
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type ServerResponse,
  validateHeaderValue,
} from 'node:http'
import { Readable, Writable } from 'node:stream'
import type { HttpHandlerOptions, HttpRequest, HttpResponse } from '@smithy/types'
import type { ClientConnection } from '../io/local-connections.ts'
import { uriEncode } from './sigv4.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Maximum size of a chunk, because a server hashes a chunk synchronously, which blocks everything else. */
const chunkBytes = 256 * 1024
const emptyChunk = Buffer.alloc(0)
/** Methods of requests without a body. */
const bodilessMethods = new Set(['GET', 'HEAD', 'DELETE'])
/** Statuses of responses without a body. */
const bodilessStatuses = new Set([204, 304])

/** Returns SDK options that pass requests to `handle`. Requests within the process need no signatures or checksums. */
export function createInProcessConnection(handle: RequestHandler) {
  return {
    requestHandler: {
      metadata: { handlerProtocol: 'http/1.1' },
      // The service never creates the SDK's older kind of abort signal.
      handle: async (call: HttpRequest, { abortSignal }: HttpHandlerOptions = {}) =>
        new Exchange(call, abortSignal as AbortSignal | undefined).run(handle),
    },
    signer: { sign: async <T>(call: T) => call },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  } satisfies ClientConnection
}

/** Whether a request came from this process. Only the service's own code can send it, so it needs no signature. */
export const isInProcess = (request: IncomingMessage): boolean =>
  (request as unknown) instanceof InProcessRequest

/** One request and its response. If either side disconnects, the other side is notified. */
class Exchange {
  readonly #head = Promise.withResolvers<{ response: HttpResponse }>()
  readonly #signal: AbortSignal | undefined
  readonly #socket = new InProcessSocket()
  readonly #request: InProcessRequest
  readonly #response: InProcessResponse
  readonly #body: Readable

  constructor(call: HttpRequest, signal: AbortSignal | undefined) {
    this.#signal = signal
    this.#request = new InProcessRequest(call, this.#socket, () => this.#response.writableEnded)
    this.#body = new Readable({
      read: () => this.#response.resume(),
      destroy: (error, callback) => {
        // A body that was read to its end is destroyed too, but in that case the response is about to finish.
        if (!this.#body.readableEnded) this.#response.destroy()
        callback(error)
      },
    })
    this.#response = new InProcessResponse(this.#request, this.#body, () => this.#sendHead())
    // Errors of a stream are handled by its reader; an abandoned stream has no reader.
    for (const stream of [this.#request, this.#response, this.#body]) stream.on('error', () => undefined)
  }

  run(handle: RequestHandler): Promise<{ response: HttpResponse }> {
    if (this.#signal?.aborted) return Promise.reject(createAbortError(this.#signal))
    this.#signal?.addEventListener('abort', this.#abort)
    this.#request.once('close', () => this.#onRequestClosed())
    this.#response.once('close', () => this.#onResponseClosed())
    // Both classes implement what the servers use of the node:http classes, which need a connection.
    handle(this.#request as unknown as IncomingMessage, this.#response as unknown as ServerResponse)
    return this.#head.promise
  }

  #sendHead(): void {
    const { statusCode, sentHeaders: headers } = this.#response
    this.#head.resolve({ response: { statusCode, headers, body: this.#body } })
  }

  /** The caller has disconnected. A server that waits for a message, as in a long poll, must not take one any more. */
  readonly #abort = (): void => {
    this.#socket.emit('end')
    this.#fail(this.#signal ? createAbortError(this.#signal) : createHangUpError())
  }

  #fail(error: Error): void {
    this.#head.reject(error)
    this.#body.destroy(error)
    this.#response.destroy()
  }

  /** Fails the exchange if the body is incomplete, because its source failed or the server aborted the request. */
  #onRequestClosed(): void {
    if (this.#request.complete || this.#response.writableEnded) return
    this.#fail(this.#request.errored ?? createHangUpError())
  }

  #onResponseClosed(): void {
    this.#signal?.removeEventListener('abort', this.#abort)
    if (!this.#response.writableFinished) this.#fail(createHangUpError())
    if (this.#request.complete) return
    // A server may respond without reading the whole body. If it is still reading, it gets an error.
    this.#request.destroy(this.#response.writableFinished ? undefined : createHangUpError())
  }
}

/** The part of a socket that the servers use. It has no timeouts, because the caller reports when it disconnects. */
class InProcessSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1'

  setTimeout(): this {
    return this
  }
}

/** The request as the server sees it. Its source is read only as far as the server reads. */
class InProcessRequest extends Readable {
  readonly method: string
  readonly url: string
  readonly httpVersion = '1.1'
  readonly headers: IncomingHttpHeaders
  readonly socket: InProcessSocket
  complete = false
  readonly #chunks: Iterator<unknown> | AsyncIterator<unknown>
  readonly #source: Readable | undefined
  readonly #isAnswered: () => boolean

  constructor(call: HttpRequest, socket: InProcessSocket, isAnswered: () => boolean) {
    super({ highWaterMark: chunkBytes })
    this.method = call.method
    this.url = buildUrl(call)
    this.headers = lowercaseNames(call.headers)
    this.socket = socket
    this.#source = call.body instanceof Readable ? call.body : undefined
    this.#source?.once('error', (error) => this.destroy(error))
    const bytes = this.#source ? emptyChunk : toBuffer(call.body)
    // node:http sets the same header for a body that is sent as a whole.
    if (!this.#source && (bytes.length > 0 || !bodilessMethods.has(call.method)))
      this.headers['content-length'] ??= String(bytes.length)
    this.#chunks = this.#source?.[Symbol.asyncIterator]() ?? splitIntoChunks(bytes)
    this.#isAnswered = isAnswered
  }

  override _read(): void {
    // After the response, nothing more is read: unlike over a connection, unread data does not block the response.
    if (this.#isAnswered()) return
    const nextChunk = this.#chunks.next()
    if (!('then' in nextChunk)) this.#pushResult(nextChunk)
    // A rejection can be ignored: the error listener of the source destroys the request.
    else
      nextChunk.then(
        (result) => this.#pushResult(result),
        () => undefined,
      )
  }

  #pushResult({ done, value }: IteratorResult<unknown>): void {
    if (!done) {
      // The chunks of a stream are buffers, or text if an encoding was set.
      this.push(typeof value === 'string' ? Buffer.from(value) : value)
      return
    }
    this.complete = true
    this.push(null)
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.complete) this.#source?.destroy()
    callback(error)
  }
}

/** The response as the server sees it; finished when the caller has read it. */
class InProcessResponse extends Writable {
  readonly req: InProcessRequest
  statusCode = 200
  headersSent = false
  readonly #headers = new Map<string, string>()
  readonly #body: Readable
  readonly #sendHead: () => void
  #resumeWrite: (() => void) | undefined

  constructor(request: InProcessRequest, body: Readable, sendHead: () => void) {
    super({ decodeStrings: true })
    this.req = request
    this.#body = body
    this.#sendHead = sendHead
  }

  get sentHeaders(): Record<string, string> {
    return Object.fromEntries(this.#headers)
  }

  setHeader(name: string, value: OutgoingHttpHeader): this {
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    validateHeaderValue(name, text)
    this.#headers.set(name.toLowerCase(), text)
    return this
  }

  setHeaders(headers: ReadonlyMap<string, OutgoingHttpHeader>): this {
    for (const [name, value] of headers) this.setHeader(name, value)
    return this
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name.toLowerCase())
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase())
  }

  removeHeader(name: string): void {
    this.#headers.delete(name.toLowerCase())
  }

  writeHead(status: number, headers: OutgoingHttpHeaders = {}): this {
    this.statusCode = status
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) this.setHeader(name, value)
    return this
  }

  /** Does nothing: the caller sends its body when the server reads it. */
  writeContinue(): void {}

  /** Called when the caller reads. */
  resume(): void {
    const resumeWrite = this.#resumeWrite
    this.#resumeWrite = undefined
    resumeWrite?.()
  }

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.#sendHeadOnce()
    if (this.req.method === 'HEAD' || bodilessStatuses.has(this.statusCode) || this.#body.push(chunk))
      callback()
    else this.#resumeWrite = callback
  }

  override _final(callback: () => void): void {
    this.#sendHeadOnce()
    const isRead = this.#body.readableLength === 0
    this.#body.push(null)
    if (isRead) callback()
    else this.#body.once('end', callback)
  }

  #sendHeadOnce(): void {
    if (this.headersSent) return
    this.headersSent = true
    this.#sendHead()
  }
}

function lowercaseNames(headers: HttpRequest['headers']): IncomingHttpHeaders {
  const receivedHeaders: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderValue(name, value)
    receivedHeaders[name.toLowerCase()] = value
  }
  return receivedHeaders
}

function buildUrl({ path, query = {} }: HttpRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => (item === null ? uriEncode(name) : `${uriEncode(name)}=${uriEncode(item)}`)),
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function toBuffer(body: unknown): Buffer {
  if (body === undefined || body === null) return emptyChunk
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  throw new TypeError(`Expected bytes, text or a stream as the body of a request, got ${typeof body}`)
}

function* splitIntoChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** Creates the same error as the SDK's own request handler; the SDK does not retry it. */
function createAbortError({ reason }: AbortSignal): Error {
  return Object.assign(new Error('Request aborted', { cause: reason }), { name: 'AbortError' })
}

/** Creates the same error as node:http; the SDK retries it. */
function createHangUpError(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}

// Calls of an AWS client to a server of the same process: what a connection does for the two, without one.
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
import type { Connection } from '../aws/connections.ts'
import { uriEncode } from './sigv4.ts'

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A server hashes a piece in one go, and nothing else happens meanwhile. */
const chunkBytes = 256 * 1024
const empty = Buffer.alloc(0)
/** Requests and answers of HTTP that have no body. */
const bodilessMethods = new Set(['GET', 'HEAD', 'DELETE'])
const bodilessStatuses = new Set([204, 304])

/** Stands in for the SDK's own handler. What does not leave the process is neither signed nor guarded by checksums. */
export function inProcessConnection(handle: RequestHandler) {
  return {
    requestHandler: {
      metadata: { handlerProtocol: 'http/1.1' },
      // The SDK's older kind of signal is made by nobody here.
      handle: async (call: HttpRequest, { abortSignal }: HttpHandlerOptions = {}) =>
        new Exchange(call, abortSignal as AbortSignal | undefined).run(handle),
    },
    signer: { sign: async <T>(call: T) => call },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  } satisfies Connection
}

/** Nobody outside can make such a request: it is our own, and needs no signature. */
export const isInProcess = (request: IncomingMessage): boolean =>
  (request as unknown) instanceof InProcessRequest

/** One request and its answer; whichever side goes away, the other one hears of it. */
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
      destroy: (error, done) => {
        // Read to its end it is destroyed too, and the answer about to finish.
        if (!this.#body.readableEnded) this.#response.destroy()
        done(error)
      },
    })
    this.#response = new InProcessResponse(this.#request, this.#body, () => this.#sendHead())
    // Who reads a stream hears of its error; nobody reads one that was given up.
    for (const stream of [this.#request, this.#response, this.#body]) stream.on('error', () => undefined)
  }

  run(handle: RequestHandler): Promise<{ response: HttpResponse }> {
    if (this.#signal?.aborted) return Promise.reject(abortError(this.#signal))
    this.#signal?.addEventListener('abort', this.#abort)
    this.#request.once('close', () => this.#onRequestClosed())
    this.#response.once('close', () => this.#onResponseClosed())
    // They do what servers use of the classes of node:http, which cannot be had without a connection.
    handle(this.#request as unknown as IncomingMessage, this.#response as unknown as ServerResponse)
    return this.#head.promise
  }

  #sendHead(): void {
    const { statusCode, sentHeaders: headers } = this.#response
    this.#head.resolve({ response: { statusCode, headers, body: this.#body } })
  }

  /** The caller hung up: a server that waits for something must not take it any more. */
  readonly #abort = (): void => {
    this.#socket.emit('end')
    this.#fail(this.#signal ? abortError(this.#signal) : hangUpError())
  }

  #fail(error: Error): void {
    this.#head.reject(error)
    this.#body.destroy(error)
    this.#response.destroy()
  }

  /** Of the body something is missing: its source failed, or the server did not want it. */
  #onRequestClosed(): void {
    if (this.#request.complete || this.#response.writableEnded) return
    this.#fail(this.#request.errored ?? hangUpError())
  }

  #onResponseClosed(): void {
    this.#signal?.removeEventListener('abort', this.#abort)
    if (!this.#response.writableFinished) this.#fail(hangUpError())
    if (this.#request.complete) return
    // A server that did not want to read it all has answered; one that still reads is told.
    this.#request.destroy(this.#response.writableFinished ? undefined : hangUpError())
  }
}

/** As much of a socket as servers look at. Time limits are for strangers: this caller says when it goes away. */
class InProcessSocket extends EventEmitter {
  readonly remoteAddress = '127.0.0.1'

  setTimeout(): this {
    return this
  }
}

/** Its body is read as the server reads, and no further than it does. */
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
    this.url = urlOf(call)
    this.headers = lowercaseNames(call.headers)
    this.socket = socket
    this.#source = call.body instanceof Readable ? call.body : undefined
    this.#source?.once('error', (error) => this.destroy(error))
    const bytes = this.#source ? empty : bytesOf(call.body)
    // As node:http says it of what is sent in one go.
    if (!this.#source && (bytes.length > 0 || !bodilessMethods.has(call.method)))
      this.headers['content-length'] ??= String(bytes.length)
    this.#chunks = this.#source?.[Symbol.asyncIterator]() ?? splitIntoChunks(bytes)
    this.#isAnswered = isAnswered
  }

  override _read(): void {
    // A server drains what it refused so that the refusal gets through; here that takes no reading.
    if (this.#isAnswered()) return
    const next = this.#chunks.next()
    if (!('then' in next)) this.#pushResult(next)
    // An error is told by the stream itself.
    else
      next.then(
        (result) => this.#pushResult(result),
        () => undefined,
      )
  }

  #pushResult({ done, value }: IteratorResult<unknown>): void {
    if (!done) {
      // A stream's pieces are bytes, or text where somebody chose an encoding.
      this.push(typeof value === 'string' ? Buffer.from(value) : value)
      return
    }
    this.complete = true
    this.push(null)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.complete) this.#source?.destroy()
    done(error)
  }
}

/** What the server answers; finished when the caller has it. */
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

  /** Nobody waits to be told: a body is asked for by reading it. */
  writeContinue(): void {}

  /** The caller reads on. */
  resume(): void {
    const resumeWrite = this.#resumeWrite
    this.#resumeWrite = undefined
    resumeWrite?.()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#sendHeadOnce()
    if (this.req.method === 'HEAD' || bodilessStatuses.has(this.statusCode) || this.#body.push(chunk)) done()
    else this.#resumeWrite = done
  }

  override _final(done: () => void): void {
    this.#sendHeadOnce()
    const isRead = this.#body.readableLength === 0
    this.#body.push(null)
    if (isRead) done()
    else this.#body.once('end', done)
  }

  #sendHeadOnce(): void {
    if (this.headersSent) return
    this.headersSent = true
    this.#sendHead()
  }
}

function lowercaseNames(headers: HttpRequest['headers']): IncomingHttpHeaders {
  const received: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderValue(name, value)
    received[name.toLowerCase()] = value
  }
  return received
}

function urlOf({ path, query = {} }: HttpRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => (one === null ? uriEncode(name) : `${uriEncode(name)}=${uriEncode(one)}`)),
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined || body === null) return empty
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  throw new TypeError(`Expected bytes, text or a stream as the body of a request, got ${typeof body}`)
}

function* splitIntoChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** As the SDK's own handler says it; it is not tried again. */
function abortError({ reason }: AbortSignal): Error {
  return Object.assign(new Error('Request aborted', { cause: reason }), { name: 'AbortError' })
}

/** As node:http says it; the SDK tries again. */
function hangUpError(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}

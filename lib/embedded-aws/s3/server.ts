// The embedded S3 server: turns HTTP requests into operations and their replies into responses.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { releaseBuffer } from '../../io/buffer-pool.ts'
import { isNoSpaceError } from '../../io/disk-space.ts'
import type { FileExchange } from '../../io/local-connections.ts'
import { type Authorize, allowAll } from '../authorize.ts'
import { isLocked } from '../group-commit.ts'
import { isInProcess } from '../in-process-transport.ts'
import type { LogFunction } from '../log-line.ts'
import type { AwsCredentials } from '../sigv4.ts'
import { authenticateS3 } from './authentication.ts'
import { Blobs } from './blobs.ts'
import { checkExpectedOwner } from './buckets.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { createCorsHeaders, respondToPreflight } from './cors.ts'
import { Database } from './database.ts'
import { S3Error } from './errors.ts'
import { type ExchangeOptions, openExchange } from './file-exchange.ts'
import { runLifecycle } from './lifecycle.ts'
import { type IsWanted, Notifier, type Notify } from './notifications.ts'
import { checkPermissions, hideAbsence } from './permissions.ts'
import { postObject } from './post-object.ts'
import { requireBucket } from './require-bucket.ts'
import { type ResourceAddress, readResourceAddress } from './resource-address.ts'
import { findS3Operation, needsBucket } from './routes.ts'
import { toXml } from './xml.ts'

export interface S3Options {
  readonly dir: string
  readonly credentials: readonly AwsCredentials[]
  readonly region: string
  readonly authorize?: Authorize
  /** Path prefix on a shared public port, for example '/s3'; the signature covers it. */
  readonly basePath?: string
  /** Group whose processes may read the files of objects. */
  readonly readerGroup?: number
  readonly notify?: Notify
  /** Events for which this function returns false are not stored; by default, all events are stored. */
  readonly isWanted?: IsWanted
  readonly log?: LogFunction
}

export interface S3Server {
  /**
   * Handles `request` and `checkContinue` events: a client that waits before sending its body gets status 100 once the
   * body is needed.
   */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Direct access to files for processes on this machine. */
  exchange(options: ExchangeOptions): FileExchange
  /** Runs the lifecycle rules once; called by tests and a timer. */
  expire(now?: Date): Promise<void>
  close(): Promise<void>
}

const disconnectCodes = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE'])
const lifecycleMs = 3_600_000
const closeTimeoutMs = 5_000
/** A connection without traffic for this long is closed, and its upload discarded. */
const idleTimeoutMs = 120_000
/** How much of a refused upload is read, so that the client gets the error response instead of a broken connection. */
const drainBytes = 64 << 20

export async function openS3Server({
  dir,
  credentials,
  region,
  authorize = allowAll,
  basePath = '',
  readerGroup,
  notify,
  isWanted,
  log = () => undefined,
}: S3Options): Promise<S3Server> {
  const db = new Database(dir, log)
  const blobs = new Blobs(join(dir, 'blobs'), log, readerGroup)
  const swept = await blobs.sweep((blob) => isReferenced(db, blob))
  if (swept > 0) log('Files of interrupted uploads were deleted', { swept })
  const notifier = new Notifier({ db, region, notify, isWanted, log })
  notifier.wake()
  const services = { db, blobs, notifier, region, credentials, authorize, log }
  const activeRequests = new Set<Promise<void>>()
  const expire = (now = new Date()) => runLifecycle(services, now.getTime())
  const timer = setInterval(() => {
    expire().catch((cause: unknown) => log('Lifecycle rules could not run', { cause }))
  }, lifecycleMs).unref()

  return {
    expire,
    exchange: (options) => openExchange(services, options),
    handle(request, response) {
      const requestPromise = serve(services, basePath, request, response).catch((cause: unknown) => {
        log('The error response of an S3 request failed', { cause })
        response.destroy()
      })
      activeRequests.add(requestPromise)
      void requestPromise.finally(() => activeRequests.delete(requestPromise))
    },
    async close() {
      clearInterval(timer)
      const finishedRequests = Promise.allSettled([...activeRequests, notifier.close()])
      const timeoutController = new AbortController()
      const timeoutElapsed = setTimeout(closeTimeoutMs, undefined, {
        signal: timeoutController.signal,
      }).catch(() => undefined)
      await Promise.race([finishedRequests, timeoutElapsed])
      timeoutController.abort()
      await db.close()
    },
  }
}

function isReferenced({ sql }: Database, blob: string): boolean {
  return (
    (sql.get`SELECT 1 FROM segment WHERE blob = ${blob}` ??
      sql.get`SELECT 1 FROM part WHERE blob = ${blob}`) !== undefined
  )
}

async function serve(
  services: S3Services,
  basePath: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomBytes(8).toString('hex').toUpperCase()
  response.setHeader('x-amz-request-id', requestId)
  response.setHeader('x-amz-id-2', Buffer.from(requestId).toString('base64'))
  request.socket.setTimeout(idleTimeoutMs)
  let reply: S3Reply | undefined
  try {
    const address = readResourceAddress(request, basePath)
    if (request.method === 'OPTIONS') reply = respondToPreflight(services.db, address.bucket, request)
    else {
      response.setHeaders(new Map(Object.entries(createCorsHeaders(services.db, address.bucket, request))))
      const proceed = createContinuation(request, response)
      reply = await dispatch(services, { ...address, request, requestId, proceed })
    }
    await send(request, response, reply)
  } catch (error) {
    if (isClientGone(request, error)) return
    if (!(error instanceof S3Error))
      services.log('An S3 request failed', { requestId, method: request.method, cause: error })
    sendError(request, response, error, requestId)
  } finally {
    reply?.done?.()
  }
}

/** True for errors caused by a client that disconnected, which need no response. */
function isClientGone(request: IncomingMessage, error: unknown): boolean {
  if (request.destroyed && !request.complete) return true
  return error instanceof Error && 'code' in error && disconnectCodes.has(String(error.code))
}

async function dispatch(
  services: S3Services,
  addressedRequest: ResourceAddress & Pick<S3Call, 'request' | 'requestId' | 'proceed'>,
): Promise<S3Reply> {
  const { request, ...address } = addressedRequest
  const method = request.method ?? 'GET'
  const form =
    method === 'POST' &&
    address.key === '' &&
    /^multipart\/form-data/i.test(request.headers['content-type'] ?? '')
  const auth = form ? undefined : authenticateS3(request, services.credentials, services.region)
  const call: S3Call = { ...addressedRequest, method, auth }
  if (form) {
    requireBucket(services.db, call.bucket)
    return await postObject(services, call)
  }
  const [operation, route] = findS3Operation(call)
  checkPermissions(services, call, route)
  if (needsBucket(operation)) requireBucket(services.db, call.bucket)
  checkExpectedOwner(call)
  try {
    return await operation(services, call)
  } catch (error) {
    throw hideAbsence(services, call, error)
  }
}

/** Returns a function that requests the body. If the request is refused earlier, the client need not send its body. */
function createContinuation({ headers }: IncomingMessage, response: ServerResponse): () => void {
  let isWaiting = /^100-continue$/i.test(headers.expect ?? '')
  return () => {
    if (isWaiting) response.writeContinue()
    isWaiting = false
  }
}

async function send(request: IncomingMessage, response: ServerResponse, reply: S3Reply): Promise<void> {
  response.statusCode = reply.status ?? 200
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (reply.xml !== undefined) response.setHeader('content-type', 'application/xml')
  if (reply.body && request.method !== 'HEAD') {
    // A caller in this process gets the buffer itself, so the buffer must not be reused.
    await sendChunks(reply.body, response, isInProcess(request) ? () => {} : releaseBuffer)
    return
  }
  // A buffer, because Node writes a string together with the headers and turns their characters into UTF-8.
  const body = Buffer.from(reply.xml ?? '')
  if (!response.hasHeader('content-length') && response.statusCode !== 204 && response.statusCode !== 304)
    response.setHeader('content-length', body.length)
  response.end(body)
}

/** Sends each chunk while the next one is read; `onSent` may then reuse the buffer. */
async function sendChunks(
  chunks: AsyncIterable<Buffer>,
  response: ServerResponse,
  onSent: (chunk: Buffer) => void,
): Promise<void> {
  const closedEvent = once(response, 'close').then(() => {
    throw Object.assign(new Error('the client disconnected'), { code: 'ECONNRESET' })
  })
  closedEvent.catch(() => {})
  let lastSend: Promise<void> = Promise.resolve()
  for await (const chunk of chunks) {
    await Promise.race([lastSend, closedEvent])
    lastSend = write(response, chunk).then(() => onSent(chunk))
    // The error is thrown with the next chunk, or at the end.
    lastSend.catch(() => {})
  }
  await Promise.race([lastSend, closedEvent])
  response.end()
}

function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  response.write(chunk, (error) => (error ? reject(error) : resolve()))
  return promise
}

function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  requestId: string,
): void {
  // After the headers were sent, the only way to report that part of the body is missing is to close the connection.
  if (response.headersSent) {
    response.destroy()
    return
  }
  const knownError =
    error instanceof S3Error ? error : new S3Error(isInternal(error) ? 'InternalError' : 'ServiceUnavailable')
  for (const [name, value] of Object.entries(knownError.headers)) response.setHeader(name, value)
  response.removeHeader('content-length')
  const xml = toXml(
    'Error',
    {
      Code: knownError.code,
      Message: knownError.message,
      ...knownError.details,
      Resource: request.url?.split('?')[0],
      RequestId: requestId,
      HostId: requestId,
    },
    '',
  )
  response.writeHead(knownError.status, {
    'content-type': 'application/xml',
    'content-length': request.method === 'HEAD' ? 0 : Buffer.byteLength(xml),
  })
  response.end(request.method === 'HEAD' ? undefined : xml)
  if (!request.complete) drain(request)
}

/** Whether an error is a bug. A full disk or a locked file is temporary: the same request may succeed later. */
const isInternal = (error: unknown) => !isNoSpaceError(error) && !isLocked(error)

function drain(request: IncomingMessage): void {
  let bytesLeft = drainBytes
  request.on('data', (chunk: Buffer) => {
    bytesLeft -= chunk.length
    if (bytesLeft < 0) request.destroy()
  })
  request.on('error', () => undefined)
  request.resume()
}

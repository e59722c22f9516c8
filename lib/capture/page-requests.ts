import { Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { decodeResponseBody } from '../transfer/content-decoding.ts'
import {
  defaultMaxRedirects,
  type GuardedHttp,
  isSameHost,
  type OutgoingRequest,
  redirectStatuses,
} from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'
import { mergePageHeaders, toResponseHeaders } from './headers.ts'
import { isShownInFrame, requirePage } from './require-page.ts'

export const PausedRequest = z.looseObject({
  requestId: z.string(),
  redirectedRequestId: z.string().optional(),
  frameId: z.string().optional(),
  resourceType: z.string(),
  request: z.looseObject({
    url: z.string(),
    method: z.string(),
    headers: z.record(z.string(), z.string()),
    hasPostData: z.boolean().default(false),
    postDataEntries: z.array(z.looseObject({ bytes: z.string().optional() })).default([]),
  }),
})
export type PausedRequest = z.output<typeof PausedRequest>

/** Limits for what a page may load. */
const limits = {
  fileBytes: 32 * 1024 ** 2,
  /** Total size of all files. */
  bytes: 128 * 1024 ** 2,
  files: 3000,
  /** Maximum number of parallel requests. */
  concurrent: 16,
  /** Time limit for each file. */
  fileMs: 30_000,
}

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export interface PageResponse {
  readonly status: number
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: Buffer
}

interface VisitContext {
  /** Requested URL, without username and password. */
  readonly url: URL
  /** Additional headers, sent only to the host of `url`. */
  readonly headers: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly guardedHttp: GuardedHttp
  readonly signal: AbortSignal
}

/** Fetches the files that a page requests through the guarded HTTP client: the browser itself has no network access. */
export class PageRequests {
  /** Number of failed requests. */
  droppedCount = 0
  readonly #context: VisitContext
  readonly #hopsByRequestId = new Map<string, number>()
  readonly #waitingLoads: (() => void)[] = []
  #open = 0
  #runningLoads = 0
  #fileCount = 0
  #byteCount = 0
  #idleSince = Date.now()

  constructor(context: VisitContext) {
    this.#context = context
  }

  /** Returns the time in milliseconds since more than `maxOpen` requests were last in progress. */
  getIdleMs(maxOpen: number): number {
    return this.#open > maxOpen ? 0 : Date.now() - this.#idleSince
  }

  /**
   * Answers a request; returns undefined if the file could not be fetched.
   * @param isPage whether the website itself is requested; its response must be a web page.
   * @throws AppError, RemoteError only if the website itself is requested.
   */
  async handle(pausedRequest: PausedRequest, isPage: boolean): Promise<PageResponse | undefined> {
    this.#open++
    this.#idleSince = Date.now()
    try {
      await this.#waitForSlot()
      return await this.#fetch(pausedRequest, isPage)
    } catch (error) {
      if (isPage) throw error
      if (!(error instanceof UnwantedRequestError)) this.droppedCount++
      return undefined
    } finally {
      this.#runningLoads--
      this.#waitingLoads.shift()?.()
      this.#open--
      this.#idleSince = Date.now()
    }
  }

  async #waitForSlot(): Promise<void> {
    while (this.#runningLoads >= limits.concurrent)
      await new Promise<void>((resolve) => this.#waitingLoads.push(resolve))
    this.#runningLoads++
  }

  async #fetch(paused: PausedRequest, isPage: boolean): Promise<PageResponse> {
    const { guardedHttp: httpClient, signal, url: siteUrl, headers, userAgent } = this.#context
    const { request } = paused
    const url = new URL(request.url)
    this.#requireAllowed(paused, url)
    const limitedSignal = AbortSignal.any([signal, AbortSignal.timeout(limits.fileMs)])
    const bodyParts = request.postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64'))
    const response = await httpClient.request(url, {
      method: request.method as NonNullable<OutgoingRequest['method']>, // checked by #requireAllowed
      headers: mergePageHeaders(request.headers, userAgent, isSameHost(siteUrl, url) ? headers : {}),
      ...(request.hasPostData && { body: Buffer.concat(bodyParts) }),
      signal: limitedSignal,
      maxRedirects: 0,
    })
    if (isPage) requirePage(response)
    else if (
      paused.resourceType === 'Document' &&
      response.status === 200 &&
      !isShownInFrame(response.headers)
    ) {
      response.body.destroy()
      throw new RemoteError('status', `${url.host} sent a file that a frame cannot show.`, {
        isTransient: false,
      })
    }
    const isEmpty = request.method === 'HEAD' || redirectStatuses.includes(response.status)
    if (isEmpty) response.body.destroy()
    const body = isEmpty ? Buffer.alloc(0) : await this.#readBody(response, url)
    return { status: response.status, headers: toResponseHeaders(response.headers), body }
  }

  #requireAllowed({ requestId, redirectedRequestId = '', request }: PausedRequest, url: URL): void {
    const hops = redirectedRequestId === '' ? 0 : (this.#hopsByRequestId.get(redirectedRequestId) ?? 0) + 1
    this.#hopsByRequestId.set(requestId, hops)
    if (hops > defaultMaxRedirects)
      throw new RemoteError('status', `${url.host} redirects more than ${defaultMaxRedirects} times.`, {
        isTransient: false,
      })
    if (isUnwanted(request.headers, url)) throw new UnwantedRequestError()
    if (!methods.includes(request.method) || ++this.#fileCount > limits.files)
      throw new RemoteError('status', `The request to ${url.host} is not allowed.`, { isTransient: false })
  }

  async #readBody(response: Parameters<typeof decodeResponseBody>[0], url: URL): Promise<Buffer> {
    const createTooLargeError = () => createFileTooLargeError(url)
    if (Number(response.headers['content-length'] ?? 0) > limits.fileBytes) {
      response.body.destroy()
      throw createTooLargeError()
    }
    let size = 0
    const byteLimiter = new Transform({
      transform: (chunk: Buffer, _encoding, callback) => {
        size += chunk.length
        this.#byteCount += chunk.length
        if (size > limits.fileBytes || this.#byteCount > limits.bytes) callback(createTooLargeError())
        else callback(null, chunk)
      },
    })
    const decodedBody = decodeResponseBody(response)
    decodedBody.on('error', (error) => byteLimiter.destroy(error))
    byteLimiter.on('close', () => decodedBody.destroy())
    return buffer(decodedBody.pipe(byteLimiter))
  }
}

class UnwantedRequestError extends Error {}

/**
 * Whether to refuse a request that could outlive the capture (service workers, prefetching), would never end, or loads
 * something invisible (favicon).
 */
function isUnwanted(pageHeaders: Readonly<Record<string, string>>, { pathname }: URL): boolean {
  const headers = new Headers(pageHeaders)
  if (headers.has('service-worker') || headers.has('sec-purpose')) return true
  return headers.get('accept') === 'text/event-stream' || pathname === '/favicon.ico'
}

const createFileTooLargeError = ({ host }: URL) =>
  new AppError(
    'FILE_TOO_LARGE',
    `The file from ${host} exceeds the limit of ${limits.fileBytes / 1024 ** 2} MB for files of a page.`,
    { max: limits.fileBytes },
  )

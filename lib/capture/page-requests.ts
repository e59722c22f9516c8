import { Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import * as z from 'zod'
import { AppError } from '../errors.ts'
import { decoded } from '../transfer/content-decoding.ts'
import {
  isSameHost,
  mostRedirects,
  type Outgoing,
  type OutgoingRequest,
  redirects,
} from '../transfer/guarded-http.ts'
import { RemoteError } from '../transfer/remote-error.ts'
import { answerHeaders, requestHeaders } from './headers.ts'
import { requirePage } from './require-page.ts'

export const Paused = z.looseObject({
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
export type Paused = z.output<typeof Paused>

/** What a page may load: bytes of one file and of all together, files, files at a time, and milliseconds of each. */
const limits = { fileBytes: 32 * 1024 ** 2, bytes: 128 * 1024 ** 2, files: 3000, atATime: 16, fileMs: 30_000 }

const methods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

export interface Answer {
  readonly status: number
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: Buffer
}

export interface Visit {
  /** What the user asked for, without name and password. */
  readonly url: URL
  /** They go to its host. */
  readonly headers: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly outgoing: Outgoing
  readonly signal: AbortSignal
}

/** Gets what a page asks for, by the outgoing client: the browser itself reaches nothing. */
export class Requests {
  /** Requests that came to nothing. */
  dropped = 0
  readonly #visit: Visit
  readonly #redirects = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #open = 0
  #running = 0
  #files = 0
  #bytes = 0
  #quietSince = Date.now()

  constructor(visit: Visit) {
    this.#visit = visit
  }

  /** Milliseconds for which no more than so many have been under way. */
  quietMs(most: number): number {
    return this.#open > most ? 0 : Date.now() - this.#quietSince
  }

  /**
   * Nothing for what was not to be had.
   * @param isPage the website itself: an answer that is no page is none.
   * @throws AppError, RemoteError for the website itself.
   */
  async answer(paused: Paused, isPage: boolean): Promise<Answer | undefined> {
    this.#open++
    this.#quietSince = Date.now()
    try {
      await this.#turn()
      return await this.#fetch(paused, isPage)
    } catch (error) {
      if (isPage) throw error
      if (!(error instanceof Unwanted)) this.dropped++
      return undefined
    } finally {
      this.#running--
      this.#waiting.shift()?.()
      this.#open--
      this.#quietSince = Date.now()
    }
  }

  async #turn(): Promise<void> {
    while (this.#running >= limits.atATime) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#running++
  }

  async #fetch(paused: Paused, isPage: boolean): Promise<Answer> {
    const { outgoing, signal, url: own, headers, userAgent } = this.#visit
    const { request } = paused
    const url = new URL(request.url)
    this.#require(paused, url)
    const within = AbortSignal.any([signal, AbortSignal.timeout(limits.fileMs)])
    const sent = request.postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64'))
    const answer = await outgoing.request(url, {
      method: request.method as NonNullable<OutgoingRequest['method']>, // one of ours by now
      headers: requestHeaders(request.headers, userAgent, isSameHost(own, url) ? headers : {}),
      ...(request.hasPostData && { body: Buffer.concat(sent) }),
      signal: within,
      mostRedirects: 0,
    })
    if (isPage) requirePage(answer)
    const isEmpty = request.method === 'HEAD' || redirects.includes(answer.status)
    if (isEmpty) answer.body.destroy()
    const body = isEmpty ? Buffer.alloc(0) : await this.#read(answer, url)
    return { status: answer.status, headers: answerHeaders(answer.headers), body }
  }

  #require({ requestId, redirectedRequestId = '', request }: Paused, url: URL): void {
    const hops = redirectedRequestId === '' ? 0 : (this.#redirects.get(redirectedRequestId) ?? 0) + 1
    this.#redirects.set(requestId, hops)
    if (hops > mostRedirects)
      throw new RemoteError('status', `${url.host} redirects more often than ${mostRedirects} times.`, {
        isPassing: false,
      })
    if (isUnwanted(request.headers, url)) throw new Unwanted()
    if (!methods.includes(request.method) || ++this.#files > limits.files)
      throw new RemoteError('status', `${url.host} is not asked for this.`, { isPassing: false })
  }

  async #read(answer: Parameters<typeof decoded>[0], url: URL): Promise<Buffer> {
    const refuse = () => tooLarge(url)
    if (Number(answer.headers['content-length'] ?? 0) > limits.fileBytes) {
      answer.body.destroy()
      throw refuse()
    }
    let size = 0
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        size += chunk.length
        this.#bytes += chunk.length
        if (size > limits.fileBytes || this.#bytes > limits.bytes) done(refuse())
        else done(null, chunk)
      },
    })
    const plain = decoded(answer)
    plain.on('error', (error) => counted.destroy(error))
    counted.on('close', () => plain.destroy())
    return buffer(plain.pipe(counted))
  }
}

class Unwanted extends Error {}

/** What would go on when nobody looks any more, has no end, or is not seen. */
function isUnwanted(ofPage: Readonly<Record<string, string>>, { pathname }: URL): boolean {
  const headers = new Headers(ofPage)
  if (headers.has('service-worker') || headers.has('sec-purpose')) return true
  return headers.get('accept') === 'text/event-stream' || pathname === '/favicon.ico'
}

const tooLarge = ({ host }: URL) =>
  new AppError(
    'FILE_TOO_LARGE',
    `What ${host} sends is larger than the ${limits.fileBytes / 1024 ** 2} MB that a page may have.`,
    { max: limits.fileBytes },
  )

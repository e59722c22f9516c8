import { formOperations, idempotentOperations } from './api-constants.ts'
import { MutaborError, readFailure } from './errors.ts'

export interface Settings {
  /** URL of the service; defaults to the page's origin in a browser, and to http://localhost:8080 elsewhere. */
  readonly url?: string | undefined
  /** An API key, or an OAuth access token. */
  readonly apiKey?: string | undefined
  /** The anonymous owner token from an earlier session: see `onOwnerToken`. */
  readonly ownerToken?: string | undefined
  /** Called with the owner token that the service issues to clients without a key. Store it to find your jobs again. */
  readonly onOwnerToken?: ((token: string) => void) | undefined
  /** Maximum number of retries of a request that is safe to repeat; defaults to 4. */
  readonly retries?: number | undefined
  /**
   * The longest wait before a retry, in seconds; defaults to 60. A longer `Retry-After` fails the request immediately.
   */
  readonly patienceS?: number | undefined
  /** Called before each retry with the failure and the seconds until the next attempt. */
  readonly onPause?: ((failure: MutaborError, seconds: number) => void) | undefined
  readonly fetch?: typeof fetch | undefined
}

export interface ApiRequest {
  /** Method and path template, such as `POST /v1/jobs/{jobId}/retry`. */
  readonly operation: string
  readonly path?: Readonly<Record<string, string | number>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  /** The body: a value sent as JSON, or a form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  readonly idempotencyKey?: string | undefined
}

/** Timeout for the response headers. The service never delays a response for that long. */
const responseTimeoutMs = 60_000
/** Minimum upload speed: the timeout is extended by the time that the body takes at this speed. */
const minBytesPerSecond = 20_000

export class Transport {
  readonly url: string
  readonly #settings: Settings
  readonly #fetch: typeof fetch
  #ownerToken: string | undefined
  /** Whether any response has arrived yet. */
  #hasResponded = false
  /** The first write request while there is no owner token. Its response contains the token for later requests. */
  #firstRequest: Promise<unknown> | undefined

  constructor(settings: Settings) {
    const pageOrigin = (globalThis as { location?: { origin?: string } }).location?.origin // only in browsers
    this.url = (settings.url ?? pageOrigin ?? 'http://localhost:8080').replace(/\/+$/, '')
    this.#settings = settings
    this.#fetch = settings.fetch ?? ((...args) => fetch(...args))
    this.#ownerToken = settings.ownerToken
  }

  /** Sends a request and returns the `data` of the response. @throws MutaborError */
  async call(request: ApiRequest): Promise<unknown> {
    const response = await this.send(request)
    if (response.status === 204) return null
    const isJson = response.headers.get('content-type')?.includes('json')
    if (!isJson) return response.text()
    const body: unknown = await response.json()
    const isEnvelope = typeof body === 'object' && body !== null && 'success' in body && 'data' in body
    return isEnvelope ? body.data : body
  }

  /** Sends a request and returns the response if it succeeded. @throws MutaborError */
  async send(request: ApiRequest): Promise<Response> {
    const [method = 'GET', pattern = ''] = request.operation.split(' ')
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(request.path?.[name])),
    )
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) query.set(name, String(value))
    const url = `${this.url}${path}${query.size > 0 ? `?${query}` : ''}`
    const { body, type } = encodeBody(request)
    const acceptsIdempotencyKey = isOneOf(idempotentOperations, request.operation)
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(type && { 'content-type': type }),
      ...(acceptsIdempotencyKey && { 'idempotency-key': request.idempotencyKey ?? createIdempotencyKey() }),
      ...request.headers,
    }
    const sendOnce = () =>
      this.fetch(
        url,
        { method, headers: { ...headers, ...this.#identityHeaders() }, ...(body && { body }) },
        request.signal,
      )
    const isRepeatable = acceptsIdempotencyKey || method !== 'POST'
    return this.sendWithRetries(() => this.#sendIdentified(method, sendOnce), isRepeatable, request.signal)
  }

  /** Sends one request to the service or its storage, with a timeout for the response headers. */
  async fetch(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
    const deadlineController = new AbortController()
    const bodySendMs = (getBodySize(init.body) / minBytesPerSecond) * 1000
    const timer = setTimeout(() => deadlineController.abort(), responseTimeoutMs + bodySendMs)
    try {
      const combinedSignal = signal
        ? AbortSignal.any([signal, deadlineController.signal])
        : deadlineController.signal
      const response = await this.#fetch(url, { ...init, signal: combinedSignal })
      this.#hasResponded = true
      return response
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (isFileReadError(cause))
        throw new MutaborError('DAMAGED', 'The file was changed or removed during the upload.', { cause })
      const problem = deadlineController.signal.aborted ? 'did not respond in time' : 'cannot be reached'
      throw new MutaborError('UNREACHABLE', `${new URL(url).origin} ${problem}.`, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Retries transient failures, after the delay in the service's `Retry-After` if there is one. */
  async sendWithRetries(
    request: () => Promise<Response>,
    isRepeatable: boolean,
    signal?: AbortSignal,
  ): Promise<Response> {
    const { retries = 4, patienceS = 60 } = this.#settings
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await request().catch((thrownError: unknown) => {
        if (thrownError instanceof MutaborError) return thrownError
        throw thrownError
      })
      if (!(outcome instanceof MutaborError) && outcome.ok) return outcome
      const failure = outcome instanceof MutaborError ? outcome : await readFailure(outcome)
      const waitS = failure.retryAfterS ?? Math.min(8, 0.5 * 2 ** attempt) * (0.5 + Math.random() / 2)
      // If no response has ever arrived, a wrong URL is more likely than a broken connection.
      const maxRetries = this.#hasResponded ? retries : Math.min(1, retries)
      if (attempt >= maxRetries || waitS > patienceS || !isTransient(failure, isRepeatable)) throw failure
      this.#settings.onPause?.(failure, waitS)
      await sleep(waitS * 1000, signal)
    }
  }

  #identityHeaders(): Record<string, string> {
    const { apiKey } = this.#settings
    if (apiKey) return { authorization: `Bearer ${apiKey}` }
    return this.#ownerToken ? { 'x-owner-token': this.#ownerToken } : {}
  }

  /** Sends the request. If the service rejects the owner token, forgets it and sends the request once more. */
  async #sendIdentified(method: string, request: () => Promise<Response>): Promise<Response> {
    const sentToken = this.#settings.apiKey ? undefined : this.#ownerToken
    const response = await this.#sendInOrder(method, request)
    if (sentToken === undefined || !(await rejectsOwnerToken(response))) return response
    if (this.#ownerToken === sentToken) this.#ownerToken = undefined
    return this.#sendInOrder(method, request)
  }

  async #sendInOrder(method: string, request: () => Promise<Response>): Promise<Response> {
    const isKnown = () => this.#settings.apiKey !== undefined || this.#ownerToken !== undefined
    if (method === 'GET' || isKnown()) return this.#saveOwnerToken(await request())
    while (this.#firstRequest && !isKnown()) await this.#firstRequest
    if (isKnown()) return this.#saveOwnerToken(await request())
    const firstResponse = request().then((response) => this.#saveOwnerToken(response))
    const clearFirst = () => {
      this.#firstRequest = undefined
    }
    this.#firstRequest = firstResponse.then(clearFirst, clearFirst)
    return firstResponse
  }

  #saveOwnerToken(response: Response): Response {
    const token = response.headers.get('x-owner-token')
    if (token && token !== this.#ownerToken && !this.#settings.apiKey) {
      this.#ownerToken = token
      this.#settings.onOwnerToken?.(token)
    }
    return response
  }
}

/** Whether the service rejected the owner token as unknown, for example because its data was deleted. */
async function rejectsOwnerToken(response: Response): Promise<boolean> {
  if (response.status !== 401) return false
  const { code, details } = await readFailure(response.clone())
  return code === 'INVALID_API_KEY' && details['field'] === 'X-Owner-Token'
}

/** Whether the file could not be read because it changed after it was opened. Only Node reports this. */
const isFileReadError = (thrown: unknown) =>
  thrown instanceof Error &&
  [thrown, thrown.cause].some((error) => error instanceof Error && error.name === 'NotReadableError')

/** Whether a retry may succeed. A rejected request was not executed, so it can always be repeated. */
function isTransient({ code, status, retryAfterS }: MutaborError, isRepeatable: boolean): boolean {
  if (code === 'RATE_LIMITED' || (status === 503 && retryAfterS !== undefined)) return true
  return (
    isRepeatable &&
    (code === 'UNREACHABLE' || code === 'IDEMPOTENCY_IN_PROGRESS' || code === 'SERVICE_UNAVAILABLE')
  )
}

const isOneOf = (names: readonly string[], name: string) => names.includes(name)

function encodeBody({ operation, body }: ApiRequest): { body?: RequestInit['body']; type?: string } {
  if (body === undefined) return {}
  if (body instanceof FormData) return { body }
  if (!isOneOf(formOperations, operation)) return { body: JSON.stringify(body), type: 'application/json' }
  return { body: new URLSearchParams(body as Record<string, string>) } // as its type says
}

const getBodySize = (body: unknown): number => {
  if (body instanceof Blob) return body.size
  if (!(body instanceof FormData)) return 0
  return [...body.values()].reduce((sum, value) => sum + (value instanceof Blob ? value.size : 0), 0)
}

/** Doesn't use `randomUUID`, which is missing on pages without TLS. */
export const createIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}

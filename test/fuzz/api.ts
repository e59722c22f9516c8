import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { forEachConcurrently } from '../../lib/async/for-each-concurrently.ts'
import { planIds } from '../../lib/plans.ts'
import { createAdminKey, createManagerKey } from '../support/account.ts'
import { type CallOperation, EveryOperation } from '../support/every-operation.ts'
import { inlineComponents } from '../support/inline-components.ts'
import { OpenApiChecker } from '../support/openapi-checker.ts'
import { createBody } from '../support/operation-request.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { openDriveServer } from '../transfer/drive-server.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { IdPool } from './id-pool.ts'
import { type FuzzRequest, listOperations, RawBody, requestArbitrary, type SenderName } from './requests.ts'

/** Sends requests made from the OpenAPI document to a running service and checks each reply against the document. */

/** The original fetch; `startService` replaces the global one with a version that waits for complete replies. */
const plainFetch = globalThis.fetch

/** A reply that takes longer counts as a hang; no request waits that long with `Prefer: wait`. */
const maxReplyMs = 40_000
const batchSize = 500
const concurrency = 8
const maxFailures = 20

export interface FuzzResult {
  readonly requests: number
  /** Replies by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Operations without a successful reply. */
  readonly unreached: readonly string[]
  readonly failures: readonly string[]
  readonly slowestMs: number
}

interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly onProgress?: (result: FuzzResult) => void
}

/** Writes plans without rate limits, because rate-limit errors would hide all others. */
async function writePlans(folder: string): Promise<string> {
  const path = join(folder, 'plans.json')
  const names = [
    'requestsPerMinute',
    'requestsPerHour',
    'readsPerMinute',
    'requestsPerDay',
    'requestsPerMonth',
  ]
  const unlimitedFields = Object.fromEntries(names.map((name) => [name, null]))
  await writeFile(path, JSON.stringify(Object.fromEntries(planIds.map((id) => [id, unlimitedFields]))))
  return path
}

/** Opens a server whose files can be imported. */
async function openFileServer() {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/markdown' }).end('# Hello')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/hello.md`, close }
}

/** Starts a service, calls each operation successfully, and sends the requests. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const [receiver, drives, fileServer] = [
    await openReceiver(),
    await openDriveServer(),
    await openFileServer(),
  ]
  const folder = await mkdtemp(join(tmpdir(), 'mutabor-fuzz-'))
  const service = await startService({
    OUTGOING_ALLOW: '127.0.0.0/8',
    DRIVES: JSON.stringify(drives.settings),
    PLANS_FILE: await writePlans(folder),
  })
  try {
    const document = (await (await plainFetch(`${service.url}/v1/openapi.json`)).json()) as object
    const fuzzer = new Fuzzer(service, inlineComponents(document))
    await fuzzer.open(fileServer.url)
    await fuzzer.callEveryOperation(receiver)
    return await fuzzer.run(options)
  } finally {
    await service.stop()
    await rm(folder, { recursive: true })
    for (const server of [receiver, drives, fileServer]) server.close()
  }
}

class Fuzzer {
  readonly #service: TestService
  readonly #document: object
  readonly #checker: OpenApiChecker
  readonly #pool = new IdPool()
  readonly #reachedOperations = new Set<string>()
  readonly #statuses: Record<string, number> = {}
  readonly #failures: string[] = []
  readonly #senders = new Map<SenderName, Record<string, string>>()
  #sentRequests = 0
  #slowestMs = 0

  constructor(service: TestService, document: object) {
    this.#service = service
    this.#document = document
    this.#checker = new OpenApiChecker(document)
  }

  async open(fileUrl: string): Promise<void> {
    this.#pool.add('receiver', fileUrl)
    this.#senders.set('other', await this.#newIdentity())
    this.#senders.set('unauthenticated', {})
    this.#senders.set('wrong', { 'x-api-key': 'sk_wrong' })
    await this.#renewKeys()
  }

  async #newIdentity(): Promise<Record<string, string>> {
    const { headers } = await plainFetch(`${this.#service.url}/v1/ws/tickets`, { method: 'POST' })
    return { 'x-owner-token': headers.get('x-owner-token') ?? '' }
  }

  /** Replaces keys that no longer work, because requests may delete or limit keys, or suspend their accounts. */
  async #renewKeys(): Promise<void> {
    for (const [name, create] of [
      ['manager', createManagerKey],
      ['reader', createManagerKey],
      ['admin', createAdminKey],
    ] as const) {
      const headers = this.#senders.get(name)
      const isValid =
        headers && (await plainFetch(`${this.#service.url}/v1/account`, { headers })).status === 200
      if (!isValid) this.#senders.set(name, { 'x-api-key': await create(this.#service) })
    }
  }

  /** Calls each operation successfully, and fills the pool with ids, which belong to the anonymous sender. */
  async callEveryOperation(receiver: Awaited<ReturnType<typeof openReceiver>>): Promise<void> {
    const client = new Client(this.#service)
    const call: CallOperation = async (sent) => {
      const { method = 'GET', path, params = {}, query = {}, waits } = sent
      const filledPath = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '')
      const { init } = await createBody(sent)
      const headers = { ...Object(init.headers), ...sent.headers, ...(waits && { prefer: 'wait=25' }) }
      const send = () =>
        client.fetch(`${filledPath}?${new URLSearchParams(query)}`, { ...init, method, headers })
      let response = await send()
      for (let triesLeft = 8; waits && response.status === 202 && triesLeft > 0; triesLeft--)
        response = await send()
      const text = await response.text()
      this.#pool.learn(text, 'anonymous')
      const token = response.headers.get('x-owner-token')
      if (token) this.#senders.set('anonymous', { 'x-owner-token': token })
      this.#recordReached(method, path.replace(/:(\w+)/g, '{$1}'), response.status)
      const isJson = response.headers.get('content-type')?.includes('json')
      const body = isJson && text !== '' ? JSON.parse(text) : text
      return isJson ? (body?.data ?? body) : body
    }
    await new EveryOperation({ service: this.#service, client, receiver, call }).run()
  }

  #recordReached(method: string, path: string, status: number): void {
    if (status < 400) this.#reachedOperations.add(`${method} ${path}`)
  }

  async run({ requests, seed, onProgress }: FuzzOptions): Promise<FuzzResult> {
    const arbitraryRequest = requestArbitrary(this.#document)
    for (let batch = 0; this.#sentRequests < requests && this.#failures.length < maxFailures; batch++) {
      const numRuns = Math.min(batchSize, requests - this.#sentRequests)
      const batchSeed = seed + batch
      const list = fc.sample(arbitraryRequest, { seed: batchSeed, numRuns })
      await forEachConcurrently(list, concurrency, (request) => this.#send(request, batchSeed))
      await this.#renewKeys()
      onProgress?.(this.result)
    }
    return this.result
  }

  get result(): FuzzResult {
    const all = listOperations(this.#document).map(({ method, path }) => `${method} ${path}`)
    return {
      requests: this.#sentRequests,
      statuses: this.#statuses,
      unreached: all.filter((operation) => !this.#reachedOperations.has(operation)),
      failures: this.#failures,
      slowestMs: Math.round(this.#slowestMs),
    }
  }

  async #send(request: FuzzRequest, seed: number): Promise<void> {
    this.#sentRequests += 1
    const { operation, sender } = request
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodePath(String(this.#pool.fill(request.params[name] ?? 'x', sender))),
    )
    const query = new URLSearchParams(
      request.query.map(([name, value]): [string, string] => [name, String(this.#pool.fill(value, sender))]),
    )
    const startedAt = performance.now()
    const description = JSON.stringify({
      seed,
      request: `${operation.method} ${path}?${query}`,
      sender,
      headers: request.headers,
      body: this.#pool.fill(
        request.body?.value instanceof RawBody ? request.body.value.text : request.body?.value,
        sender,
      ),
    }).slice(0, 3000)
    try {
      const { body, headers } = await encodeBody(request, (value) => this.#pool.fill(value, sender))
      const response = await plainFetch(`${this.#service.url}${path}?${query}`, {
        method: operation.method,
        headers: { ...headers, ...this.#senders.get(sender), ...request.headers },
        redirect: 'manual',
        signal: AbortSignal.timeout(maxReplyMs),
        ...(body !== undefined && { body }),
      })
      this.#statuses[response.status] = (this.#statuses[response.status] ?? 0) + 1
      await this.#examine(request, path, response)
    } catch (error) {
      if (isRefusedByClient(error)) return
      const reason =
        error instanceof Error ? `${error.name}: ${error.message} ${error.cause ?? ''}` : String(error)
      this.#failures.push(`${reason}\n${description}`)
    } finally {
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt)
    }
  }

  async #examine({ operation, sender }: FuzzRequest, path: string, response: Response): Promise<void> {
    const { status, headers } = response
    const contentType = headers.get('content-type')
    if (contentType?.startsWith('text/event-stream')) {
      // An event stream ends only with its job, so it is not read.
      await response.body?.cancel()
      this.#recordReached(operation.method, operation.path, status)
      return
    }
    const text = await response.text()
    // An encoded slash leads to an unknown path, for which browsers get a page.
    if (status === 404 && path.includes('%2F') && contentType?.startsWith('text/html')) return
    if (status === 500) throw new Error(`500: ${text.slice(0, 500)}`)
    this.#checker.check({ method: operation.method, path, status, contentType, headers, text })
    this.#recordReached(operation.method, operation.path, status)
    if (sender === 'wrong' || sender === 'unauthenticated') return
    this.#pool.learn(text, sender)
    if (status < 300 && contentType?.includes('json')) await this.#followUp(operation.id, text)
  }

  /** Does what a client does with a reply, so that later requests find uploads, parts and connections. */
  async #followUp(operation: string, text: string): Promise<void> {
    const { data = JSON.parse(text) } = JSON.parse(text)
    if (operation === 'postV1UploadsPresign' && data.method === 'PUT') {
      const { size } = Object.fromEntries(new URL(data.url).searchParams)
      const body = await readFile(new URL('../fixtures/alpha.png', import.meta.url))
      if (size === undefined) await plainFetch(data.url, { method: 'PUT', headers: data.headers, body })
    }
    if (/^getV1UploadsMultipart.*PartNumber$/.test(operation) && typeof data?.url === 'string') {
      const { headers } = await plainFetch(data.url, { method: 'PUT', body: '# Hello' })
      const etag = headers.get('etag')
      if (etag) this.#pool.add('etag', etag)
    }
  }
}

const encodePath = (value: string) => {
  try {
    return encodeURIComponent(value) || '%20'
  } catch {
    // A lone surrogate has no encoding.
    return '%ED%A0%80'
  }
}

/** Returns whether the HTTP client itself refuses to send a request, because of an invalid header. */
const isRefusedByClient = (error: unknown) =>
  error instanceof TypeError &&
  /ByteString|invalid.*header|Headers/i.test(`${error.message} ${error.cause ?? ''}`)

async function encodeBody(
  { body, operation }: FuzzRequest,
  fill: (value: unknown) => unknown,
): Promise<{ body?: NonNullable<RequestInit['body']>; headers: Record<string, string> }> {
  if (!body || operation.method === 'GET') return { headers: {} }
  const { type, value } = body
  if (value instanceof RawBody) return { body: value.text, headers: { 'content-type': type } }
  const filledBody = fill(value)
  if (type === 'application/json')
    return { body: JSON.stringify(filledBody) ?? '', headers: { 'content-type': type } }
  const texts = Object.entries(Object(filledBody)).map(([name, one]) => [name, asText(one)] as const)
  if (type === 'application/x-www-form-urlencoded')
    return {
      body: new URLSearchParams([...texts.map(([name, text]): [string, string] => [name, text])]),
      headers: {},
    }
  const form = new FormData()
  for (const [name, text] of texts) {
    if (isFixture(text) || name === 'file') form.append(name, await createFile(text), 'photo.png')
    else form.append(name, text)
  }
  return { body: form, headers: {} }
}

const asText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** Returns whether the value of an example names a file. */
const isFixture = (text: string) => /^@[\w-]+\.\w+$/.test(text)

/** Returns the named file, or a file with the text as its content. */
async function createFile(text: string): Promise<Blob> {
  if (!isFixture(text)) return new Blob([text])
  return new Blob([await readFile(new URL(`../fixtures/${text.slice(1)}`, import.meta.url))])
}

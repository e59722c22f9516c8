import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { defined } from '../../lib/validation/defined.ts'
import type { Fixture } from './fixtures.ts'

export interface HttpReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/** An HTTP client that keeps connections open and reads every response completely. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #base: string

  constructor(base: string) {
    this.#base = base
  }

  async send(path: string, request: RequestOptions = {}): Promise<HttpReply> {
    const response = await this.#request(path, request)
    const chunks: Buffer[] = []
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }
  }

  async #request(
    path: string,
    { method = 'GET', headers = {}, body }: RequestOptions,
    maxTries = 3,
  ): Promise<IncomingMessage> {
    const length = body && { 'content-length': String(body.length) }
    const call = request(new URL(path, this.#base), {
      method,
      agent: this.#agent,
      headers: { ...headers, ...length },
    })
    // A server that rejects a request early can close the connection; its response says why.
    call.on('error', () => undefined)
    call.end(body)
    try {
      const [response] = (await once(call, 'response')) as [IncomingMessage] // according to the documentation of node:http
      return response
    } catch (error) {
      // A server can close an idle connection just when it is used again, so retry once.
      if (!call.reusedSocket || maxTries === 1) throw error
      return this.#request(path, { method, headers, ...defined({ body }) }, maxTries - 1)
    }
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A form for POST /v1/convert, built in advance so that only the service is measured. */
export interface FormFields {
  readonly type: string
  readonly body: Buffer
}

export function buildForm(file: Fixture, fields: Readonly<Record<string, string>>): FormFields {
  const boundary = 'mutabor-bench'
  const createPart = (name: string, extraHeaders = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${extraHeaders}\r\n\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${createPart(name)}${value}\r\n`)
  const head = `${texts.join('')}${createPart('file', `; filename="${file.name}"`)}`
  const body = Buffer.concat([Buffer.from(head), file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  return { type: `multipart/form-data; boundary=${boundary}`, body }
}

/** A client of the service with one identity. */
export class ServiceClient {
  readonly #http: HttpClient
  #token: string | undefined

  constructor(url: string) {
    this.#http = new HttpClient(url)
  }

  /** The token of the identity, available after its first request. */
  get token(): string {
    if (this.#token === undefined) throw new Error('The client has no token before its first request.')
    return this.#token
  }

  /** Returns a client with the same identity for another service. */
  at(url: string): ServiceClient {
    const client = new ServiceClient(url)
    client.#token = this.#token
    return client
  }

  /** Converts a file as the README shows, from the first byte of the form to the last byte of the result. */
  async convert(form: FormFields): Promise<Buffer> {
    const headers = { 'content-type': form.type, prefer: 'wait=25' }
    let reply = await this.send('/v1/convert?redirect=true', { method: 'POST', headers, body: form.body })
    if (reply.status === 202) reply = await this.#downloadResult(reply)
    while (reply.status >= 300 && reply.status < 400) reply = await this.send(reply.headers.location ?? '')
    if (reply.status !== 200 || reply.headers['content-type'] === 'application/json')
      throw new Error(`the conversion was answered with ${reply.status} ${reply.body.subarray(0, 500)}`)
    return reply.body
  }

  /** Downloads the result of a job that was still running after the wait. */
  async #downloadResult(acceptedReply: HttpReply): Promise<HttpReply> {
    const { jobId, status } = await this.waitForJob(acceptedReply)
    if (status !== 'completed') throw new Error(`the job ${jobId} is ${status}`)
    return this.send(`/v1/download/${jobId}`)
  }

  /** Waits for the job of a reply and returns it. */
  async waitForJob(reply: HttpReply): Promise<{ readonly jobId: string; readonly status: string }> {
    let { data } = JSON.parse(reply.body.toString()) as { data: { jobId: string; status: string } }
    while (['pending', 'queued', 'processing'].includes(data.status)) {
      const status = await this.send(`/v1/status/${data.jobId}`, { headers: { prefer: 'wait=25' } })
      data = JSON.parse(status.body.toString()).data
    }
    return data
  }

  async send(path: string, request: RequestOptions = {}): Promise<HttpReply> {
    const headers = { ...request.headers, ...defined({ 'x-owner-token': this.#token }) }
    const reply = await this.#http.send(path, { ...request, headers })
    const issuedToken = reply.headers['x-owner-token']
    if (typeof issuedToken === 'string') this.#token = issuedToken
    return reply
  }

  close(): void {
    this.#http.close()
  }
}

// Runs test functions on the real runtime, and sends requests signed like those of the AWS SDK.
import { createHash, createHmac } from 'node:crypto'
import { request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http'
import { SignatureV4 } from '@smithy/signature-v4'
import { Lambda, type LocalFunction } from '../../lib/embedded-aws/lambda/runtime.ts'
import { closeServer, listen } from '../../lib/embedded-aws/listen.ts'
import { createLog } from '../../lib/log.ts'

export const region = 'eu-central-1'
export const credentials = { accessKeyId: 'AKIARUNTIMETEST00000', secretAccessKey: 'b'.repeat(40) }
export const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })

export type Handler = LocalFunction['handler']

export function makeFunction(
  name: string,
  handler: Handler,
  settings: Partial<LocalFunction> = {},
): LocalFunction {
  const defaults = { timeoutMs: 5000, memoryMb: 512, maximumConcurrency: 1000, retryAttempts: 2 }
  return { name, handler, ...defaults, ...settings }
}

export const makeLambda = (functions: readonly LocalFunction[]) => new Lambda({ functions, region, log })

const servers: Server[] = []

/** Serves on a free port until `closeServers` is called. */
export async function serve(server: Server): Promise<string> {
  const port = await listen(server, 0)
  servers.push(server)
  return `http://127.0.0.1:${port}`
}

export const closeServers = () => Promise.all(servers.splice(0).map(closeServer))

class Sha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toKeyObject(secret))
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data)
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
}

const toKeyObject = (secret: string | ArrayBuffer | ArrayBufferView) =>
  typeof secret === 'string'
    ? secret
    : ArrayBuffer.isView(secret)
      ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength)
      : new Uint8Array(secret)

export interface SignedCall {
  readonly service: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly secretAccessKey?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** Sends a request like an SDK client. */
export async function callSigned(address: string, call: SignedCall): Promise<Response> {
  const { service, method = 'POST', headers = {}, body = '', secretAccessKey } = call
  const url = new URL(address)
  const signer = new SignatureV4({
    service,
    region,
    credentials: { ...(call.credentials ?? credentials), ...(secretAccessKey && { secretAccessKey }) },
    sha256: Sha256,
  })
  const signedRequest = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    port: Number(url.port),
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { host: url.host, ...headers },
    body,
  })
  const sentBody = method === 'GET' || method === 'DELETE' ? {} : { body: new Uint8Array(Buffer.from(body)) }
  return fetch(url, { method, headers: signedRequest.headers, ...sentBody })
}

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Sends path and headers unchanged; fetch would normalize them. */
export function callRaw(
  address: string,
  options: {
    readonly path?: string
    readonly method?: string
    readonly headers?: Readonly<Record<string, string | readonly string[]>> | readonly string[]
    readonly body?: Buffer | string
  } = {},
): Promise<RawResponse> {
  const { path = '/', method = 'GET', headers = {}, body } = options
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers: headers as Record<string, string> })
    request.once('error', reject)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    request.end(body)
  })
}

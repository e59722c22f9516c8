import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import pino from 'pino'
import { api, routes } from '../../functions/routes/index.ts'
import { authEndpoints } from '../../lib/access/auth/endpoints/index.ts'
import { processEnvironment, readConfig } from '../../lib/config.ts'
import { openEmbedded } from '../../lib/embedded-aws/embedded.ts'
import { createApp } from '../../lib/http/app.ts'
import type { AnyContract, HttpEvent } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'
import { createOpenApiDocument } from '../../lib/http/openapi/openapi.ts'
import { provision } from '../../lib/local/runtime/provision.ts'
import { missingPage } from '../../lib/page/missing-page.ts'
import { createServices } from '../../lib/services/create-services.ts'
import type { Services } from '../../lib/services/services.ts'
import { defined } from '../../lib/validation/defined.ts'
import { type CheckedReply, isApiPath, OpenApiChecker } from '../support/openapi-checker.ts'

const openApiChecker = new OpenApiChecker(
  createOpenApiDocument(api, { version: interfaceVersion, url: '/', authEndpoints }),
)

/** Fails if a reply does not match the OpenAPI document. */
export const checkReply = (reply: CheckedReply) => openApiChecker.check(reply)

/** A client's request; a plain value is sent as JSON, a form as multipart or URL-encoded. */
export interface RequestOptions {
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly address?: string
  /** Cookies as `name=value`. */
  readonly cookies?: readonly string[]
}

export interface AppReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly cookies: readonly string[]
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: any reply of the endpoint
  readonly json: any
}

export interface EmbeddedApp {
  readonly services: Services
  /** Sends a request to the routes of the service, or to the given ones. */
  send(
    method: string,
    path: string,
    request?: RequestOptions,
    contracts?: readonly AnyContract[],
  ): Promise<AppReply>
  /** Returns the app with some of its services replaced. */
  with(changedServices: Partial<Services>): EmbeddedApp
  close(): Promise<void>
}

/** Opens the HTTP API in this process on the embedded servers, without workers: jobs stay in their initial state. */
export async function openApp(): Promise<EmbeddedApp> {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-app-'))
  const region = 'eu-central-1'
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
  const log = pino({ level: 'silent' })
  const embedded = await openEmbedded({ dir, region, credentials, invoke: async () => {}, log })
  for (const [name, url] of Object.entries(embedded.urls))
    processEnvironment[`AWS_ENDPOINT_URL_${name}`] = url
  processEnvironment.AWS_ACCESS_KEY_ID = credentials.accessKeyId
  processEnvironment.AWS_SECRET_ACCESS_KEY = credentials.secretAccessKey
  const name = 'mutabor'
  const { queues } = await provision({
    region,
    tableName: name,
    bucketName: name,
    busName: name,
    queuePrefix: 'mutabor-',
  })
  const config = readConfig({
    // The credentials are passed here because functions that tests call remove secrets from the environment.
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    SERVICE_SECRET: 'a secret that only this test knows',
    LOG_LEVEL: 'silent',
    MIN_FREE_DISK_GB: '0',
    PUBLIC_URL: 'http://localhost:8080',
    AWS_ENDPOINT_URL_S3: embedded.urls.S3,
    QUEUE_URL_PREFIX: queues.image.url.slice(0, -'image'.length),
  })
  const close = async () => {
    await embedded.close()
    await rm(dir, { recursive: true, force: true })
  }
  return createEmbeddedApp(createServices(config), close)
}

function createEmbeddedApp(services: Services, close: () => Promise<void>): EmbeddedApp {
  const appsByContracts = new Map<readonly AnyContract[], ReturnType<typeof createApp>>()
  return {
    services,
    close,
    with: (changed) => createEmbeddedApp({ ...services, ...changed }, close),
    send: async (method, path, request = {}, contracts = routes) => {
      const app = appsByContracts.get(contracts) ?? createApp(contracts, services, { missingPage })
      appsByContracts.set(contracts, app)
      const context = { getRemainingTimeInMillis: () => 29_000 } as Parameters<typeof app>[1]
      const {
        statusCode = 0,
        headers = {},
        cookies = [],
        body = '',
        isBase64Encoded,
      } = await app(await createEvent(method, path, request), context)
      const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
      const contentType = headers['content-type'] === undefined ? null : String(headers['content-type'])
      const sentHeaders = Object.fromEntries(
        Object.entries(headers).map(([key, value]) => [key, String(value)]),
      )
      if (isApiPath(path))
        checkReply({
          method,
          path,
          status: statusCode,
          contentType,
          text,
          headers: new Headers(sentHeaders),
        })
      return {
        status: statusCode,
        headers: sentHeaders,
        cookies,
        text,
        json: contentType?.includes('json') && text !== '' ? JSON.parse(text) : undefined,
      }
    },
  }
}

/** Creates the API Gateway event of a request. */
export async function createEvent(method: string, path: string, options: RequestOptions): Promise<HttpEvent> {
  const { body, query = {}, headers = {}, address = '192.0.2.1', cookies } = options
  const isForm = body instanceof FormData || body instanceof URLSearchParams
  const isJson = body !== undefined && !isForm
  const webRequest = new Request('http://localhost', {
    method: 'POST',
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData | URLSearchParams) }),
  })
  const bytes = Buffer.from(await webRequest.arrayBuffer())
  const type = isJson ? 'application/json' : (webRequest.headers.get('content-type') ?? undefined)
  return {
    rawPath: path,
    headers: { ...(type && { 'content-type': type }), ...headers },
    ...defined({ cookies }),
    queryStringParameters: query,
    rawQueryString: new URLSearchParams(query).toString(),
    requestContext: { http: { method, sourceIp: address } },
    bodyStream: Readable.from([bytes]),
  } as unknown as HttpEvent // only the fields that the API reads
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type { ApiHandler } from '../../functions/api.ts'
import type { HttpEvent } from '../http/contract.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'

/** Path of the public port under which the embedded S3 answers presigned requests. */
export const s3Path = '/s3'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** A silent connection is closed after this; an upload that goes on may take as long as it needs. */
const idleMs = 120_000
/** How long the rest of a refused upload is read, so that the client gets to see the answer. */
const drainMs = 10_000

/** The public port: HTTP requests become API Gateway v2 events, presigned storage requests go to the embedded S3. */
export function createGateway(options: { api: ApiHandler; s3: Listener | undefined; log: Log }): Server {
  const server = createServer({ requestTimeout: 0, headersTimeout: 60_000 }, (request, response) => {
    if (options.s3 && isStorage(request)) {
      // S3 refuses two ways of authentication at once; a client that follows our redirect repeats its header.
      if (request.url?.includes('X-Amz-Signature=')) delete request.headers.authorization
      options.s3(request, response)
      return
    }
    serve(options.api, request, response).catch((error) => {
      options.log.error({ error }, 'the gateway could not answer')
      response.destroy()
    })
  })
  server.timeout = idleMs
  return server
}

const isStorage = ({ url = '' }: IncomingMessage) => url.startsWith(`${s3Path}/`)

async function serve(api: ApiHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const event = eventOf(request)
  if (!event) {
    send({ statusCode: 400, body: '{"message":"Bad Request"}' }, request, response)
    return
  }
  // The functions of an API need no more of the context than this.
  const context = {
    awsRequestId: event.requestContext.requestId,
    getRemainingTimeInMillis: () => 29_000,
  } as Context
  send(await api(event, context), request, response)
}

/** The event that API Gateway would make of a request, except that the body stays a stream. */
export function eventOf(request: IncomingMessage): HttpEvent | undefined {
  const target = request.url ?? '/'
  const at = target.indexOf('?')
  const rawPath = at < 0 ? target : target.slice(0, at)
  const rawQueryString = at < 0 ? '' : target.slice(at + 1)
  const path = decoded(rawPath)
  if (path === undefined || !path.startsWith('/')) return undefined
  const method = request.method ?? 'GET'
  const now = new Date()
  const query = queryOf(rawQueryString)
  const cookies = request.headers.cookie?.split(/;\s*/).filter((pair) => pair !== '')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString,
    ...(cookies && { cookies }),
    headers: headersOf(request),
    ...(query && { queryStringParameters: query }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'local',
      domainName: request.headers.host ?? 'localhost',
      domainPrefix: 'localhost',
      http: {
        method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: newId('req'),
      routeKey: '$default',
      stage: '$default',
      time: now.toUTCString(),
      timeEpoch: now.getTime(),
    },
    isBase64Encoded: false,
    bodyStream: request,
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** Values of a repeated name are joined by commas, as API Gateway does. */
function queryOf(raw: string): Record<string, string> | undefined {
  if (raw === '') return undefined
  const query: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(raw))
    query[name] = name in query ? `${query[name]},${value}` : value
  return query
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headersDistinct)
    .filter(([name]) => name !== 'cookie')
    .map(([name, values = []]) => [name, values.join(',')])
  return Object.fromEntries(entries)
}

function send(
  result: APIGatewayProxyStructuredResultV2,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.statusCode = result.statusCode ?? 200
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value))
  if (result.cookies) response.setHeader('set-cookie', result.cookies)
  const body = Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')
  if (request.complete) response.end(body)
  else answerEarly(body, request, response)
}

/**
 * The request was answered before all of it was there. The answer goes out at once, but the connection stays open
 * while the client still writes: closed earlier, its writes would fail before it reads what we said.
 */
function answerEarly(body: Buffer, request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('connection', 'close')
  if (!response.hasHeader('content-length')) response.setHeader('content-length', body.length)
  response.flushHeaders()
  if (body.length > 0) response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, drainMs)
  request.once('close', end)
  request.unpipe()
  request.resume()
}

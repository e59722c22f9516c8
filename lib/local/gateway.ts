import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ProtocolErrors } from './gateway/protocol-errors.ts'
import { normalizeTarget, parseTarget } from './gateway/request-target.ts'
import { gatewayError, sendResponse } from './gateway/send-response.ts'

/** Path of the public port under which the embedded S3 answers presigned requests. */
export const s3Path = '/s3'

export type SocketTarget = (url: string) => string | undefined

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

export interface GatewayParts {
  readonly http: RequestListener
  /** Left out where S3 is another server. */
  readonly s3?: RequestListener | undefined
  /** Left out where no function is declared for WebSockets. */
  readonly webSocket?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => true) | undefined
}

/**
 * Files come from the origin of the API itself, where a page could read all that its visitor may see: nothing that a
 * browser opens from here runs, or is taken for another type than it says. On AWS files have an origin of their own.
 */
const fileHeaders = new Map([
  [
    'content-security-policy',
    "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'",
  ],
  ['x-content-type-options', 'nosniff'],
])

/** A silent connection is closed after this; an upload that goes on may take as long as it needs. */
const idleMs = 120_000

/** The public port. Requests that come before the parts are known wait for them. */
export function createGateway(
  parts: Promise<GatewayParts> | GatewayParts,
  /** What an address of a WebSocket is for the gateway behind; undefined for any other. */
  { socketTarget = () => undefined }: { readonly socketTarget?: SocketTarget | undefined } = {},
): Server {
  const settings = {
    requestTimeout: 0,
    // Longer than proxies keep theirs: one that we close while a request is on its way is a 502 of the proxy.
    keepAliveTimeout: 75_000,
    headersTimeout: 60_000,
    // Node would answer by itself, without a word.
    requireHostHeader: false,
    // Whatever else asks for an upgrade, as curl does for HTTP/2, is answered as if it had not.
    shouldUpgradeCallback: ({ url = '', headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && socketTarget(parseTarget(url).path) !== undefined,
  }
  const protocolErrors = new ProtocolErrors()
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    protocolErrors.watch(request, response)
    void Promise.resolve(parts).then(({ http, s3 }) => {
      const hostFault = hostHeaderFault(request)
      if (hostFault !== undefined) return sendResponse(gatewayError(400, hostFault), request, response)
      normalizeTarget(request)
      if (!s3 || !isS3Request(request)) {
        if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue()
        return http(request, response)
      }
      // S3 refuses two ways of authentication at once; a client that follows our redirect repeats its header.
      if (request.url?.includes('X-Amz-Signature=')) delete request.headers.authorization
      response.setHeaders(fileHeaders)
      return s3(request, response)
    })
  }
  const server = createServer(settings, serve)
  // Storage refuses an upload by its headers, before the client sends what may be gibibytes.
  server.on('checkContinue', serve)
  // Node would refuse any other expectation without a word; "a server MAY respond with 417" (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve)
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    protocolErrors.refuse(socket, 405, 'This is no proxy, so CONNECT leads nowhere.')
  })
  server.on('upgrade', (request, socket, head) => {
    // Until a WebSocket takes it over, nobody else hears of a connection that breaks.
    socket.on('error', () => socket.destroy())
    normalizeTarget(request)
    request.url = socketTarget(request.url ?? '') ?? '/'
    void Promise.resolve(parts).then(
      ({ webSocket }) => webSocket?.(request, socket, head) ?? socket.destroy(),
    )
  })
  server.on('clientError', (error, socket) => protocolErrors.respond(error, socket))
  server.timeout = idleMs
  return server
}

/** Which of two counts would be for each proxy to decide: "A server MUST respond with a 400" (RFC 9112, 3.2). */
function hostHeaderFault({
  headersDistinct: { host = [] },
  httpVersion,
}: IncomingMessage): string | undefined {
  if (host.length > 1) return 'The request has several headers Host, of which HTTP wants one.'
  if (host.length === 0 && httpVersion === '1.1')
    return 'The request has no header Host, which HTTP/1.1 wants.'
  return undefined
}

const isS3Request = ({ url = '' }: IncomingMessage) => url.startsWith(`${s3Path}/`)

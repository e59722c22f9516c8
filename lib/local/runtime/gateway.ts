import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { fileHeaders } from '../../resources/storage.ts'
import { ProtocolErrors } from './gateway/protocol-errors.ts'
import { normalizeTarget, parseTarget } from './gateway/request-target.ts'
import { createGatewayError, sendResponse } from './gateway/send-response.ts'

/** Path on the public port where the embedded S3 serves presigned requests. */
export const s3Path = '/s3'

export type GetSocketTarget = (url: string) => string | undefined

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

export interface GatewayParts {
  readonly http: RequestListener
  /** Handles requests for S3; undefined if S3 is another server. */
  readonly s3?: RequestListener | undefined
  /** Handles WebSocket handshakes; undefined if no function is declared for WebSockets. */
  readonly webSocket?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => true) | undefined
}

const headersByFile = new Map(Object.entries(fileHeaders))

/** Idle time after which a connection is closed; an upload in progress may take any amount of time. */
const idleMs = 120_000

/** Creates the server of the public port. Requests wait until the parts that handle them are available. */
export function createGateway(
  parts: Promise<GatewayParts> | GatewayParts,
  /** Maps the path of a WebSocket request to the path of the WebSocket API; undefined for other paths. */
  { getSocketTarget = () => undefined }: { readonly getSocketTarget?: GetSocketTarget | undefined } = {},
): Server {
  const settings = {
    requestTimeout: 0,
    // Longer than the timeout of proxies: if this side closed first, the proxy would respond to a request with 502.
    keepAliveTimeout: 75_000,
    headersTimeout: 60_000,
    // A missing Host header is refused later, because Node itself would respond without a body.
    requireHostHeader: false,
    // Other upgrades, such as curl's to HTTP/2, are ignored.
    shouldUpgradeCallback: ({ url = '', headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && getSocketTarget(parseTarget(url).path) !== undefined,
  }
  const protocolErrors = new ProtocolErrors()
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    protocolErrors.watch(request, response)
    void Promise.resolve(parts).then(({ http, s3 }) => {
      const hostHeaderProblem = findHostHeaderProblem(request)
      if (hostHeaderProblem !== undefined)
        return sendResponse(createGatewayError(400, hostHeaderProblem), request, response)
      normalizeTarget(request)
      if (!s3 || !isS3Request(request)) {
        if (/^100-continue$/i.test(request.headers.expect ?? '')) response.writeContinue()
        return http(request, response)
      }
      // S3 refuses requests with two auth methods, but clients repeat the header when they follow a redirect.
      if (request.url?.includes('X-Amz-Signature=')) delete request.headers.authorization
      response.setHeaders(headersByFile)
      return s3(request, response)
    })
  }
  const server = createServer(settings, serve)
  // S3 can refuse an upload by its headers, before the client sends gibibytes.
  server.on('checkContinue', serve)
  // Node itself would refuse any other expectation without a body; "a server MAY respond with 417" (RFC 9110, 10.1.1).
  server.on('checkExpectation', serve)
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    protocolErrors.refuse(socket, 405, 'This server is not a proxy and does not support CONNECT.')
  })
  server.on('upgrade', (request, socket, head) => {
    // Until a WebSocket takes over the socket, nothing else handles its errors.
    socket.on('error', () => socket.destroy())
    normalizeTarget(request)
    request.url = getSocketTarget(request.url ?? '') ?? '/'
    void Promise.resolve(parts).then(
      ({ webSocket }) => webSocket?.(request, socket, head) ?? socket.destroy(),
    )
  })
  server.on('clientError', (error, socket) => protocolErrors.respond(error, socket))
  server.timeout = idleMs
  return server
}

/**
 * Finds a missing or repeated Host header. With two of them, each proxy might use another one: "A server MUST respond
 * with a 400" (RFC 9112, 3.2).
 */
function findHostHeaderProblem({
  headersDistinct: { host = [] },
  httpVersion,
}: IncomingMessage): string | undefined {
  if (host.length > 1) return 'The request has more than one Host header. Send exactly one.'
  if (host.length === 0 && httpVersion === '1.1')
    return 'The request has no Host header, which HTTP/1.1 requires.'
  return undefined
}

const isS3Request = ({ url = '' }: IncomingMessage) => url.startsWith(`${s3Path}/`)

// The @connections API, with which functions reach WebSocket clients.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Authorize, allowAll } from '../../../embedded-aws/authorize.ts'
import {
  ApiError,
  readLimitedBody,
  requireSigner,
  sendApiError,
  sendJson,
} from '../../../embedded-aws/signed-api.ts'
import type { AwsCredentials } from '../../../embedded-aws/sigv4.ts'
import type { WebSocketApi } from './websocket-api.ts'

interface ConnectionsApiOptions {
  readonly webSocketApi: WebSocketApi
  readonly region: string
  readonly credentials: readonly AwsCredentials[]
  readonly authorize?: Authorize | undefined
}

const maxMessageBytes = 128 * 1024
/** The SDK prepends the path of its endpoint, which is the stage on AWS. */
const pathPattern = /^(?:\/[\w-]+)*\/@connections\/([^/?]+)\/?(?:\?|$)/
/** Pattern of connection ids. */
const idPattern = /^[\w-]{15}=$/

const tooLargeError = new ApiError(
  'PayloadTooLargeException',
  `The payload is larger than ${maxMessageBytes} bytes.`,
  413,
)
const createGoneError = () => new ApiError('GoneException', 'Gone', 410)

export const isConnectionsRequest = ({ url = '' }: IncomingMessage) => url.includes('/@connections/')

/** Serves a request for which `isConnectionsRequest` returned true. */
export async function serveConnections(
  options: ConnectionsApiOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('x-amzn-requestid', randomUUID())
  try {
    await runCommand(options, request, response)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    sendApiError(response, error.status, error.code, { message: error.message })
  }
}

async function postMessage(webSocketApi: WebSocketApi, id: string, body: Buffer): Promise<void> {
  const outcome = await webSocketApi.send(id, body)
  if (outcome === 'gone') throw createGoneError()
  if (outcome === 'slow')
    throw new ApiError('LimitExceededException', 'The client does not read its messages.', 429)
}

async function runCommand(
  { webSocketApi, region, credentials, authorize = allowAll }: ConnectionsApiOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readLimitedBody(request, maxMessageBytes, tooLargeError)
  const accessKeyId = requireSigner(request, body, { service: 'execute-api', region, credentials })
  const segment = pathPattern.exec(request.url ?? '')?.[1]
  // The signature was verified over this path, so its escapes are valid UTF-8.
  const id = decodeURIComponent(segment ?? '')
  if (!idPattern.test(id)) throw new ApiError('BadRequestException', `Invalid connectionId: ${id}`, 400)
  const resource = `arn:aws:execute-api:${region}:000000000000:local/local/${request.method}/@connections/${id}`
  if (!authorize({ accessKeyId, action: 'execute-api:ManageConnections', resource }))
    throw new ApiError('AccessDeniedException', `Access to ${resource} is denied.`, 403)
  const openConnection = webSocketApi.get(id)
  switch (request.method) {
    case 'POST':
      await postMessage(webSocketApi, id, body)
      response.writeHead(200, { 'content-length': 0 }).end()
      return
    case 'GET': {
      if (!openConnection) throw createGoneError()
      const { connectedAt, sourceIp, userAgent } = openConnection.connection
      const identity = { sourceIp, userAgent }
      sendJson(
        response,
        200,
        JSON.stringify({ connectedAt, identity, lastActiveAt: openConnection.lastActiveAt }),
      )
      return
    }
    case 'DELETE':
      if (!webSocketApi.disconnect(id)) throw createGoneError()
      response.writeHead(204).end()
      return
    default:
      throw new ApiError('ForbiddenException', `${request.method} is not an @connections command.`, 403)
  }
}

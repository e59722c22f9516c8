// Creates the events of a WebSocket API.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
import type { IncomingMessage } from 'node:http'
import { createRequestId, describeConnection, formatLogTime } from './http-event.ts'

/** What is known about a connection since its handshake. */
export interface WebSocketConnection {
  readonly id: string
  readonly connectedAt: Date
  readonly stage: string
  readonly domainName: string
  readonly sourceIp: string
  readonly userAgent: string
}

type EventType = 'CONNECT' | 'MESSAGE' | 'DISCONNECT'

export function createConnection(request: IncomingMessage, stage: string): WebSocketConnection {
  const { domainName, sourceIp } = describeConnection(request)
  const userAgent = request.headers['user-agent'] ?? ''
  return { id: createRequestId(), connectedAt: new Date(), stage, domainName, sourceIp, userAgent }
}

function createRequestContext(connection: WebSocketConnection, eventType: EventType, routeKey: string) {
  const now = new Date()
  const id = createRequestId()
  return {
    routeKey,
    eventType,
    extendedRequestId: id,
    requestTime: formatLogTime(now),
    messageDirection: 'IN',
    stage: connection.stage,
    connectedAt: connection.connectedAt.getTime(),
    requestTimeEpoch: now.getTime(),
    identity: { sourceIp: connection.sourceIp, userAgent: connection.userAgent },
    requestId: id,
    domainName: connection.domainName,
    connectionId: connection.id,
    apiId: 'local',
  }
}

export function createConnectEvent(connection: WebSocketConnection, request: IncomingMessage) {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const multiValueHeaders = { ...request.headersDistinct }
  const query = [...new Set(searchParams.keys())]
  return {
    headers: pickLastValues(multiValueHeaders),
    multiValueHeaders,
    ...(query.length > 0 && {
      queryStringParameters: Object.fromEntries(searchParams),
      multiValueQueryStringParameters: Object.fromEntries(
        query.map((name) => [name, searchParams.getAll(name)]),
      ),
    }),
    requestContext: createRequestContext(connection, 'CONNECT', '$connect'),
    isBase64Encoded: false,
  }
}

export function createMessageEvent(connection: WebSocketConnection, routeKey: string, body: string) {
  const context = createRequestContext(connection, 'MESSAGE', routeKey)
  return { requestContext: { ...context, messageId: createRequestId() }, body, isBase64Encoded: false }
}

export function createDisconnectEvent(connection: WebSocketConnection, code: number, reason: string) {
  const headers = { host: connection.domainName, 'x-api-key': '', 'x-forwarded-for': '', 'x-restapi': '' }
  return {
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: {
      ...createRequestContext(connection, 'DISCONNECT', '$disconnect'),
      disconnectStatusCode: code,
      disconnectReason: reason,
    },
    isBase64Encoded: false,
  }
}

const pickLastValues = (values: Readonly<Record<string, readonly string[] | undefined>>) =>
  Object.fromEntries(Object.entries(values).map(([name, list]) => [name, list?.at(-1)]))

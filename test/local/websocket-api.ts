// A WebSocket API for tests, whose functions record their events and return what the test sets.
import { EventEmitter, once } from 'node:events'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'
import { WebSocketApi } from '../../lib/local/runtime/gateway/websocket-api.ts'
import { createGateway } from '../../lib/local/runtime/gateway.ts'
import { closeServers, log, makeFunction, makeLambda, serve } from '../embedded-aws/lambda-runtime.ts'

interface SocketEvent {
  readonly body?: string
  readonly headers?: Record<string, string>
  readonly queryStringParameters?: Record<string, string>
  readonly requestContext: Record<string, unknown> & {
    readonly connectionId: string
    readonly routeKey: string
    readonly eventType: string
  }
}

export const path = '/ws/test'
/** Emits each event of the functions by its type. */
export const events = new EventEmitter()
interface Replies {
  readonly connect: () => unknown
  readonly nextMessage: unknown
}

const defaultReplies: Replies = { connect: () => ({ statusCode: 200 }), nextMessage: undefined }
let replies = defaultReplies

/** Changes what the functions return until the test ends. */
export function setReplies(t: TestContext, changes: Partial<Replies>): void {
  replies = { ...defaultReplies, ...changes }
  t.after(() => {
    replies = defaultReplies
  })
}

function recordEvent(event: unknown): SocketEvent {
  const givenEvent = event as SocketEvent
  events.emit(givenEvent.requestContext.eventType, givenEvent)
  return givenEvent
}

export const lambda = makeLambda([
  makeFunction('connect', async (event) => {
    recordEvent(event)
    return replies.connect()
  }),
  makeFunction('rest', async (event) => {
    recordEvent(event)
    return replies.nextMessage
  }),
  makeFunction('fails', () => {
    throw new Error('secret detail')
  }),
])

const routes = [
  { key: '$connect', functionName: 'connect' },
  { key: '$disconnect', functionName: 'rest' },
  { key: '$default', functionName: 'rest' },
  { key: 'named', functionName: 'rest' },
  { key: 'fails', functionName: 'fails' },
]
const declaration = { log, lambda, routeSelectionExpression: '$request.body.action', stage: 'ws/test' }
export const apis: WebSocketApi[] = []

/** Starts an API with the declaration above and these changes. @returns its URL */
export async function startApi(
  options: Partial<ConstructorParameters<typeof WebSocketApi>[0]>,
): Promise<string> {
  const api = new WebSocketApi({ ...declaration, routes, ...options })
  apis.push(api)
  const gateway = createGateway(
    { http: (_, response) => response.end('plain'), webSocket: (...handshake) => api.upgrade(...handshake) },
    { getSocketTarget: (url) => (url.split('?')[0] === path ? url : undefined) },
  )
  return `${(await serve(gateway)).replace('http', 'ws')}${path}`
}

/** Closes everything that `startApi` opened. */
export async function closeApis(): Promise<void> {
  await Promise.all(apis.map((api) => api.close()))
  await closeServers()
}

export const waitForEvent = async (type: string): Promise<SocketEvent> => (await once(events, type))[0]

/** Opens a connected socket; returns it with its connection id. */
export async function openSocket(
  address: string,
  ...options: [protocols?: string[], headers?: Record<string, string>]
) {
  const connectedEvent = waitForEvent('CONNECT')
  const [protocols = [], headers = {}] = options
  const socket = new WebSocket(address, protocols, { headers })
  await once(socket, 'open')
  const event = await connectedEvent
  return { socket, id: event.requestContext.connectionId, event }
}

export const nextMessage = async (socket: WebSocket): Promise<string> =>
  String((await once(socket, 'message'))[0])
export const waitForCloseCode = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0]

import type { APIGatewayProxyStructuredResultV2, EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { type BusEvent, BusFields } from '../events/index.ts'
import { lazyAsync } from '../lib/async/lazy-async.ts'
import type { ServiceConnections } from '../lib/aws/connections.ts'
import { readConfig } from '../lib/config.ts'
import { AppError } from '../lib/errors.ts'
import { selectSubprotocol } from '../lib/live/handshake.ts'
import { Live } from '../lib/live/live.ts'
import { createServices } from '../lib/services/create-services.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'
import { defined } from '../lib/validation/defined.ts'

/**
 * Format of the events:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-websocket-api-mapping-template-reference.html
 */
const SocketEvent = z.object({
  requestContext: z.object({
    eventType: z.enum(['CONNECT', 'MESSAGE', 'DISCONNECT']),
    connectionId: z.string(),
    identity: z.object({ sourceIp: z.string() }).optional(),
  }),
  headers: z.record(z.string(), z.string().optional()).nullish(),
  queryStringParameters: z.record(z.string(), z.string().optional()).nullish(),
  body: z.string().nullish(),
})

const OwnerSignal = z.object({ owner: z.string() })
const SocketOpened = z.object({ connectionId: z.string() })

type SocketHandler = (event: unknown) => Promise<APIGatewayProxyStructuredResultV2>
type BusHandler = (event: Pick<EventBridgeEvent<string, unknown>, 'detail' | 'detail-type'>) => Promise<void>

/** Creates a handler for the events of WebSocket clients, and a handler for the job events to send to these clients. */
export function createLive(environment?: Readonly<Record<string, string>>, connections?: ServiceConnections) {
  const services = createServices(readConfig(environment), { connections })
  return createLiveHandlers(new Live(services))
}

export const createLiveHandlers = (live: Live): { sockets: SocketHandler; broadcast: BusHandler } => ({
  sockets: async (rawEvent) => {
    const event = SocketEvent.parse(rawEvent)
    const { eventType, connectionId: id } = event.requestContext
    switch (eventType) {
      case 'CONNECT':
        return connectSocket(live, id, event)
      case 'MESSAGE': {
        const replyFrame = await live.receive(id, event.body ?? '').catch(live.createInternalErrorFrame)
        return { statusCode: 200, ...defined({ body: replyFrame && JSON.stringify(replyFrame) }) }
      }
      case 'DISCONNECT':
        await live.handleDisconnect(id)
        return { statusCode: 200 }
    }
  },
  broadcast: async ({ 'detail-type': name, detail }) => {
    if (name === 'socket.opened') return live.handleOpened(SocketOpened.parse(detail).connectionId)
    if (name === 'credential.revoked' || name === 'sockets.waiting')
      return live.broadcast.serve(OwnerSignal.parse(detail).owner)
    BusFields.parse(detail)
    // The publisher validated the event with the schema of `BusEvent`.
    return live.broadcast.publish(detail as BusEvent)
  },
})

async function connectSocket(
  live: Live,
  id: string,
  { headers, queryStringParameters, requestContext }: z.infer<typeof SocketEvent>,
): Promise<APIGatewayProxyStructuredResultV2> {
  // API Gateway passes header names on as the client wrote them, so they are converted to lower case.
  const lowerCaseHeaders = Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  try {
    await live.connect(id, {
      headers: lowerCaseHeaders,
      query: queryStringParameters ?? {},
      sourceIp: requestContext.identity?.sourceIp ?? '',
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { statusCode: error.status }
  }
  const protocol = selectSubprotocol(lowerCaseHeaders)
  return { statusCode: 200, ...(protocol && { headers: { 'Sec-WebSocket-Protocol': protocol } }) }
}

const handlers = lazyAsync(async () => createLiveHandlers(new Live(await createLambdaServices())))

/** The WebSocket API on Lambda. */
export const sockets: SocketHandler = async (event) => (await handlers()).sockets(event)

/** Sends events of the bus to the open sockets. */
export const broadcast: BusHandler = async (event) => (await handlers()).broadcast(event)

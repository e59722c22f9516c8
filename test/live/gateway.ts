// A fake of the WebSocket API of API Gateway. It calls the real functions with events recorded on AWS, and its clients
// store the frames that they receive.

import { randomBytes } from 'node:crypto'
import type { BusEvent } from '../../events/index.ts'
import eventBridge from '../../events/recorded/event-bridge.json' with { type: 'json' }
import connect from '../../events/recorded/websocket-connect.json' with { type: 'json' }
import disconnect from '../../events/recorded/websocket-disconnect.json' with { type: 'json' }
import message from '../../events/recorded/websocket-message.json' with { type: 'json' }
import { createLiveHandlers } from '../../functions/live.ts'
import type { PostOutcome, SocketExchange } from '../../lib/aws/sockets.ts'
import { JobFrame, ServerFrame } from '../../lib/live/frames.ts'
import { Live } from '../../lib/live/live.ts'
import type { Services } from '../../lib/services/services.ts'
import { defined } from '../../lib/validation/defined.ts'

// biome-ignore lint/suspicious/noExplicitAny: any frame
type Frame = any

export class GatewayClient {
  readonly id: string
  readonly frames: Frame[] = []
  status = 0
  protocol: unknown
  closed: { readonly code: number; readonly reason: string } | undefined
  outcome: PostOutcome = 'sent'
  readonly #gateway: Gateway

  constructor(gateway: Gateway) {
    this.#gateway = gateway
    this.id = `${randomBytes(11).toString('base64url')}=`
  }

  of(type: string): Frame[] {
    return this.frames.filter((frame) => frame.type === type)
  }

  get last(): Frame {
    return this.frames.at(-1)
  }

  /** Resolves when the function has responded. */
  async send(frame: unknown): Promise<void> {
    await this.#gateway.message(this, typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  async leave(): Promise<void> {
    this.closed = { code: 1005, reason: '' }
    await this.#gateway.disconnect(this)
  }
}

interface Handshake {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

export class Gateway {
  readonly #clients = new Map<string, GatewayClient>()
  readonly #signals: { name: string; detail: unknown }[] = []
  readonly #handlers: ReturnType<typeof createLiveHandlers>
  readonly live: Live

  constructor(services: Services) {
    const sockets: SocketExchange = {
      post: async (id, text) => {
        const client = this.#clients.get(id)
        if (!client || client.closed) return 'gone'
        if (client.outcome === 'sent') client.frames.push(parseFrame(text))
        return client.outcome
      },
      close: async (id, code, reason) => {
        const client = this.#clients.get(id)
        if (client) client.closed ??= { code, reason }
      },
      isOpen: async (id) => this.#clients.get(id)?.closed === undefined,
    }
    const bus = { signal: async (name: string, detail: unknown) => void this.#signals.push({ name, detail }) }
    // The only services that the functions use.
    this.live = new Live({ ...services, sockets, bus } as unknown as Services)
    this.#handlers = createLiveHandlers(this.live)
  }

  /** Connects a client; resolves after the handshake and everything that it triggered. */
  async connect({ headers = {}, query }: Handshake = {}): Promise<GatewayClient> {
    const client = new GatewayClient(this)
    const response = await this.#handlers.sockets({
      ...connect,
      headers: { ...connect.headers, ...headers },
      ...defined({ queryStringParameters: query }),
      requestContext: { ...connect.requestContext, connectionId: client.id },
    })
    client.status = Number(response.statusCode)
    client.protocol = response.headers?.['Sec-WebSocket-Protocol']
    if (client.status === 200) this.#clients.set(client.id, client)
    for (const { name, detail } of this.#signals.splice(0))
      await this.#handlers.broadcast({ ...eventBridge, 'detail-type': name, detail })
    return client
  }

  async message(client: GatewayClient, body: string): Promise<void> {
    const requestContext = { ...message.requestContext, connectionId: client.id }
    const response = await this.#handlers.sockets({ ...message, requestContext, body })
    if (response.body) client.frames.push(parseFrame(response.body))
  }

  async disconnect(client: GatewayClient): Promise<void> {
    const requestContext = { ...disconnect.requestContext, connectionId: client.id }
    await this.#handlers.sockets({ ...disconnect, requestContext })
    this.#clients.delete(client.id)
  }

  /** Publishes events one after another, like the bus. */
  async publish(...events: readonly BusEvent[]): Promise<void> {
    for (const event of events)
      await this.#handlers.broadcast({ ...eventBridge, 'detail-type': event.event, detail: event })
  }
}

/** Checks that every frame matches the documented schemas. */
function parseFrame(text: string): Frame {
  const frame: unknown = JSON.parse(text)
  const schema = typeof frame === 'object' && frame !== null && 'type' in frame ? ServerFrame : JobFrame
  return schema.parse(frame)
}

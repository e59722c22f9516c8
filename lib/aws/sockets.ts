import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi'
import type { Config } from '../config.ts'
import { createClientConfig } from './client-config.ts'

/** `slow` means that the client has not read earlier frames yet. */
export type PostOutcome = 'sent' | 'gone' | 'slow'

/** Direct access to sockets that are connected to this process. */
export interface SocketExchange {
  post(id: string, frame: string): Promise<PostOutcome>
  close(id: string, code: number, reason: string): Promise<void>
  isOpen(id: string): Promise<boolean>
}

/** If sending takes longer, the client is not reading. */
const postTimeoutMs = 2000

/** API Gateway's connections API, which functions use to reach WebSocket clients. */
export class Sockets implements SocketExchange {
  readonly #config: Pick<Config, 'AWS_REGION' | 'roleKey'>
  readonly #exchange: SocketExchange | undefined
  #client: Promise<ApiGatewayManagementApiClient> | undefined

  constructor(config: Pick<Config, 'AWS_REGION' | 'roleKey'>, exchange?: SocketExchange) {
    this.#config = config
    this.#exchange = exchange
  }

  async post(id: string, frame: string): Promise<PostOutcome> {
    if (this.#exchange) return this.#exchange.post(id, frame)
    const { PostToConnectionCommand } = await sdk()
    const client = await this.#openClient()
    const abortSignal = AbortSignal.timeout(postTimeoutMs)
    try {
      await client.send(new PostToConnectionCommand({ ConnectionId: id, Data: frame }), { abortSignal })
      return 'sent'
    } catch (error) {
      if (hasName(error, 'GoneException')) return 'gone'
      if (abortSignal.aborted || hasName(error, 'LimitExceededException')) return 'slow'
      throw error
    }
  }

  /** API Gateway always closes connections with code 1000, so a frame with the actual code is sent first. */
  async close(id: string, code: number, reason: string): Promise<void> {
    if (this.#exchange) return this.#exchange.close(id, code, reason)
    const { DeleteConnectionCommand } = await sdk()
    const client = await this.#openClient()
    await client.send(new DeleteConnectionCommand({ ConnectionId: id })).catch(ignoreGoneConnection)
  }

  async isOpen(id: string): Promise<boolean> {
    if (this.#exchange) return this.#exchange.isOpen(id)
    const { GetConnectionCommand } = await sdk()
    const client = await this.#openClient()
    const connection = await client
      .send(new GetConnectionCommand({ ConnectionId: id }))
      .catch(ignoreGoneConnection)
    return connection !== undefined
  }

  /** Loaded on first use, because few functions need it. */
  #openClient(): Promise<ApiGatewayManagementApiClient> {
    this.#client ??= sdk().then(
      ({ ApiGatewayManagementApiClient: Client }) => new Client(createClientConfig(this.#config)),
    )
    return this.#client
  }
}

const sdk = () => import('@aws-sdk/client-apigatewaymanagementapi')

const hasName = (error: unknown, name: string) => error instanceof Error && error.name === name

function ignoreGoneConnection(error: unknown): undefined {
  if (!hasName(error, 'GoneException')) throw error
}

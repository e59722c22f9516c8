import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi'
import type { Config } from '../config.ts'
import { createClientConfig } from './client-config.ts'

/** `slow`: the client does not read what it was sent before. */
export type PostOutcome = 'sent' | 'gone' | 'slow'

/** Where the other ends of the sockets are connected to this process. */
export interface SocketExchange {
  post(id: string, frame: string): Promise<PostOutcome>
  close(id: string, code: number, reason: string): Promise<void>
  isOpen(id: string): Promise<boolean>
}

/** A gateway that takes longer has a client that does not read. */
const postTimeoutMs = 2000

/** The connections API, by which functions reach the clients of the WebSocket API. */
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
      if (isNamed(error, 'GoneException')) return 'gone'
      if (abortSignal.aborted || isNamed(error, 'LimitExceededException')) return 'slow'
      throw error
    }
  }

  /** API Gateway itself closes with 1000 whatever the code: a frame says it before. */
  async close(id: string, code: number, reason: string): Promise<void> {
    if (this.#exchange) return this.#exchange.close(id, code, reason)
    const { DeleteConnectionCommand } = await sdk()
    const client = await this.#openClient()
    await client.send(new DeleteConnectionCommand({ ConnectionId: id })).catch(undefinedIfGone)
  }

  async isOpen(id: string): Promise<boolean> {
    if (this.#exchange) return this.#exchange.isOpen(id)
    const { GetConnectionCommand } = await sdk()
    const client = await this.#openClient()
    const found = await client.send(new GetConnectionCommand({ ConnectionId: id })).catch(undefinedIfGone)
    return found !== undefined
  }

  /** Few functions reach for it, so that the others do not load it. */
  #openClient(): Promise<ApiGatewayManagementApiClient> {
    this.#client ??= sdk().then(
      ({ ApiGatewayManagementApiClient: Client }) => new Client(createClientConfig(this.#config)),
    )
    return this.#client
  }
}

const sdk = () => import('@aws-sdk/client-apigatewaymanagementapi')

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

function undefinedIfGone(error: unknown): undefined {
  if (!isNamed(error, 'GoneException')) throw error
}

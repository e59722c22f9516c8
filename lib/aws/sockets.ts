import type { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi'
import type { Config } from '../config.ts'
import { ownClient } from './client-config.ts'

/** `slow`: the client does not read what it was sent before. */
export type PostOutcome = 'sent' | 'gone' | 'slow'

/** Where the other ends of the sockets are connected to this process. */
export interface SocketExchange {
  post(id: string, frame: string): Promise<PostOutcome>
  close(id: string, code: number, reason: string): Promise<void>
  isOpen(id: string): Promise<boolean>
}

/** A gateway that takes longer has a client that does not read. */
const postMs = 2000

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
    const client = await this.#opened()
    const abortSignal = AbortSignal.timeout(postMs)
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
    const client = await this.#opened()
    await client.send(new DeleteConnectionCommand({ ConnectionId: id })).catch(unlessGone)
  }

  async isOpen(id: string): Promise<boolean> {
    if (this.#exchange) return this.#exchange.isOpen(id)
    const { GetConnectionCommand } = await sdk()
    const client = await this.#opened()
    const found = await client.send(new GetConnectionCommand({ ConnectionId: id })).catch(unlessGone)
    return found !== undefined
  }

  /** Few functions reach for it, so that the others do not load it. */
  #opened(): Promise<ApiGatewayManagementApiClient> {
    this.#client ??= sdk().then(
      ({ ApiGatewayManagementApiClient: Client }) => new Client(ownClient(this.#config)),
    )
    return this.#client
  }
}

const sdk = () => import('@aws-sdk/client-apigatewaymanagementapi')

const isNamed = (error: unknown, name: string) => error instanceof Error && error.name === name

function unlessGone(error: unknown): undefined {
  if (!isNamed(error, 'GoneException')) throw error
}

import type { ClientConnection, FileExchange } from '../io/local-connections.ts'
import type { SocketExchange } from './sockets.ts'

/** Direct connections by service. The client of a service without an entry connects to its endpoint. */
export interface ServiceConnections {
  readonly s3?: ClientConnection | undefined
  readonly sqs?: ClientConnection | undefined
  readonly eventBridge?: ClientConnection | undefined
  readonly files?: FileExchange | undefined
  readonly sockets?: SocketExchange | undefined
}

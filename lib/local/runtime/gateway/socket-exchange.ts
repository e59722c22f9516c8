import type { SocketExchange } from '../../../aws/sockets.ts'
import type { WebSocketApi } from './websocket-api.ts'

/** Gives functions in this process direct access to its WebSockets, so that they can choose the close code. */
export function createSocketExchange(
  parts: Promise<{ readonly webSocketApi?: WebSocketApi | undefined }>,
): SocketExchange {
  const getApi = async () => (await parts).webSocketApi
  return {
    post: async (id, frame) => (await (await getApi())?.send(id, Buffer.from(frame))) ?? 'gone',
    close: async (id, code, reason) => void (await getApi())?.disconnect(id, code, reason),
    isOpen: async (id) => (await getApi())?.get(id) !== undefined,
  }
}

import type { SocketExchange } from '../../../aws/sockets.ts'
import type { WebSocketApi } from './websocket-api.ts'

/** Gives functions in this process direct access to its WebSockets, so that they can choose the close code. */
export function createSocketExchange(
  parts: Promise<{ readonly webSocketApi?: WebSocketApi | undefined }>,
): SocketExchange {
  const api = async () => (await parts).webSocketApi
  return {
    post: async (id, frame) => (await (await api())?.send(id, Buffer.from(frame))) ?? 'gone',
    close: async (id, code, reason) => void (await api())?.disconnect(id, code, reason),
    isOpen: async (id) => (await api())?.get(id) !== undefined,
  }
}

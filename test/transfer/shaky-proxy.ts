import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** How many bytes from the end of the last request are kept: enough for a request without a large body. */
const maxRequestBytes = 8192

/** Starts a proxy that can close connections or stop forwarding. */
export async function startProxy(targetPort: number) {
  const openSockets = new Set<Socket>()
  const state = {
    connections: 0,
    /** Bytes in either direction after which a connection is closed, for the first `cuts` connections. */
    cutAfterBytes: Number.POSITIVE_INFINITY,
    cuts: 0,
    /** Bytes in either direction after which nothing more is forwarded, and whether that has happened. */
    holdAfter: Number.POSITIVE_INFINITY,
    isHeld: false,
    /** Whether to hold back the response to the last request, given the end of that request. */
    holdsResponse: (_lastRequest: string): boolean => false,
  }
  const server = createServer((clientSocket) => {
    const far = connect(targetPort, '127.0.0.1')
    state.connections++
    let forwardedBytes = 0
    let lastRequest = ''
    /** Called for each response before it is forwarded. */
    const isHeldBack = () => {
      const isHeldBack = state.holdsResponse(lastRequest)
      lastRequest = ''
      return isHeldBack
    }
    const forward = (from: Socket, into: Socket) => {
      openSockets.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        openSockets.delete(from)
        into.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        forwardedBytes += bytes.length
        if (from === clientSocket)
          lastRequest = (lastRequest + bytes.toString('latin1')).slice(-maxRequestBytes)
        if (forwardedBytes > state.cutAfterBytes && state.cuts > 0) {
          state.cuts--
          clientSocket.destroy()
          far.destroy()
        } else if (forwardedBytes > state.holdAfter || (from === far && isHeldBack())) {
          state.isHeld = true
          from.pause()
        } else if (!into.write(bytes)) {
          from.pause()
          into.once('drain', () => from.resume())
        }
      })
    }
    forward(clientSocket, far)
    forward(far, clientSocket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    state,
    async stop() {
      server.close()
      for (const socket of openSockets) socket.destroy()
    },
  }
}

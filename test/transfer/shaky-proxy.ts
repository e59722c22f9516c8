import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Enough for a request without a large body. */
const keptBytes = 8192

/** Starts a proxy that can close connections or stop forwarding. */
export async function startProxy(to: number) {
  const open = new Set<Socket>()
  const state = {
    connections: 0,
    /** Bytes in either direction after which a connection is closed, for the first `cuts` connections. */
    cutAfter: Number.POSITIVE_INFINITY,
    cuts: 0,
    /** Bytes in either direction after which nothing more is forwarded, and whether that has happened. */
    holdAfter: Number.POSITIVE_INFINITY,
    isHeld: false,
    /** Whether to hold back the response to the last request, given the end of that request. */
    holdsAnswer: (_asked: string): boolean => false,
  }
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    state.connections++
    let passed = 0
    let asked = ''
    /** Called for each response before it is forwarded. */
    const holdsBack = () => {
      const is = state.holdsAnswer(asked)
      asked = ''
      return is
    }
    const pass = (from: Socket, into: Socket) => {
      open.add(from)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        into.destroy()
      })
      from.on('data', (bytes: Buffer) => {
        passed += bytes.length
        if (from === near) asked = (asked + bytes.toString('latin1')).slice(-keptBytes)
        if (passed > state.cutAfter && state.cuts > 0) {
          state.cuts--
          near.destroy()
          far.destroy()
        } else if (passed > state.holdAfter || (from === far && holdsBack())) {
          state.isHeld = true
          from.pause()
        } else if (!into.write(bytes)) {
          from.pause()
          into.once('drain', () => from.resume())
        }
      })
    }
    pass(near, far)
    pass(far, near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    state,
    async stop() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

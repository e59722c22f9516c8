import type { Socket } from 'node:net'
import { nextTick } from 'node:process'

/**
 * The same connection, which sends at once, and together what is written in one go. SSH writes each packet in three
 * pieces: as they are, each is a call of the system; held back by Nagle's algorithm (RFC 896), what we ask waits for an
 * answer to what we asked before.
 */
export function corkWrites(socket: Socket): Socket {
  socket.setNoDelay()
  const write = socket.write.bind(socket)
  // Of a class of its own `write` would not stay: to connect, Node puts that of `Socket` in its place.
  socket.write = (data: string | Uint8Array, second?: unknown, third?: unknown) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      nextTick(() => socket.uncork())
    }
    return write(data, second as BufferEncoding, third as () => void) // in the form in which they came
  }
  return socket
}

import type { Socket } from 'node:net'
import { nextTick } from 'node:process'

/**
 * Makes a socket send without delay, but combine everything that is written in the same tick. SSH writes each packet in
 * three parts, each of which would be a system call. With Nagle's algorithm (RFC 896), a request would wait for the
 * response to the previous one.
 */
export function corkWrites(socket: Socket): Socket {
  socket.setNoDelay()
  const write = socket.write.bind(socket)
  // The method is replaced, because a subclass would not work: Node replaces `write` when connecting.
  socket.write = (data: string | Uint8Array, second?: unknown, third?: unknown) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      nextTick(() => socket.uncork())
    }
    return write(data, second as BufferEncoding, third as () => void) // passed on unchanged
  }
  return socket
}

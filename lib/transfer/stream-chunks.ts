import { on } from 'node:events'
import type { Readable } from 'node:stream'

/** Pieces that wait for whoever takes them. */
const maxBufferedChunks = 1

/**
 * What a stream brings, piece by piece as it came. Its own iterator joins the pieces that have gathered, which copies
 * them all, and takes a buffer that is to be used again out of use. The stream is destroyed when nobody wants more.
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  const flow = { close: ['end', 'close'], highWaterMark: maxBufferedChunks, lowWaterMark: maxBufferedChunks }
  // It may fail once more while it is destroyed, and nobody listens by then.
  stream.on('error', () => {})
  const chunks = on(stream, 'data', flow)
  // Somebody who watches it may have stopped it.
  stream.resume()
  try {
    for await (const [chunk] of chunks) yield chunk as Buffer // it emits nothing else
    if (!stream.readableEnded) throw new Error('The stream was closed before its end.')
  } finally {
    stream.destroy()
  }
}

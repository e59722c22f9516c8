import { on } from 'node:events'
import type { Readable } from 'node:stream'

/** Maximum number of chunks buffered for the consumer. */
const maxBufferedChunks = 1

/**
 * Yields the chunks of a stream unchanged. The stream's own iterator joins buffered chunks, which copies them and
 * prevents releasing pooled buffers. The stream is destroyed when the consumer stops.
 */
export async function* readChunks(stream: Readable): AsyncGenerator<Buffer> {
  const eventOptions = {
    close: ['end', 'close'],
    highWaterMark: maxBufferedChunks,
    lowWaterMark: maxBufferedChunks,
  }
  // The stream may emit another error while it is destroyed, when there is no other listener.
  stream.on('error', () => {})
  const chunks = on(stream, 'data', eventOptions)
  // A listener may have paused the stream.
  stream.resume()
  try {
    for await (const [chunk] of chunks) yield chunk as Buffer // emits only buffers
    if (!stream.readableEnded) throw new Error('The stream was closed before its end.')
  } finally {
    stream.destroy()
  }
}

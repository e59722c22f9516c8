// Frames between the service and a decoder process, in both directions: two lengths (unsigned 32-bit integers, little
// endian), a JSON object of the first length, and bytes of the second length.
import type { DecoderMessage, ServiceMessage } from './messages.ts'

export const frameHeaderBytes = 8

const nothing = new Uint8Array()

/** Returns the parts of a frame, to be written one after the other. */
export function encodeFrame(
  message: ServiceMessage | DecoderMessage,
  bytes: Uint8Array = nothing,
): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(frameHeaderBytes)
  header.writeUInt32LE(json.length, 0)
  header.writeUInt32LE(bytes.length, 4)
  const start = Buffer.concat([header, json])
  return bytes.length === 0 ? [start] : [start, bytes]
}

export function frameLengths(header: Buffer): { readonly json: number; readonly bytes: number } {
  return { json: header.readUInt32LE(0), bytes: header.readUInt32LE(4) }
}

/** Longer messages of a decoder process are not read: it may have been taken over by a file. */
const maxMessageBytes = 256 * 1024

/** Splits the output of a decoder process, whose frames contain no bytes, into messages. */
export class FrameReader {
  #pending: Buffer = Buffer.alloc(0)

  /** @throws Error for anything but frames of messages. */
  add(chunk: Buffer): unknown[] {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    const messages: unknown[] = []
    while (this.#pending.length >= frameHeaderBytes) {
      const { json, bytes } = frameLengths(this.#pending)
      if (json > maxMessageBytes || bytes > 0)
        throw new Error(`expected a message of at most ${maxMessageBytes} bytes, got ${json} and ${bytes}`)
      const end = frameHeaderBytes + json
      if (this.#pending.length < end) break
      messages.push(JSON.parse(this.#pending.toString('utf8', frameHeaderBytes, end)))
      this.#pending = this.#pending.subarray(end)
    }
    return messages
  }
}

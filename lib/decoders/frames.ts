/**
 * Frames between the service and a decoder process, in both directions: two lengths (unsigned 32-bit integers, little
 * endian), a JSON object of the first length, and bytes of the second length.
 */

export const frameHeaderBytes = 8

/** Returns the parts of a frame, which are written one after the other. */
export function encodeFrame(message: object, ...bytes: readonly Uint8Array[]): Uint8Array[] {
  const json = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(frameHeaderBytes)
  header.writeUInt32LE(json.length, 0)
  header.writeUInt32LE(
    bytes.reduce((sum, { length }) => sum + length, 0),
    4,
  )
  return [Buffer.concat([header, json]), ...bytes.filter(({ length }) => length > 0)]
}

export function readFrameLengths(header: Buffer): { readonly json: number; readonly bytes: number } {
  return { json: header.readUInt32LE(0), bytes: header.readUInt32LE(4) }
}

/** Splits the output of a decoder process into messages. These frames contain JSON only, no bytes. */
export class FrameReader {
  readonly #maxMessageBytes: number
  /** The chunks of an incomplete frame. */
  #chunks: Buffer[] = []
  #pendingBytes = 0
  /** Number of bytes needed to continue: those of a header or, once the header is read, those of the whole frame. */
  #neededBytes = frameHeaderBytes

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
  }

  /** Adds output and returns the messages that it completes. @throws Error if the output is no frame with a message. */
  add(chunk: Buffer): unknown[] {
    this.#chunks.push(chunk)
    this.#pendingBytes += chunk.length
    const messages: unknown[] = []
    while (this.#pendingBytes >= this.#neededBytes) {
      const pendingBytes =
        this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks)
      const { json, bytes } = readFrameLengths(pendingBytes)
      if (json > this.#maxMessageBytes || bytes > 0)
        throw new Error(
          `expected a message of at most ${this.#maxMessageBytes} bytes, got ${json} and ${bytes}`,
        )
      const end = frameHeaderBytes + json
      const isComplete = pendingBytes.length >= end
      if (isComplete) messages.push(JSON.parse(pendingBytes.toString('utf8', frameHeaderBytes, end)))
      const remainingBytes = isComplete ? pendingBytes.subarray(end) : pendingBytes
      this.#chunks = [remainingBytes]
      this.#pendingBytes = remainingBytes.length
      this.#neededBytes = isComplete ? frameHeaderBytes : end
    }
    return messages
  }
}

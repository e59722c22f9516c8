/**
 * Parses the frame headers of one direction of a WebSocket (RFC 6455, 5.2) and returns the largest payload length
 * announced in a chunk. API Gateway limits single frames, which the WebSocket library does not expose.
 */
export function createFrameSizeTracker(): (chunk: Buffer) => number {
  const header: number[] = []
  let bytesToSkip = 0
  return (chunk) => {
    let largestPayloadBytes = 0
    for (let at = 0; at < chunk.length; ) {
      if (bytesToSkip > 0) {
        const takenBytes = Math.min(bytesToSkip, chunk.length - at)
        bytesToSkip -= takenBytes
        at += takenBytes
        continue
      }
      header.push(chunk[at++] ?? 0)
      const length = parsePayloadLength(header)
      if (length === undefined) continue
      largestPayloadBytes = Math.max(largestPayloadBytes, length)
      const isMasked = ((header[1] ?? 0) & 0x80) !== 0
      bytesToSkip = length + (isMasked ? 4 : 0)
      header.length = 0
    }
    return largestPayloadBytes
  }
}

/** Returns undefined until the length is complete: two bytes, and two or eight more for a longer payload. */
function parsePayloadLength(header: readonly number[]): number | undefined {
  const shortLength = (header[1] ?? 0) & 0x7f
  const size = shortLength === 126 ? 4 : shortLength === 127 ? 10 : 2
  if (header.length < 2 || header.length < size) return undefined
  if (size === 2) return shortLength
  return header.slice(2, size).reduce((value, byte) => value * 256 + byte, 0)
}

const bufferBytes = 256 << 10
/** Buffers that are kept for what is read next. */
const mostWaiting = 16

const waiting: Buffer[] = []
const ours = new WeakSet<ArrayBufferLike>()

/**
 * A place for bytes of a file that are read next: at most so many, as one read takes. New ones for each piece of a large
 * file would have all memory looked through several times a second.
 */
export function takeBuffer(wanted: number): Buffer {
  if (wanted < bufferBytes) return Buffer.allocUnsafe(wanted)
  const kept = waiting.pop()
  if (kept) return kept
  const buffer = Buffer.allocUnsafeSlow(bufferBytes)
  ours.add(buffer.buffer)
  return buffer
}

/** Gives back what was read, which is overwritten soon. Nobody has to; what is not given back is collected as usual. */
export function giveBackBuffer({ buffer }: Buffer): void {
  if (ours.has(buffer) && waiting.length < mostWaiting) waiting.push(Buffer.from(buffer))
}

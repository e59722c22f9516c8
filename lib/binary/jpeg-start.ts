/** Longest text or padding that is skipped before a JPEG: HTTP header lines, or bytes that a faulty transfer added. */
const maxBytesBeforeJpeg = 1024

/**
 * Returns the offset of the start marker, or undefined if there is none; ffmpeg and repair programs also skip other
 * bytes before it.
 * @param head at least the first kilobyte of the file
 */
export function findJpegStart(head: Uint8Array): number | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, maxBytesBeforeJpeg))
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 0
  const start = bytes.indexOf('\xff\xd8\xff', 0, 'latin1')
  return start < 0 ? undefined : start
}

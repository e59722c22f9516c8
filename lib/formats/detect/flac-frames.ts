const maxHeaderBytes = 16
/**
 * Whether the bytes start with sync code, reserved bit, and the bit for fixed or variable block sizes (RFC 9639,
 * section 9.1).
 */
const startsWithSync = (head: Uint8Array) => head[0] === 0xff && ((head[1] ?? 0) & 0xfe) === 0xf8

/**
 * Whether the head of a file contains a FLAC frame: some files have no header, such as recorded streams, or other data
 * before it. Decoders find the sample rate in the frames.
 */
export function hasFlacFrame(head: Uint8Array): boolean {
  for (let at = head.indexOf(0xff); at >= 0; at = head.indexOf(0xff, at + 1))
    if (startsWithFrame(head.subarray(at, at + maxHeaderBytes))) return true
  return false
}

function startsWithFrame(head: Uint8Array): boolean {
  const [, , sizeCodes = 0, , number = 0] = head
  if (!startsWithSync(head) || head.length < maxHeaderBytes) return false
  const [blockSizeCode, sampleRateCode] = [sizeCodes >> 4, sizeCodes & 15]
  const numberBytes = number < 0x80 ? 1 : Math.clz32(~number << 24)
  const blockSizeFieldBytes = blockSizeCode === 6 ? 1 : blockSizeCode === 7 ? 2 : 0
  const sampleRateBytes = sampleRateCode === 12 ? 1 : [13, 14].includes(sampleRateCode) ? 2 : 0
  const end = 4 + numberBytes + blockSizeFieldBytes + sampleRateBytes
  return computeCrc8(head.subarray(0, end)) === head[end]
}

/** Computes a checksum with the polynomial x⁸ + x² + x + 1 (section 9.1.8). */
function computeCrc8(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x80 ? 0x107 : 0)) & 0xff
  }
  return crc
}

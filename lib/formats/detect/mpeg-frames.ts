import { view } from './byte-source.ts'

/** Bitrates in kbit/s by layer (ISO 11172-3, 2.4.2.3): MPEG 1, then MPEG 2 and 2.5. */
const mpeg1Bitrates = {
  1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
} as const
const lowBitrates = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const
const mpeg2Bitrates = {
  1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: lowBitrates,
  3: lowBitrates,
} as const
const sampleRates = [44_100, 48_000, 32_000] as const
/** Number of consecutive frames that cannot be a coincidence. */
const minFrames = 4

/**
 * Returns whether MPEG audio starts anywhere in the head of a file; recorders can leave garbage before it, which
 * players skip.
 *
 * @param head the first kilobytes of the file
 */
export function hasMpegFrames(head: Uint8Array): boolean {
  for (let at = head.indexOf(0xff); at >= 0; at = head.indexOf(0xff, at + 1))
    if (hasFrameSequence(head, at)) return true
  return false
}

function hasFrameSequence(head: Uint8Array, start: number): boolean {
  let at = start
  for (let count = 0; count < minFrames; count++) {
    const length =
      at + 4 <= head.length ? getFrameLength(view(head.subarray(at, at + 4)).getUint32(0)) : undefined
    if (length === undefined) return false
    at += length
  }
  return true
}

/** Returns the length in bytes of the frame with this header, or undefined if it is not a frame header. */
function getFrameLength(header: number): number | undefined {
  const [version, layer] = [(header >>> 19) & 3, 4 - ((header >>> 17) & 3)]
  // Layer 4 is reserved, so neither table contains it.
  const bitrateKbps = (version === 3 ? mpeg1Bitrates : mpeg2Bitrates)[layer as 1 | 2 | 3]?.[
    ((header >>> 12) & 15) - 1
  ]
  const mpeg1SampleRate = sampleRates[(header >>> 10) & 3]
  if (header >>> 21 !== 0x7ff || version === 1 || bitrateKbps === undefined || mpeg1SampleRate === undefined)
    return undefined
  const samplesPerS = mpeg1SampleRate / (version === 3 ? 1 : version === 2 ? 2 : 4)
  const padding = (header >>> 9) & 1
  if (layer === 1) return 4 * (Math.floor((12_000 * bitrateKbps) / samplesPerS) + padding)
  const slots = layer === 3 && version !== 3 ? 72_000 : 144_000
  return Math.floor((slots * bitrateKbps) / samplesPerS) + padding
}

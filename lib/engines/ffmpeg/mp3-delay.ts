import { open } from 'node:fs/promises'
import { findAudioRange } from './mp3-tags.ts'

/** The 12-bit delay that ffmpeg 5.1 writes for copies from Matroska: 0 minus 529 samples, which underflows. */
const bogusDelay = 0x1000 - 529
/**
 * Offset of the delay from the start of the Xing tag. The delay is in the LAME tag, which follows the flags, numbers
 * and table of the Xing tag; ffmpeg always writes all of them.
 */
const delayOffset = 120 + 21
/** Maximum length of an MPEG-1 frame with the tag. */
const maxFrameBytes = 1441

/**
 * Removes a wrong encoder delay of almost 4096 samples from a copied MP3; players would skip that much music at the
 * beginning.
 */
export async function removeBogusDelay(path: string): Promise<void> {
  const [start] = await findAudioRange(path)
  const file = await open(path, 'r+')
  try {
    const frame = Buffer.alloc(maxFrameBytes)
    await file.read(frame, 0, maxFrameBytes, start)
    const tagOffset = Math.max(frame.subarray(0, 64).indexOf('Xing'), frame.subarray(0, 64).indexOf('Info'))
    if (tagOffset < 0 || frame.readUIntBE(tagOffset + delayOffset, 3) >>> 12 !== bogusDelay) return
    const [, middleDelayByte = 0] = frame.subarray(tagOffset + delayOffset)
    await file.write(Buffer.from([0, middleDelayByte & 0x0f]), 0, 2, start + tagOffset + delayOffset)
  } finally {
    await file.close()
  }
}

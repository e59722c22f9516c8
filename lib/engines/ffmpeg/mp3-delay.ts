import { open } from 'node:fs/promises'
import { audioRange } from './mp3-tags.ts'

/** What its twelve bits hold when 529 samples are taken off none, as ffmpeg 5.1 does for copies from Matroska. */
const bogusDelay = 0x1000 - 529
/** The tag of LAME follows flags, numbers and table of Xing's, which ffmpeg always writes all. */
const delayOffset = 120 + 21
/** Longest frame of MPEG-1 that may have the tag. */
const maxFrameBytes = 1441

/**
 * A copied MP3 may say that its encoder put 4096 samples of silence in front, which players leave out, and music with
 * them. It is made to say nothing of that.
 */
export async function removeBogusDelay(path: string): Promise<void> {
  const [start] = await audioRange(path)
  const file = await open(path, 'r+')
  try {
    const frame = Buffer.alloc(maxFrameBytes)
    await file.read(frame, 0, maxFrameBytes, start)
    const tag = Math.max(frame.subarray(0, 64).indexOf('Xing'), frame.subarray(0, 64).indexOf('Info'))
    if (tag < 0 || frame.readUIntBE(tag + delayOffset, 3) >>> 12 !== bogusDelay) return
    const [, middle = 0] = frame.subarray(tag + delayOffset)
    await file.write(Buffer.from([0, middle & 0x0f]), 0, 2, start + tag + delayOffset)
  } finally {
    await file.close()
  }
}

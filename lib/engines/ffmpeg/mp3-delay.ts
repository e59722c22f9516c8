import { open } from 'node:fs/promises'
import { soundOf } from './mp3-tags.ts'

/** What its twelve bits hold when 529 samples are taken off none, as ffmpeg 5.1 does for copies from Matroska. */
const none = 0x1000 - 529
/** The tag of LAME follows flags, numbers and table of Xing's, which ffmpeg always writes all. */
const delayAt = 120 + 21
/** Longest frame of MPEG-1 that may have the tag. */
const frameBytes = 1441

/**
 * A copied MP3 may say that its encoder put 4096 samples of silence in front, which players leave out, and music with
 * them. It is made to say nothing of that.
 */
export async function mendDelay(path: string): Promise<void> {
  const [start] = await soundOf(path)
  const file = await open(path, 'r+')
  try {
    const frame = Buffer.alloc(frameBytes)
    await file.read(frame, 0, frameBytes, start)
    const tag = Math.max(frame.subarray(0, 64).indexOf('Xing'), frame.subarray(0, 64).indexOf('Info'))
    if (tag < 0 || frame.readUIntBE(tag + delayAt, 3) >>> 12 !== none) return
    const [, middle = 0] = frame.subarray(tag + delayAt)
    await file.write(Buffer.from([0, middle & 0x0f]), 0, 2, start + tag + delayAt)
  } finally {
    await file.close()
  }
}

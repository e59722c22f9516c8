import { join } from 'node:path'
import type sharp from 'sharp'
import type { Tools } from '../engine.ts'
import type { Animation } from './apng/read.ts'
import type { DecodedFile } from './decoders.ts'

/** Maximum that WebP and sharp accept, both for a frame delay in milliseconds and for the loop count. */
const maxDelayOrLoop = 65_535

/** Splits a vertical RGBA strip, as libvips decodes animations, into its frames without copying. */
export function splitFrames(
  strip: Buffer,
  { width, height, pages }: { width: number; height: number; pages: number },
): Buffer[] {
  const frameBytes = width * height * 4
  return Array.from({ length: pages }, (_, index) =>
    strip.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}

/** Writes the frames to a lossless WebP, which libvips reads as one animation. */
export async function writeFramesAsWebp(
  { width, height, frames, delaysMs, loop }: Animation,
  encode: typeof sharp,
  tools: Tools,
): Promise<DecodedFile> {
  const path = join(tools.workDir, 'frames.webp')
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const
  await encode(Buffer.concat(frames), { raw })
    .webp({
      lossless: true,
      exact: true,
      effort: 0,
      delay: delaysMs.map((delayMs) => Math.min(delayMs, maxDelayOrLoop)),
      loop: Math.min(loop, maxDelayOrLoop),
    })
    .toFile(path)
  return { path, format: 'webp' }
}

/** Rotates every frame separately: libvips would rotate the whole strip. */
export async function rotateFrames(
  animation: Animation,
  degrees: number,
  encode: typeof sharp,
): Promise<Animation> {
  const { width, height, frames } = animation
  const raw = { width, height, channels: 4 } as const
  const rotatedFrames = []
  for (const frame of frames)
    rotatedFrames.push(await encode(frame, { raw }).rotate(degrees).raw().toBuffer())
  const size = degrees % 180 === 0 ? { width, height } : { width: height, height: width }
  return { ...animation, ...size, frames: rotatedFrames }
}

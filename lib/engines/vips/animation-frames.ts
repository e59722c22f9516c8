import { join } from 'node:path'
import type sharp from 'sharp'
import type { Tools } from '../engine.ts'
import type { Animation } from './apng/read.ts'
import type { Decoded } from './decoders.ts'

/** Maximum that WebP and sharp accept, both for a frame delay in milliseconds and for the loop count. */
const longest = 65_535

/** Splits a vertical RGBA strip, as libvips decodes animations, into its frames without copying. */
export function framesOf(
  strip: Buffer,
  { width, height, pages }: { width: number; height: number; pages: number },
): Buffer[] {
  const frameBytes = width * height * 4
  return Array.from({ length: pages }, (_, index) =>
    strip.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}

/** Writes the frames to a lossless WebP, which libvips reads as one animation. */
export async function framesAsWebp(
  { width, height, frames, delaysMs, loop }: Animation,
  encode: typeof sharp,
  tools: Tools,
): Promise<Decoded> {
  const path = join(tools.workDir, 'frames.webp')
  const raw = { width, height: height * frames.length, channels: 4, pageHeight: height } as const
  await encode(Buffer.concat(frames), { raw })
    .webp({
      lossless: true,
      exact: true,
      effort: 0,
      delay: delaysMs.map((delayMs) => Math.min(delayMs, longest)),
      loop: Math.min(loop, longest),
    })
    .toFile(path)
  return { path, format: 'webp' }
}

/** Rotates every frame separately: libvips would rotate the whole strip. */
export async function turned(
  animation: Animation,
  degrees: number,
  encode: typeof sharp,
): Promise<Animation> {
  const { width, height, frames } = animation
  const raw = { width, height, channels: 4 } as const
  const done = []
  for (const frame of frames) done.push(await encode(frame, { raw }).rotate(degrees).raw().toBuffer())
  const sides = degrees % 180 === 0 ? { width, height } : { width: height, height: width }
  return { ...animation, ...sides, frames: done }
}

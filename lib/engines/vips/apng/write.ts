import type sharp from 'sharp'
import { buildPng, type PngChunk, readPngChunks } from '../../../binary/png.ts'
import type { Animation } from './read.ts'

interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Delay of frames that do not state one. */
const defaultDelayMs = 100

/** Encodes an animated PNG in which each frame stores only what changed since the previous one. */
export async function encodeApng(animation: Animation, encode: typeof sharp): Promise<Buffer> {
  const { width, height, frames, delaysMs, loop } = animation
  const chunks: PngChunk[] = []
  let sequence = 0
  for (const [index, frame] of frames.entries()) {
    const area = findChangedArea(frames[index - 1], frame, width, height)
    const png = await encode(frame, { raw: { width, height, channels: 4 } })
      .extract(area)
      .png({ compressionLevel: 9, adaptiveFiltering: true, palette: false })
      .toBuffer()
    const pngChunks = [...readPngChunks(png)]
    if (index === 0) {
      chunks.push(...pngChunks.filter(({ type }) => type === 'IHDR'))
      chunks.push({ type: 'acTL', data: packUint32s(frames.length, loop) })
    }
    chunks.push({
      type: 'fcTL',
      data: createFrameControl(sequence++, area, delaysMs[index] ?? defaultDelayMs),
    })
    const data = Buffer.concat(pngChunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data))
    // Stores the first frame as the default image, for readers without support for animations.
    if (index === 0) chunks.push({ type: 'IDAT', data })
    else chunks.push({ type: 'fdAT', data: Buffer.concat([packUint32s(sequence++), data]) })
  }
  return buildPng([...chunks, { type: 'IEND', data: Buffer.alloc(0) }])
}

/** Returns the smallest area that contains every change; never empty, because a frame needs at least one pixel. */
function findChangedArea(
  previousFrame: Buffer | undefined,
  frame: Buffer,
  width: number,
  height: number,
): Area {
  if (!previousFrame) return { left: 0, top: 0, width, height }
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let y = 0; y < height; y++) {
    const row = y * width * 4
    if (frame.compare(previousFrame, row, row + width * 4, row, row + width * 4) === 0) continue
    top = Math.min(top, y)
    bottom = y
    for (let x = 0; x < width; x++) {
      const at = row + x * 4
      if (frame.readUInt32LE(at) === previousFrame.readUInt32LE(at)) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
    }
  }
  if (right < 0) return { left: 0, top: 0, width: 1, height: 1 }
  return { left, top, width: right - left + 1, height: bottom - top + 1 }
}

/**
 * Creates the frame control: no disposal, and the frame replaces its area (https://www.w3.org/TR/png-3/#fcTL-chunk).
 */
function createFrameControl(sequence: number, { width, height, left, top }: Area, delayMs: number): Buffer {
  const time = Buffer.alloc(6)
  time.writeUInt16BE(Math.min(delayMs, 65_535), 0)
  time.writeUInt16BE(1000, 2)
  return Buffer.concat([packUint32s(sequence, width, height, left, top), time])
}

function packUint32s(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

import { readFile } from 'node:fs/promises'
import type sharp from 'sharp'
import { buildPng, type PngChunk, readPngChunks } from '../../../binary/png.ts'
import { AppError } from '../../../errors.ts'

/** Maximum pixels of all frames together; each pixel takes four bytes of memory. */
const maxPixels = 100_000_000

interface Frame {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
  readonly delayMs: number
  /**
   * What happens to the area of the frame after it was shown: 0 keeps it, 1 clears it, 2 restores the previous content.
   */
  readonly dispose: number
  /** Whether the frame replaces the pixels below instead of being blended over them. */
  readonly isReplacing: boolean
  readonly data: Buffer[]
}

/** All frames of an animation, each rendered in full. */
export interface Animation {
  readonly width: number
  readonly height: number
  /** Full-size images, four bytes per pixel. */
  readonly frames: readonly Buffer[]
  readonly delaysMs: readonly number[]
  /** Number of repetitions; 0 means forever. */
  readonly loop: number
}

/** Returns the frame count that an animated PNG declares; 1 for a still image. @throws RangeError when truncated. */
export async function countApngFrames(path: string): Promise<number> {
  for (const { type, data } of readPngChunks(await readFile(path))) {
    if (type === 'acTL') return Math.max(1, data.readUInt32BE(0))
    if (type === 'IDAT') return 1
  }
  return 1
}

/**
 * Renders every frame over the output of the previous ones (https://www.w3.org/TR/png-3/#fcTL-chunk).
 * @throws AppError FILE_TOO_LARGE, RangeError when chunks are damaged, and whatever `decode` throws for the pixels.
 */
export async function readApng(path: string, decode: typeof sharp): Promise<Animation> {
  const { header, shared, frames, loop } = parse(await readFile(path))
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  if (width * height * frames.length > maxPixels) {
    const message = `The frames of the animation have more pixels than the limit of ${maxPixels / 1e6} million.`
    throw new AppError('FILE_TOO_LARGE', message, { maxPixels })
  }
  const canvas = Buffer.alloc(width * height * 4)
  const renderedFrames: Buffer[] = []
  for (const frame of frames) {
    if (frame.left + frame.width > width || frame.top + frame.height > height) {
      throw new RangeError('A frame is outside of the animation.')
    }
    const canvasBefore = frame.dispose === 2 ? Buffer.from(canvas) : undefined
    drawFrame(canvas, width, frame, await decodeFrame(frame, header, shared, decode))
    renderedFrames.push(Buffer.from(canvas))
    if (frame.dispose === 1) clearArea(canvas, width, frame)
    canvasBefore?.copy(canvas)
  }
  return { width, height, frames: renderedFrames, delaysMs: frames.map(({ delayMs }) => delayMs), loop }
}

interface ParsedApng {
  readonly header: Buffer
  /** Chunks that every frame needs besides its pixels, such as the palette and gamma. */
  readonly shared: readonly PngChunk[]
  readonly frames: readonly Frame[]
  readonly loop: number
}

function parse(file: Buffer): ParsedApng {
  let header: Buffer = Buffer.alloc(0)
  let loop = 0
  const sharedChunks: PngChunk[] = []
  const frames: Frame[] = []
  for (const chunk of readPngChunks(file)) {
    const { type, data } = chunk
    if (type === 'IHDR') header = data
    else if (type === 'acTL') loop = data.readUInt32BE(4)
    else if (type === 'fcTL') frames.push(parseFrameControl(data))
    // The default image is a frame only if an `fcTL` chunk precedes it.
    else if (type === 'IDAT') frames.at(-1)?.data.push(data)
    else if (type === 'fdAT') frames.at(-1)?.data.push(data.subarray(4))
    else if (frames.every((frame) => frame.data.length === 0) && type !== 'IEND') sharedChunks.push(chunk)
  }
  const drawnFrames = frames.filter((frame) => frame.data.length > 0)
  if (header.length !== 13 || drawnFrames.length === 0)
    throw new RangeError('The animated PNG has no frames.')
  return { header, shared: sharedChunks, frames: drawnFrames, loop }
}

function parseFrameControl(data: Buffer): Frame {
  const [width, height, left, top] = [4, 8, 12, 16].map((at) => data.readUInt32BE(at))
  return {
    width: width ?? 0,
    height: height ?? 0,
    left: left ?? 0,
    top: top ?? 0,
    // A denominator of 0 means hundredths of a second.
    delayMs: Math.round((data.readUInt16BE(20) * 1000) / (data.readUInt16BE(22) || 100)),
    dispose: data.readUInt8(24),
    isReplacing: data.readUInt8(25) === 0,
    data: [],
  }
}

async function decodeFrame(
  { width, height, data }: Frame,
  header: Buffer,
  sharedChunks: readonly PngChunk[],
  decode: typeof sharp,
): Promise<Buffer> {
  const frameHeader = Buffer.from(header)
  frameHeader.writeUInt32BE(width, 0)
  frameHeader.writeUInt32BE(height, 4)
  const png = buildPng([
    { type: 'IHDR', data: frameHeader },
    ...sharedChunks,
    { type: 'IDAT', data: Buffer.concat(data) },
    { type: 'IEND', data: Buffer.alloc(0) },
  ])
  return decode(png, { failOn: 'error', limitInputPixels: maxPixels })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer()
}

function drawFrame(canvas: Buffer, canvasWidth: number, frame: Frame, pixels: Buffer): void {
  for (let y = 0; y < frame.height; y++) {
    const to = ((frame.top + y) * canvasWidth + frame.left) * 4
    const row = pixels.subarray(y * frame.width * 4, (y + 1) * frame.width * 4)
    if (frame.isReplacing) row.copy(canvas, to)
    else blendRow(canvas, to, row)
  }
}

function blendRow(canvas: Buffer, start: number, row: Buffer): void {
  for (let at = 0; at < row.length; at += 4) {
    const alpha = (row[at + 3] ?? 0) / 255
    if (alpha === 0) continue
    const to = start + at
    const alphaBelow = ((canvas[to + 3] ?? 0) / 255) * (1 - alpha)
    const sum = alpha + alphaBelow
    for (let channel = 0; channel < 3; channel++) {
      const mixedColor = (row[at + channel] ?? 0) * alpha + (canvas[to + channel] ?? 0) * alphaBelow
      canvas[to + channel] = Math.round(mixedColor / sum)
    }
    canvas[to + 3] = Math.round(sum * 255)
  }
}

function clearArea(canvas: Buffer, canvasWidth: number, { left, top, width, height }: Frame): void {
  for (let y = top; y < top + height; y++) {
    canvas.fill(0, (y * canvasWidth + left) * 4, (y * canvasWidth + left + width) * 4)
  }
}

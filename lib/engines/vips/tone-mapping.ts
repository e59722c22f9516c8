import { open } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type Sharp from 'sharp'
import { Mp4Boxes } from '../../binary/mp4.ts'
import { openRandomAccess } from '../../binary/random-access.ts'
import type { Tools } from '../engine.ts'
import { describeHdrConversion, knee, peakNits, whiteNits } from '../shared/image/hdr.ts'
import { maxPixels } from './limits.ts'
import type { PngHead } from './png-head.ts'

/**
 * Maximum number of boxes. A HEIF file has several boxes for each of its images, and for each tile of a large image.
 */
const maxHeifBoxes = 20_000

/**
 * Transfer functions of HDR by H.273 code (PQ and HLG of BT.2100). They map a sample of 0 to 1 to light relative to
 * white.
 */
const transferFunctions: Readonly<
  Record<number, { readonly name: string; readonly toLight: (value: number) => number }>
> = {
  16: {
    name: 'PQ',
    toLight: (value) => {
      const root = value ** (32 / 2523)
      const [c1, c2, c3] = [3424 / 4096, 2413 / 128, 2392 / 128]
      return (
        ((10_000 / whiteNits) * Math.max(0, root - c1) ** (8192 / 1305)) / (c2 - c3 * root) ** (8192 / 1305)
      )
    },
  },
  18: {
    name: 'HLG',
    toLight: (value) => {
      const [a, b, c] = [0.17883277, 0.28466892, 0.55991073]
      return value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - c) / a) + b) / 12
    },
  },
}
const hlgTransferCode = 18

/** Row-major matrices to sRGB primaries, by the H.273 code of the source primaries. */
const matricesToSrgb: Readonly<Record<number, readonly number[]>> = {
  1: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  9: [1.6605, -0.5876, -0.0728, -0.1246, 1.1329, -0.0083, -0.0182, -0.1006, 1.1187],
  12: [1.2249, -0.2247, 0, -0.042, 1.0419, 0, -0.0197, -0.0786, 1.0979],
}

/** Color encoding by H.273 codes. */
export interface ColorCodes {
  readonly transfer: number
  readonly primaries: number
}

/** Returns the color codes of an AVIF or HEIC (ISO 14496-12, 12.1.5: the first `colr` box of type `nclx`). */
export async function readHeifColorCodes(path: string): Promise<ColorCodes | undefined> {
  await using handle = await open(path)
  const file = await openRandomAccess(handle)
  const boxes = new Mp4Boxes(file, maxHeifBoxes)
  try {
    const properties = await boxes.find({ start: 0, end: file.size }, 'meta', 'iprp', 'ipco')
    for (const box of properties ? await boxes.list(properties) : []) {
      const boxContent = box.type === 'colr' ? await boxes.readStart(box, 8) : Buffer.alloc(0)
      if (boxContent.toString('latin1', 0, 4) === 'nclx')
        return { primaries: boxContent.readUInt16BE(4), transfer: boxContent.readUInt16BE(6) }
    }
    return undefined
  } catch (error) {
    // A damaged file is reported by its decoder.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Returns the color codes of a PNG (`cICP`) if it is HDR; undefined otherwise. */
export function readPngHdrCodes(head: PngHead): ColorCodes | undefined {
  const codesChunk = head.get('cICP')
  if (!codesChunk || codesChunk.length < 2) return undefined
  return keepHdrCodes({ primaries: codesChunk.readUInt8(0), transfer: codesChunk.readUInt8(1) })
}

/** Returns the codes if they describe HDR that can be converted; undefined otherwise. */
export const keepHdrCodes = (codes: ColorCodes) =>
  codes.transfer in transferFunctions && codes.primaries in matricesToSrgb ? codes : undefined

/** Writes the image tone-mapped to sRGB as a PNG, warns about it, and returns the path. */
export async function toneMap(
  path: string,
  codes: ColorCodes,
  sharp: typeof Sharp,
  tools: Tools,
): Promise<string> {
  const { data, info } = await sharp(path, { limitInputPixels: maxPixels, ignoreIcc: true })
    .toColourspace('rgb16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const samples = new Uint16Array(data.buffer, data.byteOffset, width * height * channels)
  const bytes = Buffer.alloc(samples.length)
  const convert = createRowConverter(codes, channels)
  for (let row = 0; row < height; row++) {
    // Yields so that the task can send its heartbeats.
    if (row % 256 === 0) await setImmediate()
    convert(samples, bytes, row * width * channels, (row + 1) * width * channels)
  }
  const { name = '' } = transferFunctions[codes.transfer] ?? {}
  tools.warn('COLORS_CONVERTED', describeHdrConversion('image', name))
  const targetPath = join(tools.workDir, `${parse(path).name}-usual.png`)
  await sharp(bytes, { raw: { width, height, channels }, limitInputPixels: maxPixels })
    .png({ compressionLevel: 1 })
    .toFile(targetPath)
  return targetPath
}

type ConvertRows = (from: Uint16Array, to: Buffer, begin: number, end: number) => void

function createRowConverter({ transfer, primaries }: ColorCodes, channels: number): ConvertRows {
  const { toLight = (value: number) => value } = transferFunctions[transfer] ?? {}
  const linearLight = Float32Array.from({ length: 65_536 }, (_, value) => toLight(value / 65_535))
  const [rr = 1, rg = 0, rb = 0, gr = 0, gg = 1, gb = 0, br = 0, bg = 0, bb = 1] =
    matricesToSrgb[primaries] ?? []
  const table = createSrgbTable()
  const encodeSrgb = (value: number) =>
    table[Math.round(Math.min(1, Math.max(0, value)) * (table.length - 1))] ?? 0
  return (from, to, begin, end) => {
    for (let at = begin; at < end; at += channels) {
      let [r, g, b] = [
        linearLight[from[at] ?? 0] ?? 0,
        linearLight[from[at + 1] ?? 0] ?? 0,
        linearLight[from[at + 2] ?? 0] ?? 0,
      ]
      if (transfer === hlgTransferCode) {
        // Maps scene light to the display light of a screen of 1,000 cd/m² (BT.2100, table 5).
        const displayGain = (peakNits / whiteNits) * (0.2627 * r + 0.678 * g + 0.0593 * b) ** 0.2
        ;[r, g, b] = [r * displayGain, g * displayGain, b * displayGain]
      }
      const red = rr * r + rg * g + rb * b
      const green = gr * r + gg * g + gb * b
      const blue = br * r + bg * g + bb * b
      const peak = Math.max(red, green, blue)
      const factor = peak > knee ? compressHighlights(peak) / peak : 1
      to[at] = encodeSrgb(red * factor)
      to[at + 1] = encodeSrgb(green * factor)
      to[at + 2] = encodeSrgb(blue * factor)
      if (channels === 4) to[at + 3] = (from[at + 3] ?? 65_535) >> 8
    }
  }
}

/**
 * Compresses light above the knee with a Möbius transformation, like ffmpeg's `tonemap`: the peak becomes 1, and the
 * slope is continuous at the knee.
 */
function compressHighlights(linearLight: number): number {
  const peak = peakNits / whiteNits
  const a = (-(knee ** 2) * (peak - 1)) / (knee ** 2 - 2 * knee + peak)
  const b = (knee ** 2 - 2 * knee * peak + peak) / (peak - 1)
  return (((b + knee) ** 2 / (b - a)) * (linearLight + a)) / (linearLight + b)
}

/** Creates a lookup table from light of 0 to 1 to 8-bit sRGB. */
function createSrgbTable(): Uint8Array {
  const steps = 16_384
  return Uint8Array.from({ length: steps }, (_, at) => {
    const linearLight = at / (steps - 1)
    return Math.round(
      255 * (linearLight <= 0.0031308 ? 12.92 * linearLight : 1.055 * linearLight ** (1 / 2.4) - 0.055),
    )
  })
}

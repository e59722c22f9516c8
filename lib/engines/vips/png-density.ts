import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { readPngHead } from './png-head.ts'

const metersPerInch = 0.0254

/**
 * Overwrites the density of a PNG written by libvips (PNG, third edition, 11.3.4.3). For images without a density,
 * libvips writes 25.4 dpi, which makes them poster-sized in Word and PDF.
 */
export async function setPngDensity(path: string, pixelsPerInch: number): Promise<void> {
  const oldChunk = (await readPngHead(path)).get('pHYs')
  if (!oldChunk) return
  const pixelsPerMeter = Math.round(pixelsPerInch / metersPerInch)
  const chunk = Buffer.alloc(4 + 9 + 4)
  chunk.write('pHYs', 'latin1')
  chunk.writeUInt32BE(pixelsPerMeter, 4)
  chunk.writeUInt32BE(pixelsPerMeter, 8)
  chunk.writeUInt8(1, 12)
  chunk.writeUInt32BE(crc32(chunk.subarray(0, 13)), 13)
  await using file = await open(path, 'r+')
  // The head was read from the start of the file into its own buffer, so its byteOffset is the file offset.
  await file.write(chunk, 0, chunk.length, oldChunk.byteOffset - 4)
}

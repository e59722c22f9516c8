import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { headOfPng } from './png-head.ts'

const metersPerInch = 0.0254

/**
 * Lets a PNG of libvips say how large it is on paper: of a picture that tells nothing of it libvips says 25.4 dots per
 * inch, by which Word and PDFs show it the size of a poster. PNG (third edition) 11.3.4.3.
 */
export async function tellDensity(path: string, perInch: number): Promise<void> {
  const told = (await headOfPng(path)).get('pHYs')
  if (!told) return
  const perMeter = Math.round(perInch / metersPerInch)
  const chunk = Buffer.alloc(4 + 9 + 4)
  chunk.write('pHYs', 'latin1')
  chunk.writeUInt32BE(perMeter, 4)
  chunk.writeUInt32BE(perMeter, 8)
  chunk.writeUInt8(1, 12)
  chunk.writeUInt32BE(crc32(chunk.subarray(0, 13)), 13)
  await using file = await open(path, 'r+')
  // The head was read into memory of its own, so that its offset there is that in the file.
  await file.write(chunk, 0, chunk.length, told.byteOffset - 4)
}

import { open } from 'node:fs/promises'

/** Density in the JFIF segment of a JPEG (JFIF 1.02, page 5). */

const hasJfif = (bytes: Buffer): boolean => bytes.toString('latin1', 6, 10) === 'JFIF'

const headBytes = 14

/** Whether a JPEG declares dots per centimeter, which some programs ignore. */
export async function isDensityInCentimeters(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  return hasJfif(buffer) && buffer[13] === 2
}

/** Returns a JPEG with another density, in whole pixels per inch from 1 to 65,535. */
export function replaceJfifDensity(bytes: Buffer, pixelsPerInch: number): Buffer {
  const segment = Buffer.from('ffe000104a46494600010201000000000000', 'hex')
  segment.writeUInt16BE(pixelsPerInch, 12)
  segment.writeUInt16BE(pixelsPerInch, 14)
  const rest = bytes.subarray(hasJfif(bytes) ? 4 + bytes.readUInt16BE(4) : 2)
  return Buffer.concat([bytes.subarray(0, 2), segment, rest])
}

import { readFile } from 'node:fs/promises'
import type { FormatId } from '../../../lib/formats/index.ts'

interface Size {
  readonly width: number
  readonly height: number
}

type Reader = (bytes: Buffer) => Size

const be16 =
  (width: number, height: number): Reader =>
  (bytes) => ({ width: bytes.readUInt16BE(width), height: bytes.readUInt16BE(height) })
const be32 =
  (width: number, height: number): Reader =>
  (bytes) => ({ width: bytes.readUInt32BE(width), height: bytes.readUInt32BE(height) })
const le32 =
  (width: number, height: number): Reader =>
  (bytes) => ({ width: bytes.readUInt32LE(width), height: bytes.readUInt32LE(height) })
const le16 =
  (width: number, height: number): Reader =>
  (bytes) => ({ width: bytes.readUInt16LE(width), height: bytes.readUInt16LE(height) })
const words =
  (pattern: RegExp, firstGroup = 1, secondGroup = 2): Reader =>
  (bytes) => {
    const foundGroups = pattern.exec(bytes.toString('latin1', 0, 4096)) ?? []
    return { width: Number(foundGroups[firstGroup]), height: Number(foundGroups[secondGroup]) }
  }

/** PCX: the header has the last column and row, zero-based. */
function pcx(bytes: Buffer): Size {
  return {
    width: bytes.readUInt16LE(8) - bytes.readUInt16LE(4) + 1,
    height: bytes.readUInt16LE(10) - bytes.readUInt16LE(6) + 1,
  }
}

/** JPEG XR: the header is a directory as in TIFF, with other tags for width and height. */
function jxr(bytes: Buffer): Size {
  const at = bytes.readUInt32LE(4)
  const tags = new Map(
    Array.from({ length: bytes.readUInt16LE(at) }, (_, index) => {
      const entry = at + 2 + index * 12
      return [bytes.readUInt16LE(entry), bytes.readUInt32LE(entry + 8)] as const
    }),
  )
  return { width: tags.get(0xbc80) ?? 0, height: tags.get(0xbc81) ?? 0 }
}

/** ICNS: returns the size of the largest image, which its four-character type determines. */
function icns(bytes: Buffer): Size {
  const sides: Record<string, number> = {
    is32: 16,
    il32: 32,
    ih32: 48,
    it32: 128,
    ic08: 256,
    ic09: 512,
    ic10: 1024,
  }
  let largestArea = 0
  for (let at = 8; at + 8 <= bytes.length; at += Math.max(8, bytes.readUInt32BE(at + 4))) {
    largestArea = Math.max(largestArea, sides[bytes.toString('latin1', at, at + 4)] ?? 0)
  }
  return { width: largestArea, height: largestArea }
}

function djvu(bytes: Buffer): Size {
  const at = bytes.indexOf('INFO', 0, 'latin1')
  return be16(at + 8, at + 10)(bytes)
}

/** WBMP: width and height are variable-length integers with seven bits per byte. */
function wbmp(bytes: Buffer): Size {
  let at = 2
  const nextToken = () => {
    let value = 0
    for (;;) {
      const byte = bytes.readUInt8(at++)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
  }
  return { width: nextToken(), height: nextToken() }
}

const readers: Partial<Record<FormatId, Reader>> = {
  aai: le32(0, 4),
  art: le16(2, 6),
  avs: be32(0, 4),
  cal: words(/rpelcnt:\s*0*(\d+),0*(\d+)/),
  cur: (bytes) => ({ width: bytes[6] || 256, height: bytes[7] || 256 }),
  dcx: (bytes) => pcx(bytes.subarray(bytes.readUInt32LE(4))),
  djvu,
  fits: words(/NAXIS1\s*=\s*(\d+)[\s\S]*NAXIS2\s*=\s*(\d+)/),
  icns,
  jbig: be32(4, 8),
  jng: be32(16, 20),
  jxr,
  otb: (bytes) => ({ width: bytes.readUInt8(1), height: bytes.readUInt8(2) }),
  palm: be16(0, 2),
  psb: be32(18, 14),
  sixel: words(/"1;1;(\d+);(\d+)/),
  vicar: words(/ NL=(\d+) NS=(\d+)/, 2, 1),
  viff: be32(520, 524),
  wbmp,
}

/** Returns the image size in the header, for formats that no other reader here supports. */
export async function readSizeInHeader(path: string, format: FormatId): Promise<Size | undefined> {
  const reader = readers[format]
  return reader?.(await readFile(path))
}

const headerBytes = 54

interface RgbPixels {
  readonly width: number
  readonly height: number
  /** Rows from top to bottom, three bytes per pixel: red, green, blue. */
  readonly data: Buffer
  /** Pixels per inch, if known. */
  readonly density?: number | undefined
}

/** Encodes a 24-bit Windows bitmap: rows bottom-up in BGR order, each padded to a multiple of four bytes. */
export function encodeBitmap({ width, height, data, density = 0 }: RgbPixels): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(headerBytes + rowBytes * height)
  file.write('BM', 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(headerBytes, 10)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  file.writeUInt32LE(rowBytes * height, 34)
  const pixelsPerMeter = Math.round(density / 0.0254)
  file.writeInt32LE(pixelsPerMeter, 38)
  file.writeInt32LE(pixelsPerMeter, 42)
  for (let y = 0; y < height; y++) {
    const row = headerBytes + rowBytes * (height - 1 - y)
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 3
      file.writeUInt8(data.readUInt8(from + 2), row + x * 3)
      file.writeUInt8(data.readUInt8(from + 1), row + x * 3 + 1)
      file.writeUInt8(data.readUInt8(from), row + x * 3 + 2)
    }
  }
  return file
}

import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { maxSidePx } from '../../formats/image-limits.ts'
import { createFeatureError } from '../unsupported-feature.ts'

/**
 * Reads FITS 4.0, which contains measurements. ImageMagick 6.9.11 reads only a single plane of integers correctly:
 * several float planes come out black, and one NaN turns the whole image black.
 */
const blockBytes = 2880
const cardBytes = 80
/** Maximum number of header blocks that are read for one header and data unit (HDU). */
const maxHeaderBlocks = 200
/** Maximum number of header and data units that are read. */
const maxUnits = 100
/** Maximum number of axes (section 4.4.1.1); an untrusted header may state any number. */
const maxAxes = 999

interface HeaderDataUnit {
  readonly cards: ReadonlyMap<string, string>
  readonly dataStart: number
  readonly dataBytes: number
}

interface ImagePlanes {
  readonly width: number
  readonly height: number
  readonly count: number
  readonly start: number
  readonly bytes: number
  readonly measure: (row: DataView, at: number) => number
}

interface FitsImage {
  /** Whether the image has three planes, for red, green and blue. */
  readonly isColored: boolean
  /** Number of planes that were left out. */
  readonly droppedPlaneCount: number
}

/**
 * Writes the first image as a 16-bit PGM or PPM, scaled from minimum as black to maximum as white.
 * @returns undefined if the file has no image.
 * @throws AppError UNSUPPORTED_FORMAT if the image is compressed in a table, CORRUPT_FILE if the file is truncated.
 */
export async function writeFitsImage(sourcePath: string, targetPath: string): Promise<FitsImage | undefined> {
  await using file = await open(sourcePath)
  const units = await readUnits(file)
  const images = units.flatMap((unit) => toImagePlanes(unit) ?? [])
  const [firstImage] = images
  if (!firstImage) {
    if (units.some(({ cards }) => cards.get('ZIMAGE') === 'T'))
      throw createFeatureError('fits', 'a compressed image')
    return undefined
  }
  const planeCount = firstImage.count === 3 ? 3 : 1
  const range = await measureRange(file, firstImage, planeCount)
  await using result = await open(targetPath, 'w')
  await result.write(`P${planeCount === 3 ? 6 : 5}\n${firstImage.width} ${firstImage.height}\n65535\n`)
  // FITS stores the bottom row first.
  for (let y = firstImage.height - 1; y >= 0; y--) {
    const row = new DataView(new ArrayBuffer(firstImage.width * planeCount * 2))
    for (let plane = 0; plane < planeCount; plane++) {
      const values = await readRow(file, firstImage, plane, y)
      for (let x = 0; x < firstImage.width; x++) {
        row.setUint16((x * planeCount + plane) * 2, scaleTo16Bits(firstImage.measure(values, x), range))
      }
    }
    await result.write(row)
  }
  const count = images.reduce((sum, image) => sum + image.count, 0)
  return { isColored: planeCount === 3, droppedPlaneCount: count - planeCount }
}

async function readUnits(file: FileHandle): Promise<HeaderDataUnit[]> {
  const units: HeaderDataUnit[] = []
  for (let at = 0; units.length < maxUnits; ) {
    const unit = await readUnit(file, at)
    if (!unit) break
    units.push(unit)
    // After a unit with an invalid size, the next unit cannot be found.
    if (!(unit.dataBytes >= 0 && Number.isSafeInteger(unit.dataBytes))) break
    at = unit.dataStart + Math.ceil(unit.dataBytes / blockBytes) * blockBytes
  }
  return units
}

/** Reads cards of 80 characters, ended by END and padded to whole blocks (section 3.3.2). */
async function readUnit(file: FileHandle, start: number): Promise<HeaderDataUnit | undefined> {
  const cards = new Map<string, string>()
  for (let block = 0; block < maxHeaderBlocks; block++) {
    const at = start + block * blockBytes
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, at)
    if (bytesRead < blockBytes) return undefined
    for (let offset = 0; offset < blockBytes; offset += cardBytes) {
      const card = buffer.toString('latin1', offset, offset + cardBytes)
      if (card.startsWith('END '))
        return { cards, dataStart: at + blockBytes, dataBytes: countDataBytes(cards) }
      const [, name, value] = /^([A-Z0-9_-]{1,8}) *= *('[^']*'|[^/ ]+)/.exec(card) ?? []
      if (name !== undefined && value !== undefined) cards.set(name, value.replace(/^'|(?<! ) *'$/g, ''))
    }
  }
  return undefined
}

const readNumber = (cards: HeaderDataUnit['cards'], name: string, fallback = 0) =>
  Number((cards.get(name) ?? fallback).toString().replace('D', 'E'))

const readSides = (cards: HeaderDataUnit['cards']) =>
  Array.from({ length: Math.min(readNumber(cards, 'NAXIS'), maxAxes) }, (_, axis) =>
    readNumber(cards, `NAXIS${axis + 1}`),
  )

/** Returns the length of the data (FITS 4.0, section 4.4.1.2). */
function countDataBytes(cards: HeaderDataUnit['cards']): number {
  const sides = readSides(cards)
  const valueCount = sides.length === 0 ? 0 : sides.reduce((product, side) => product * side, 1)
  const bytesPerValue = Math.abs(readNumber(cards, 'BITPIX')) / 8
  return bytesPerValue * readNumber(cards, 'GCOUNT', 1) * (readNumber(cards, 'PCOUNT') + valueCount)
}

function toImagePlanes({ cards, dataStart }: HeaderDataUnit): ImagePlanes | undefined {
  const [width = 0, height = 0, ...otherSides] = readSides(cards)
  const reader = readers[readNumber(cards, 'BITPIX')]
  const count = otherSides.reduce((product, side) => product * side, 1)
  const isImage = ['IMAGE', undefined].includes(cards.get('XTENSION')) && width > 0 && height > 0 && count > 0
  if (!isImage || !reader || width > maxSidePx || height > maxSidePx) return undefined
  const [scale, zeroOffset] = [readNumber(cards, 'BSCALE', 1), readNumber(cards, 'BZERO')]
  const blankValue = readNumber(cards, 'BLANK', Number.NaN)
  const measure = (row: DataView, at: number) => {
    const value = reader.read(row, at * reader.bytes)
    return value === blankValue ? Number.NaN : zeroOffset + scale * value
  }
  return { width, height, count, start: dataStart, bytes: reader.bytes, measure }
}

/** Readers by `BITPIX` (sections 5.2 and 5.3). */
const readers: Readonly<
  Partial<Record<number, { readonly bytes: number; readonly read: (row: DataView, at: number) => number }>>
> = {
  8: { bytes: 1, read: (row, at) => row.getUint8(at) },
  16: { bytes: 2, read: (row, at) => row.getInt16(at) },
  32: { bytes: 4, read: (row, at) => row.getInt32(at) },
  64: { bytes: 8, read: (row, at) => Number(row.getBigInt64(at)) },
  [-32]: { bytes: 4, read: (row, at) => row.getFloat32(at) },
  [-64]: { bytes: 8, read: (row, at) => row.getFloat64(at) },
}

async function readRow(file: FileHandle, planes: ImagePlanes, plane: number, y: number): Promise<DataView> {
  const bytes = planes.width * planes.bytes
  const at = planes.start + (plane * planes.height + y) * bytes
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
  if (bytesRead < bytes) {
    throw new AppError('CORRUPT_FILE', 'The fits image is damaged or incomplete.', { format: 'fits' })
  }
  return new DataView(buffer.buffer, buffer.byteOffset, bytes)
}

interface ValueRange {
  readonly min: number
  readonly max: number
}

async function measureRange(file: FileHandle, image: ImagePlanes, planeCount: number): Promise<ValueRange> {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < planeCount * image.height; row++) {
    const values = await readRow(file, image, 0, row)
    for (let x = 0; x < image.width; x++) {
      const value = image.measure(values, x)
      if (!Number.isFinite(value)) continue
      if (value < min) min = value
      if (value > max) max = value
    }
  }
  return { min, max }
}

/** Scales a value to 16 bits; missing values become black. */
function scaleTo16Bits(value: number, { min, max }: ValueRange): number {
  if (value === Number.POSITIVE_INFINITY) return 65_535
  if (!Number.isFinite(value) || max <= min) return 0
  return Math.round(((value - min) / (max - min)) * 65_535)
}

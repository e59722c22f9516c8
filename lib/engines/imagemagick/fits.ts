import { type FileHandle, open } from 'node:fs/promises'
import { AppError } from '../../errors.ts'
import { unsupportedFeatureError } from '../unsupported-feature.ts'
import { maxSide } from './limits.ts'

/**
 * FITS 4.0: values of a measurement, which ImageMagick reads only as far as one plane of whole numbers goes (6.9.11):
 * of several planes with fractions it makes black ones, and one value that is none makes the picture black.
 */
const blockBytes = 2880
const cardBytes = 80
/** Headers and units of a file that are looked at. */
const maxHeaderBlocks = 200
const maxUnits = 100
/** 4.4.1.1; a header may claim any number. */
const maxAxes = 999

interface Unit {
  readonly cards: ReadonlyMap<string, string>
  readonly dataStart: number
  readonly dataBytes: number
}

interface Planes {
  readonly width: number
  readonly height: number
  readonly count: number
  readonly start: number
  readonly bytes: number
  readonly measure: (row: DataView, at: number) => number
}

interface Picture {
  /** Whether three planes are the red, green and blue of one picture; `dropped` planes are not in it. */
  readonly isColored: boolean
  readonly dropped: number
}

/**
 * Writes the first picture as PGM or PPM of 16 bits, its range as black to white.
 * @returns undefined where there is none.
 * @throws AppError UNSUPPORTED_FORMAT where it lies compressed in a table, CORRUPT_FILE where the file ends within it.
 */
export async function fitsPicture(source: string, target: string): Promise<Picture | undefined> {
  await using file = await open(source)
  const units = await unitsOf(file)
  const pictures = units.flatMap((unit) => planesOf(unit) ?? [])
  const [first] = pictures
  if (!first) {
    if (units.some(({ cards }) => cards.get('ZIMAGE') === 'T'))
      throw unsupportedFeatureError('fits', 'a compressed picture')
    return undefined
  }
  const planes = first.count === 3 ? 3 : 1
  const range = await rangeOf(file, first, planes)
  await using result = await open(target, 'w')
  await result.write(`P${planes === 3 ? 6 : 5}\n${first.width} ${first.height}\n65535\n`)
  // The first row is the lowest.
  for (let y = first.height - 1; y >= 0; y--) {
    const row = new DataView(new ArrayBuffer(first.width * planes * 2))
    for (let plane = 0; plane < planes; plane++) {
      const values = await rowOf(file, first, plane, y)
      for (let x = 0; x < first.width; x++) {
        row.setUint16((x * planes + plane) * 2, shadeOf(first.measure(values, x), range))
      }
    }
    await result.write(row)
  }
  const count = pictures.reduce((sum, picture) => sum + picture.count, 0)
  return { isColored: planes === 3, dropped: count - planes }
}

async function unitsOf(file: FileHandle): Promise<Unit[]> {
  const units: Unit[] = []
  for (let at = 0; units.length < maxUnits; ) {
    const unit = await unitAt(file, at)
    if (!unit) break
    units.push(unit)
    // Nothing can follow one of no size that there is.
    if (!(unit.dataBytes >= 0 && Number.isSafeInteger(unit.dataBytes))) break
    at = unit.dataStart + Math.ceil(unit.dataBytes / blockBytes) * blockBytes
  }
  return units
}

/** 3.3.2: cards of 80 letters, the last of them END, filled up to whole blocks. */
async function unitAt(file: FileHandle, start: number): Promise<Unit | undefined> {
  const cards = new Map<string, string>()
  for (let block = 0; block < maxHeaderBlocks; block++) {
    const at = start + block * blockBytes
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, at)
    if (bytesRead < blockBytes) return undefined
    for (let offset = 0; offset < blockBytes; offset += cardBytes) {
      const card = buffer.toString('latin1', offset, offset + cardBytes)
      if (card.startsWith('END ')) return { cards, dataStart: at + blockBytes, dataBytes: dataBytesOf(cards) }
      const [, name, value] = /^([A-Z0-9_-]{1,8}) *= *('[^']*'|[^/ ]+)/.exec(card) ?? []
      if (name !== undefined && value !== undefined) cards.set(name, value.replace(/^'| *'$/g, ''))
    }
  }
  return undefined
}

const numberOf = (cards: Unit['cards'], name: string, missing = 0) =>
  Number((cards.get(name) ?? missing).toString().replace('D', 'E'))

const sidesOf = (cards: Unit['cards']) =>
  Array.from({ length: Math.min(numberOf(cards, 'NAXIS'), maxAxes) }, (_, axis) =>
    numberOf(cards, `NAXIS${axis + 1}`),
  )

/** 4.4.1.2 */
function dataBytesOf(cards: Unit['cards']): number {
  const sides = sidesOf(cards)
  const values = sides.length === 0 ? 0 : sides.reduce((product, side) => product * side, 1)
  const each = Math.abs(numberOf(cards, 'BITPIX')) / 8
  return each * numberOf(cards, 'GCOUNT', 1) * (numberOf(cards, 'PCOUNT') + values)
}

function planesOf({ cards, dataStart }: Unit): Planes | undefined {
  const [width = 0, height = 0, ...more] = sidesOf(cards)
  const reader = readers[numberOf(cards, 'BITPIX')]
  const count = more.reduce((product, side) => product * side, 1)
  const isPicture =
    ['IMAGE', undefined].includes(cards.get('XTENSION')) && width > 0 && height > 0 && count > 0
  if (!isPicture || !reader || width > maxSide || height > maxSide) return undefined
  const [scale, zero] = [numberOf(cards, 'BSCALE', 1), numberOf(cards, 'BZERO')]
  const blank = numberOf(cards, 'BLANK', Number.NaN)
  const measure = (row: DataView, at: number) => {
    const value = reader.read(row, at * reader.bytes)
    return value === blank ? Number.NaN : zero + scale * value
  }
  return { width, height, count, start: dataStart, bytes: reader.bytes, measure }
}

/** 5.2 and 5.3, by `BITPIX`. */
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

async function rowOf(file: FileHandle, planes: Planes, plane: number, y: number): Promise<DataView> {
  const bytes = planes.width * planes.bytes
  const at = planes.start + (plane * planes.height + y) * bytes
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at)
  if (bytesRead < bytes) {
    throw new AppError('CORRUPT_FILE', 'The fits image is damaged or incomplete.', { format: 'fits' })
  }
  return new DataView(buffer.buffer, buffer.byteOffset, bytes)
}

interface Range {
  readonly least: number
  readonly most: number
}

async function rangeOf(file: FileHandle, picture: Planes, planes: number): Promise<Range> {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < planes * picture.height; row++) {
    const values = await rowOf(file, picture, 0, row)
    for (let x = 0; x < picture.width; x++) {
      const value = picture.measure(values, x)
      if (!Number.isFinite(value)) continue
      if (value < least) least = value
      if (value > most) most = value
    }
  }
  return { least, most }
}

/** What was not measured is black. */
function shadeOf(value: number, { least, most }: Range): number {
  if (value === Number.POSITIVE_INFINITY) return 65_535
  if (!Number.isFinite(value) || most <= least) return 0
  return Math.round(((value - least) / (most - least)) * 65_535)
}

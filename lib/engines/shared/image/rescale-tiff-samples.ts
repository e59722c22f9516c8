import { type FileHandle, open } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { decodeAscii, view } from '../../../formats/detect/byte-source.ts'
import type { InputFile, Tools } from '../../engine.ts'
import { maxPixels } from '../../vips/limits.ts'
import { chooseTonalRange, SampleCollector, scaleSample, type TonalRange } from './sample-range.ts'
import { readTiffPages, shortType, type TiffFields } from './tiff-fields.ts'

/** Rows per strip, so that a large image is not loaded at once. */
const rowsPerStrip = 16

/** Tags of TIFF 6.0, and GDAL's "no data" tag. */
const tags = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  photometric: 262,
  stripOffsets: 273,
  samplesPerPixel: 277,
  stripByteCounts: 279,
  planarConfig: 284,
  extraSamples: 338,
  sampleFormat: 339,
  gdalNoData: 42_113,
} as const

const separatePlanes = 2
/** Color planes by photometric interpretation: 0 and 1 are gray, 2 is RGB, 5 is CMYK. Others are not rescaled. */
const colorCountByPhotometric: Readonly<Partial<Record<number, number>>> = { 0: 1, 1: 1, 2: 3, 5: 4 }

interface SampleReader {
  readonly bytes: number
  readonly read: (data: DataView, at: number, isLittleEndian: boolean) => number
  /** Maximum value of the type, which means opaque in an alpha plane. */
  readonly maxValue: number
}

/** Sample types other than unsigned 8 and 16 bits, by `SampleFormat` and bits per sample. */
const readers: Readonly<Partial<Record<string, SampleReader>>> = {
  '1 32': {
    bytes: 4,
    read: (data, at, isLittleEndian) => data.getUint32(at, isLittleEndian),
    maxValue: 2 ** 32 - 1,
  },
  '1 64': {
    bytes: 8,
    read: (data, at, isLittleEndian) => Number(data.getBigUint64(at, isLittleEndian)),
    maxValue: 2 ** 64,
  },
  '2 8': { bytes: 1, read: (data, at) => data.getInt8(at), maxValue: 127 },
  '2 16': {
    bytes: 2,
    read: (data, at, isLittleEndian) => data.getInt16(at, isLittleEndian),
    maxValue: 32_767,
  },
  '2 32': {
    bytes: 4,
    read: (data, at, isLittleEndian) => data.getInt32(at, isLittleEndian),
    maxValue: 2 ** 31 - 1,
  },
  '2 64': {
    bytes: 8,
    read: (data, at, isLittleEndian) => Number(data.getBigInt64(at, isLittleEndian)),
    maxValue: 2 ** 63,
  },
  '3 16': {
    bytes: 2,
    read: (data, at, isLittleEndian) => decodeHalfFloat(data.getUint16(at, isLittleEndian)),
    maxValue: 1,
  },
  '3 32': { bytes: 4, read: (data, at, isLittleEndian) => data.getFloat32(at, isLittleEndian), maxValue: 1 },
  '3 64': { bytes: 8, read: (data, at, isLittleEndian) => data.getFloat64(at, isLittleEndian), maxValue: 1 },
}

/** Decodes an IEEE 754 half-precision float: a sign, five exponent bits, ten fraction bits. */
function decodeHalfFloat(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const magnitude =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >= 0x8000 ? -magnitude : magnitude
}

/** Values that maps conventionally use for "no data". */
const noDataValues: readonly number[] = [-9999, -32_767, -32_768]

interface Page {
  readonly fields: TiffFields
  readonly reader: SampleReader
  readonly isLittleEndian: boolean
  readonly planes: number
  readonly colors: number
  /** Index of the alpha plane, if any. */
  readonly alphaPlane: number | undefined
}

/**
 * Rescales float, signed and 32-bit samples of a TIFF to unsigned 16 bits, or to 8 bits if the samples have no more.
 * Image programs assume some fixed scale for such samples, which turns measurements black, gray or white.
 * @returns the file itself if it has no such samples.
 */
export async function rescaleTiffSamples(input: InputFile, tools: Tools): Promise<InputFile> {
  const { needsRescaling, noDataValue } = await inspectSamples(input.path)
  if (!needsRescaling) return input
  const path = join(tools.workDir, `${parse(input.path).name}-shades.tif`)
  await tools.exec('tiffcp', ['-c', 'none', '-s', '-r', String(rowsPerStrip), input.path, path])
  await using file = await open(path, 'r+')
  const pages = await readPages(file)
  const [range, alpha] = [new SampleCollector(), new SampleCollector()]
  for (const page of pages)
    for await (const { data, getPlane } of readStrips(file, page))
      for (let at = 0, index = 0; at < data.byteLength; at += page.reader.bytes, index++) {
        const value = page.reader.read(data, at, page.isLittleEndian)
        const plane = getPlane(index)
        if (plane === page.alphaPlane) alpha.add(value)
        else if (plane < page.colors && value !== noDataValue && !noDataValues.includes(value))
          range.add(value)
      }
  const isColored = pages.some(({ colors }) => colors > 1)
  const tonalRange = chooseTonalRange(range.stats(isColored), tools)
  const white = alpha.stats(false).max
  for (const page of pages) await rewritePage(file, page, tonalRange, Math.max(white, page.reader.maxValue))
  return { ...input, path }
}

/** Inspects the samples. An image that is too large is not rescaled, because the caller rejects it anyway. */
async function inspectSamples(
  path: string,
): Promise<{ needsRescaling: boolean; noDataValue: number | undefined }> {
  await using file = await open(path)
  const pages = await readPages(file)
  const isSmall = pages.every(
    ({ fields }) => getFirstValue(fields, 'width') * getFirstValue(fields, 'height') <= maxPixels,
  )
  const characters = pages[0]?.fields.get(tags.gdalNoData)?.values
  const declaredScale = characters && Number.parseFloat(String.fromCharCode(...characters))
  return { needsRescaling: isSmall && pages.length > 0, noDataValue: declaredScale }
}

const getFirstValue = (fields: TiffFields, tag: keyof typeof tags, fallback = 0) =>
  fields.get(tags[tag])?.values[0] ?? fallback

async function readPages(file: FileHandle): Promise<Page[]> {
  const isLittleEndian = decodeAscii((await file.read(Buffer.alloc(2), 0, 2, 0)).buffer) === 'II'
  const pages: Page[] = []
  for await (const fields of readTiffPages(file, Object.values(tags))) {
    const reader =
      readers[`${getFirstValue(fields, 'sampleFormat', 1)} ${getFirstValue(fields, 'bitsPerSample', 1)}`]
    const colorPlanes = colorCountByPhotometric[getFirstValue(fields, 'photometric', -1)]
    if (!reader || colorPlanes === undefined) continue
    const planes = getFirstValue(fields, 'samplesPerPixel', 1)
    // Three or more planes whose meaning is not declared are treated as RGB.
    const colors = colorPlanes === 1 && planes > 2 ? 3 : colorPlanes
    const extraSamples = fields.get(tags.extraSamples)?.values ?? []
    const hasAlpha = planes > colors && (extraSamples.some((kind) => kind > 0) || planes === colors + 1)
    pages.push({ fields, reader, isLittleEndian, planes, colors, alphaPlane: hasAlpha ? colors : undefined })
  }
  return pages
}

interface Strip {
  readonly at: number
  readonly data: DataView
  readonly getPlane: (index: number) => number
}

async function* readStrips(file: FileHandle, { fields, planes }: Page): AsyncGenerator<Strip> {
  const starts = fields.get(tags.stripOffsets)?.values ?? []
  const lengths = fields.get(tags.stripByteCounts)?.values ?? []
  const isPlanar = getFirstValue(fields, 'planarConfig', 1) === separatePlanes
  const stripsPerPlane = starts.length / planes
  for (const [index, at] of starts.entries()) {
    const length = lengths[index] ?? 0
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    const stripPlane = Math.floor(index / stripsPerPlane)
    const getPlane = isPlanar ? () => stripPlane : (sample: number) => sample % planes
    yield { at, data: view(buffer.subarray(0, bytesRead)), getPlane: getPlane }
  }
}

/** Overwrites the samples in place; the result is shorter than the original strip. */
async function rewritePage(
  file: FileHandle,
  page: Page,
  tonalRange: TonalRange,
  opaque: number,
): Promise<void> {
  const { fields, reader, isLittleEndian } = page
  const { bytes, read } = reader
  const isByte = bytes === 1
  for await (const { at, data, getPlane } of readStrips(file, page)) {
    const count = Math.floor(data.byteLength / bytes)
    const output = new DataView(new ArrayBuffer(isByte ? count : 2 * count))
    for (let index = 0; index < count; index++) {
      const value = read(data, index * bytes, isLittleEndian)
      const isAlpha = getPlane(index) === page.alphaPlane
      const scaledValue = scaleSample(value, isAlpha ? { black: 0, white: opaque } : tonalRange)
      if (isByte) output.setUint8(index, Math.round(scaledValue * 255))
      else output.setUint16(2 * index, Math.round(scaledValue * 65_535), isLittleEndian)
    }
    await file.write(output, 0, output.byteLength, at)
  }
  const lengths = fields.get(tags.stripByteCounts)?.values ?? []
  await writeValues(file, page, 'bitsPerSample', () => (isByte ? 8 : 16))
  await writeValues(file, page, 'sampleFormat', () => 1)
  await writeValues(
    file,
    page,
    'stripByteCounts',
    (index) => (lengths[index] ?? 0) / (isByte ? 1 : bytes / 2),
  )
}

async function writeValues(
  file: FileHandle,
  { fields, isLittleEndian }: Page,
  tag: keyof typeof tags,
  getNumber: (index: number) => number,
): Promise<void> {
  const field = fields.get(tags[tag])
  if (!field) return
  const { at, width, values } = field
  const data = new DataView(new ArrayBuffer(width * values.length))
  for (const index of values.keys()) {
    if (field.type === shortType) data.setUint16(index * width, getNumber(index), isLittleEndian)
    else if (width === 4) data.setUint32(index * width, getNumber(index), isLittleEndian)
    else data.setBigUint64(index * width, BigInt(getNumber(index)), isLittleEndian)
  }
  await file.write(data, 0, data.byteLength, at)
}

import { type FileHandle, open } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { ascii, view } from '../../formats/detect/source.ts'
import type { InputFile, Tools } from '../engine.ts'
import { maxPixels } from '../vips/limits.ts'
import { SampleRange, type Shades, shadesOf, shareOf } from './sample-range.ts'
import { type Fields, shortType, tiffPages } from './tiff-fields.ts'

/** Rows of a strip: all of a large picture would be gigabytes. */
const rowsAtATime = 16

/** Of TIFF 6.0, and one that programs for maps write. */
const tags = {
  width: 256,
  height: 257,
  bits: 258,
  meaning: 262,
  starts: 273,
  planes: 277,
  lengths: 279,
  layout: 284,
  extra: 338,
  format: 339,
  unmeasured: 42_113,
} as const

const isSeparate = 2
/** Numbers of colors by what the samples mean: gray, white for 0 and for most, light, inks. Others stay what they are. */
const colorsOf: Readonly<Partial<Record<number, number>>> = { 0: 1, 1: 1, 2: 3, 5: 4 }

interface Reader {
  readonly bytes: number
  readonly read: (data: DataView, at: number, little: boolean) => number
  /** Of whole numbers: what is white where a plane is transparency. */
  readonly end: number
}

/** What is no shade of 8 or 16 bits, by `SampleFormat` and bits. */
const readers: Readonly<Partial<Record<string, Reader>>> = {
  '1 32': { bytes: 4, read: (data, at, little) => data.getUint32(at, little), end: 2 ** 32 - 1 },
  '1 64': { bytes: 8, read: (data, at, little) => Number(data.getBigUint64(at, little)), end: 2 ** 64 },
  '2 8': { bytes: 1, read: (data, at) => data.getInt8(at), end: 127 },
  '2 16': { bytes: 2, read: (data, at, little) => data.getInt16(at, little), end: 32_767 },
  '2 32': { bytes: 4, read: (data, at, little) => data.getInt32(at, little), end: 2 ** 31 - 1 },
  '2 64': { bytes: 8, read: (data, at, little) => Number(data.getBigInt64(at, little)), end: 2 ** 63 },
  '3 16': { bytes: 2, read: (data, at, little) => half(data.getUint16(at, little)), end: 1 },
  '3 32': { bytes: 4, read: (data, at, little) => data.getFloat32(at, little), end: 1 },
  '3 64': { bytes: 8, read: (data, at, little) => data.getFloat64(at, little), end: 1 },
}

/** IEEE 754: a sign, five bits of exponent, ten of fraction. */
function half(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023]
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 31
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (1 + fraction / 1024) * 2 ** (exponent - 15)
  return bits >= 0x8000 ? -size : size
}

/** What maps have, by old habit, where nothing was measured. */
const holes: readonly number[] = [-9999, -32_767, -32_768]

interface Page {
  readonly fields: Fields
  readonly reader: Reader
  readonly little: boolean
  readonly planes: number
  readonly colors: number
  /** The plane of transparency, if there is one. */
  readonly clear: number | undefined
}

/**
 * A TIFF of fractions, of numbers with a sign or of 32 bits becomes one of shades of 16 bits, or 8 where it had no more;
 * programs take these numbers for shades of one scale or another, and make what was measured black, gray or white.
 * @returns the file itself where it has none.
 */
export async function tiffOfShades(input: InputFile, tools: Tools): Promise<InputFile> {
  const { hasMeasures, unmeasured } = await lookedInto(input.path)
  if (!hasMeasures) return input
  const path = join(tools.workDir, `${parse(input.path).name}-shades.tif`)
  await tools.exec('tiffcp', ['-c', 'none', '-s', '-r', String(rowsAtATime), input.path, path])
  await using file = await open(path, 'r+')
  const pages = await pagesOf(file)
  const [range, alpha] = [new SampleRange(), new SampleRange()]
  for (const page of pages)
    for await (const { data, planeOf } of strips(file, page))
      for (let at = 0, index = 0; at < data.byteLength; at += page.reader.bytes, index++) {
        const value = page.reader.read(data, at, page.little)
        const plane = planeOf(index)
        if (plane === page.clear) alpha.add(value)
        else if (plane < page.colors && value !== unmeasured && !holes.includes(value)) range.add(value)
      }
  const isColored = pages.some(({ colors }) => colors > 1)
  const shades = shadesOf(range.samples(isColored), tools)
  const white = alpha.samples(false).most
  for (const page of pages) await rewrite(file, page, shades, Math.max(white, page.reader.end))
  return { ...input, path }
}

/** Too large a picture is left to those who refuse it. */
async function lookedInto(path: string): Promise<{ hasMeasures: boolean; unmeasured: number | undefined }> {
  await using file = await open(path)
  const pages = await pagesOf(file)
  const isSmall = pages.every(({ fields }) => one(fields, 'width') * one(fields, 'height') <= maxPixels)
  const letters = pages[0]?.fields.get(tags.unmeasured)?.values
  const said = letters && Number.parseFloat(String.fromCharCode(...letters))
  return { hasMeasures: isSmall && pages.length > 0, unmeasured: said }
}

const one = (fields: Fields, tag: keyof typeof tags, usual = 0) => fields.get(tags[tag])?.values[0] ?? usual

async function pagesOf(file: FileHandle): Promise<Page[]> {
  const little = ascii((await file.read(Buffer.alloc(2), 0, 2, 0)).buffer) === 'II'
  const pages: Page[] = []
  for await (const fields of tiffPages(file, Object.values(tags))) {
    const reader = readers[`${one(fields, 'format', 1)} ${one(fields, 'bits', 1)}`]
    const named = colorsOf[one(fields, 'meaning', -1)]
    if (!reader || named === undefined) continue
    const planes = one(fields, 'planes', 1)
    // Planes without a meaning are shown as colors.
    const colors = named === 1 && planes > 2 ? 3 : named
    const extra = fields.get(tags.extra)?.values ?? []
    const hasClear = planes > colors && (extra.some((kind) => kind > 0) || planes === colors + 1)
    pages.push({ fields, reader, little, planes, colors, clear: hasClear ? colors : undefined })
  }
  return pages
}

interface Strip {
  readonly at: number
  readonly data: DataView
  readonly planeOf: (index: number) => number
}

async function* strips(file: FileHandle, { fields, planes }: Page): AsyncGenerator<Strip> {
  const starts = fields.get(tags.starts)?.values ?? []
  const lengths = fields.get(tags.lengths)?.values ?? []
  const isApart = one(fields, 'layout', 1) === isSeparate
  const each = starts.length / planes
  for (const [index, at] of starts.entries()) {
    const length = lengths[index] ?? 0
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at)
    const own = Math.floor(index / each)
    const planeOf = isApart ? () => own : (sample: number) => sample % planes
    yield { at, data: view(buffer.subarray(0, bytesRead)), planeOf }
  }
}

/** In its place, which it does not fill any more. */
async function rewrite(file: FileHandle, page: Page, shades: Shades, opaque: number): Promise<void> {
  const { fields, reader, little } = page
  const { bytes, read } = reader
  const isByte = bytes === 1
  for await (const { at, data, planeOf } of strips(file, page)) {
    const count = Math.floor(data.byteLength / bytes)
    const shadesHere = new DataView(new ArrayBuffer(isByte ? count : 2 * count))
    for (let index = 0; index < count; index++) {
      const value = read(data, index * bytes, little)
      const isClear = planeOf(index) === page.clear
      const share = shareOf(value, isClear ? { black: 0, white: opaque } : shades)
      if (isByte) shadesHere.setUint8(index, Math.round(share * 255))
      else shadesHere.setUint16(2 * index, Math.round(share * 65_535), little)
    }
    await file.write(shadesHere, 0, shadesHere.byteLength, at)
  }
  const lengths = fields.get(tags.lengths)?.values ?? []
  await writeValues(file, page, 'bits', () => (isByte ? 8 : 16))
  await writeValues(file, page, 'format', () => 1)
  await writeValues(file, page, 'lengths', (index) => (lengths[index] ?? 0) / (isByte ? 1 : bytes / 2))
}

async function writeValues(
  file: FileHandle,
  { fields, little }: Page,
  tag: keyof typeof tags,
  numberFor: (index: number) => number,
): Promise<void> {
  const field = fields.get(tags[tag])
  if (!field) return
  const { at, width, values } = field
  const data = new DataView(new ArrayBuffer(width * values.length))
  for (const index of values.keys()) {
    if (field.type === shortType) data.setUint16(index * width, numberFor(index), little)
    else if (width === 4) data.setUint32(index * width, numberFor(index), little)
    else data.setBigUint64(index * width, BigInt(numberFor(index)), little)
  }
  await file.write(data, 0, data.byteLength, at)
}

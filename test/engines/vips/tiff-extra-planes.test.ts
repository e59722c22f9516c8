import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('tiff-samples')

const [asciiType, shortType, longType] = [2, 3, 4]
const photometric = { gray: 1, rgb: 2, inks: 5 } as const

interface TiffSamples {
  readonly meaning: keyof typeof photometric
  /** Samples of each pixel. */
  readonly dots: readonly (readonly number[])[]
  readonly bits?: 8 | 16 | 32 | 64
  /** Sample type: unsigned for 8 bits by default, otherwise float. */
  readonly kind?: 'whole' | 'signed' | 'fractions'
  /** GDAL's "no data" value. */
  readonly noDataValue?: string
  /** Meaning of each extra plane; 0 is unspecified. */
  readonly extra?: readonly number[]
}

/** Builds a TIFF with one row: header, samples, values that do not fit in their tags, directory. */
function createTiff({
  meaning,
  dots,
  bits = 8,
  kind = bits === 8 ? 'whole' : 'fractions',
  ...otherArgs
}: TiffSamples): Buffer {
  const { extra = [], noDataValue = '' } = otherArgs
  const planes = dots[0]?.length ?? 0
  const samples = Buffer.alloc(dots.length * planes * (bits / 8))
  for (const [at, value] of dots.flat().entries()) {
    const byteOffset = at * (bits / 8)
    if (kind !== 'fractions') {
      const size = bits / 8
      if (kind === 'signed') samples.writeIntLE(value, byteOffset, size)
      else samples.writeUIntLE(value, byteOffset, size)
    } else if (bits === 16) samples.writeUInt16LE(encodeHalfFloat(value), byteOffset)
    else if (bits === 32) samples.writeFloatLE(value, byteOffset)
    else samples.writeDoubleLE(value, byteOffset)
  }
  const each = (value: number) => Array.from({ length: planes }, () => value)
  const tags: [tag: number, type: number, values: readonly number[]][] = [
    [256, longType, [dots.length]],
    [257, longType, [1]],
    [258, shortType, each(bits)],
    [259, shortType, [1]],
    [262, shortType, [photometric[meaning]]],
    [273, longType, [8]],
    [277, shortType, [planes]],
    [278, longType, [1]],
    [279, longType, [samples.length]],
    [338, shortType, extra],
    [339, shortType, each(['', 'whole', 'signed', 'fractions'].indexOf(kind))],
    [42_113, asciiType, noDataValue === '' ? [] : [...Buffer.from(`${noDataValue}\0`)]],
  ]
  const presentTags = tags.filter(([, , values]) => values.length > 0)
  const valuesOutsideDirectory: Buffer[] = []
  let end = 8 + samples.length
  const entries = presentTags.map(([tag, type, values]) => {
    const size = type === asciiType ? 1 : type === shortType ? 2 : 4
    const bytes = Buffer.alloc(Math.max(4, values.length * size))
    for (const [at, value] of values.entries()) bytes.writeUIntLE(value, at * size, size)
    const entry = Buffer.alloc(12)
    entry.writeUInt16LE(tag, 0)
    entry.writeUInt16LE(type, 2)
    entry.writeUInt32LE(values.length, 4)
    if (bytes.length === 4) bytes.copy(entry, 8)
    else {
      entry.writeUInt32LE(end, 8)
      valuesOutsideDirectory.push(bytes)
      end += bytes.length
    }
    return entry
  })
  const header = Buffer.from('II*\0\0\0\0\0', 'latin1')
  header.writeUInt32LE(end, 4)
  const count = Buffer.from([presentTags.length, 0])
  return Buffer.concat([header, samples, ...valuesOutsideDirectory, count, ...entries, Buffer.alloc(4)])
}

/** Encodes a non-negative half-precision float: five exponent bits, ten fraction bits. */
function encodeHalfFloat(value: number): number {
  if (value === 0) return 0
  const exponent = Math.floor(Math.log2(value))
  return ((exponent + 15) << 10) | Math.round((value / 2 ** exponent - 1) * 1024)
}

async function readSamples(
  samples: TiffSamples,
  engine = vips,
): Promise<{ dots: number[][]; warnings: readonly string[] }> {
  const source = join(folder, 'samples.tiff')
  await writeFile(source, createTiff(samples))
  const { path, warnings } = await convert(engine, source, 'png')
  const { data, info } = await sharp(path)
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const dots = samples.dots.map((_, at) => [...data.subarray(at * info.channels, (at + 1) * info.channels)])
  return { dots, warnings }
}

/** Compares pixels with a tolerance for rounding. */
const assertNear = (
  dots: readonly (readonly number[])[],
  expectedDots: readonly (readonly number[])[],
  caseName: string,
) =>
  assert.deepEqual(
    dots.map((dot) => dot.map((value) => Math.round(value / 8))),
    expectedDots.map((dot) => dot.map((value) => Math.round(value / 8))),
    caseName,
  )

describe('TIFF samples and planes', () => {
  for (const engine of [vips, imagemagick])
    for (const bits of [16, 32, 64] as const)
      for (const maxLevel of [1, 255] as const)
        if ((engine === imagemagick || bits < 64) && (bits > 16 || maxLevel === 1))
          test(`a TIFF with ${bits}-bit floats up to ${maxLevel} is scaled correctly by ${engine.id}`, async () => {
            const shades = [0, 0.25, 0.5, 1]
            const gray = { meaning: 'gray', bits, dots: shades.map((share) => [share * maxLevel]) } as const
            const grayDots = shades.map((share) => [share * 255, share * 255, share * 255])
            assertNear(
              (await readSamples(gray, engine)).dots.map((dot) => dot.slice(0, 3)),
              grayDots,
              'gray',
            )
            const dots = shades.map((share) => [share * maxLevel, maxLevel, 0])
            const coloredDots = shades.map((share) => [share * 255, 255, 0])
            assertNear(
              (await readSamples({ meaning: 'rgb', bits, dots }, engine)).dots,
              coloredDots,
              'colors',
            )
          })

  for (const engine of [vips, imagemagick])
    test(`a TIFF with extra planes keeps its first three planes and causes a warning, in ${engine.id}`, async () => {
      const dots = [
        [200, 40, 80, 10, 90, 120],
        [16, 240, 120, 250, 0, 30],
      ]
      const colors = dots.map((dot) => dot.slice(0, 3))
      for (const meaning of ['rgb', 'gray'] as const) {
        const extraValues = meaning === 'rgb' ? [0, 0, 0] : [0, 0, 0, 0, 0]
        const six = await readSamples({ meaning, dots, extra: extraValues }, engine)
        assertNear(six.dots, colors, meaning)
        assert.deepEqual(six.warnings, ['PLANES_DROPPED'], meaning)
      }
      const three = await readSamples({ meaning: 'gray', dots: colors, extra: [0, 0] }, engine)
      assertNear(three.dots, colors, 'three')
      assert.deepEqual(three.warnings, [])
      const clearSamples = await readSamples({ meaning: 'rgb', dots, extra: [2, 0, 0] }, engine)
      assertNear(
        clearSamples.dots,
        dots.map((dot) => dot.slice(0, 4)),
        'a named one is transparency',
      )
      assert.deepEqual(clearSamples.warnings, ['PLANES_DROPPED'])
    })

  test('a TIFF with a fifth ink is not transparent where that ink is faint', async () => {
    const dots = [[0, 0, 0, 0, 0]]
    const { dots: shownDots, warnings } = await readSamples({ meaning: 'inks', dots, extra: [0] })
    assertNear(shownDots, [[255, 255, 255]], 'white')
    assert.deepEqual(warnings, ['PLANES_DROPPED'])
    const inks = [
      [83, 11, 169, 173],
      [10, 200, 40, 20],
    ]
    const five = await readSamples({ meaning: 'inks', dots: inks.map((dot) => [...dot, 77]), extra: [0] })
    assertNear(five.dots, (await readSamples({ meaning: 'inks', dots: inks })).dots, 'the other four')
  })

  for (const planes of [3, 6])
    test(`a TIFF with ${planes} planes that declares more pixels than the limit is refused as too large`, async () => {
      const bytes = createTiff({ meaning: 'rgb', dots: [[1, 2, 3, 4, 5, 6].slice(0, planes)] })
      const directory = bytes.readUInt32LE(4)
      for (const at of [2, 14]) bytes.writeUInt32LE(100_000, directory + at + 8)
      const source = join(folder, 'claims.tiff')
      await writeFile(source, bytes)
      await assert.rejects(convert(vips, source, 'png'), { code: 'FILE_TOO_LARGE' })
    })

  test('a TIFF with floats in more than three planes keeps the first three', async () => {
    const planes = {
      meaning: 'gray',
      bits: 32,
      dots: [[0, 1, 0.5, 1, 0, 1]],
      extra: [0, 0, 0, 0, 0],
    } as const
    const { dots, warnings } = await readSamples(planes)
    assertNear(dots, [[0, 255, 128]], 'colors')
    assert.deepEqual(warnings, ['PLANES_DROPPED'])
  })

  for (const engine of [vips, imagemagick])
    test(`a TIFF of measurements is scaled from black to white with a warning, in ${engine.id}`, async () => {
      const createGray = (minValue: number, maxValue: number) =>
        [0, 0.25, 0.5, 1].map((share) => [minValue + share * (maxValue - minValue)])
      const shades = [0, 64, 128, 255].map((shade) => [shade, shade, shade])
      const samplesByName: readonly (readonly [string, TiffSamples])[] = [
        ['heights', { meaning: 'gray', bits: 32, dots: createGray(200, 2600) }],
        ['below the sea', { meaning: 'gray', bits: 64, dots: createGray(-400, 8848) }],
        ['halves', { meaning: 'gray', bits: 16, dots: createGray(0, 4) }],
        ['degrees', { meaning: 'gray', bits: 32, dots: createGray(-10, 40) }],
        [
          'heights of whole numbers',
          { meaning: 'gray', bits: 16, kind: 'signed', dots: createGray(-400, 2400) },
        ],
        ['differences', { meaning: 'gray', bits: 8, kind: 'signed', dots: createGray(-100, 100) }],
        ['counts', { meaning: 'gray', bits: 32, kind: 'whole', dots: createGray(0, 3200) }],
      ]
      for (const [caseName, samples] of samplesByName) {
        const { dots, warnings } = await readSamples(samples, engine)
        assertNear(
          dots.map((dot) => dot.slice(0, 3)),
          shades,
          caseName,
        )
        assert.deepEqual(warnings, ['VALUES_SCALED'], caseName)
      }
    })

  test('a TIFF of elevations ignores "no data" values and NaN', async () => {
    const heights = [[200], [1400], [2600]]
    const shades = [0, 128, 255, 0].map((shade) => [shade, shade, shade])
    for (const [missingPixel, noDataValue] of [
      [-1000, '-1000'],
      [-9999, ''],
      [-3.4e38, ''],
      [Number.NaN, ''],
    ] as const) {
      const dots = [...heights, [missingPixel]]
      const { dots: shownDots } = await readSamples({ meaning: 'gray', bits: 32, dots, noDataValue })
      assertNear(shownDots, shades, `${missingPixel}`)
    }
  })

  test('a TIFF with color floats causes a warning if its highlights are clipped or its values are scaled', async () => {
    const brightSamples = await readSamples({ meaning: 'rgb', bits: 32, dots: [[0.5, 0.25, 5]] })
    assertNear(brightSamples.dots, [[128, 64, 255]], 'lights')
    assert.deepEqual(brightSamples.warnings, ['HIGHLIGHTS_CLIPPED'])
    const samplesByName = await readSamples({ meaning: 'rgb', bits: 32, dots: [[1500, 750, 3000]] })
    assertNear(samplesByName.dots, [[128, 64, 255]], 'measured')
    assert.deepEqual(samplesByName.warnings, ['VALUES_SCALED'])
    const defaultSamples = await readSamples({ meaning: 'rgb', bits: 32, dots: [[0.5, 0.25, 1]] })
    assert.deepEqual(defaultSamples.warnings, [])
    const darkSamples = await readSamples({ meaning: 'rgb', bits: 16, kind: 'signed', dots: [[-1, 0, -1]] })
    assertNear(darkSamples.dots, [[0, 255, 0]], 'nothing above black')
    assert.deepEqual(darkSamples.warnings, ['VALUES_SCALED'])
  })

  test('a TIFF with floats and alpha keeps its transparency when its colors are scaled', async () => {
    const dots = [
      [1500, 750, 3000, 0.5],
      [3000, 0, 0, 1],
    ]
    const { dots: shownDots } = await readSamples({ meaning: 'rgb', bits: 32, dots, extra: [2] })
    const expectedDots = [
      [128, 64, 255, 128],
      [255, 0, 0, 255],
    ]
    assertNear(shownDots, expectedDots, 'clear')
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type * as z from 'zod'
import type { MediaInfo } from '../../../lib/engines/ffmpeg/probe.ts'
import { createVideoThumbnailRows } from '../../../lib/engines/ffmpeg/thumbnail.ts'
import { resolveTrim } from '../../../lib/engines/ffmpeg/trim.ts'
import { decimal, flag, integer, quality, toQualityNumber } from '../../../lib/engines/options.ts'
import {
  findConsecutiveRuns,
  formatPageRange,
  pageRange,
  resolvePages,
} from '../../../lib/engines/pdf/page-range.ts'
import {
  chooseJpegQuality,
  colorOption,
  colorSpace,
  getResizeBox,
  parseImageOptions,
  qualityScales,
  renderedColorSpace,
  renderedColorSpaceWithoutProfile,
} from '../../../lib/engines/shared/image/options.ts'
import {
  allowEnlargement,
  computeScale,
  createThumbnailRows,
  parseThumbnailBox,
} from '../../../lib/engines/shared/image/thumbnail-options.ts'
import {
  watermarkColor as markColor,
  normalizePosition,
  parseWatermarkOptions,
} from '../../../lib/engines/shared/image/watermark-options.ts'

/** Returns the parsed value; undefined if it is refused. */
const parse = (schema: z.ZodType, value: unknown) => schema.safeParse(value).data
const assertRefused = (schema: z.ZodType, ...values: unknown[]) => {
  for (const value of values) assert.equal(schema.safeParse(value).success, false, JSON.stringify(value))
}

describe('options sent by a form', () => {
  test('a numeric option that a form sends as text is parsed as a number', () => {
    assert.deepEqual(
      [parse(integer(1, 100), ' 7 '), parse(integer(-5, 5), '-5'), parse(decimal(0, 2), '0.5')],
      [7, -5, 0.5],
    )
    assert.deepEqual([parse(integer(1, 100), 1), parse(integer(1, 100), '100')], [1, 100])
    assertRefused(integer(1, 100), 0, '101', 1.5, '1.5', '', 'a', '1e1', '0x10', true)
    assertRefused(decimal(0, 2), 2.1, '-0.1', '.5', '1,5')
  })

  test('a boolean option that a form sends as text is accepted in common spellings', () => {
    assert.deepEqual(
      ['true', 'FALSE', true, false, 'yes', 'no', 'On', 'off', '1', '0'].map((value) => parse(flag(), value)),
      [true, false, true, false, true, false, true, false, true, false],
    )
    assertRefused(flag(), '2', 'maybe', 'y', 2)
  })

  test('a quality option is a number or a level, which the scale of the format translates to a number', () => {
    const scale = { low: 10, medium: 20, high: 30, highest: 40 }
    assert.deepEqual([parse(quality, '55'), parse(quality, 'low')], [55, 'low'])
    assertRefused(quality, 0, 101, 'best')
    assert.deepEqual(
      [toQualityNumber(55, scale), toQualityNumber('low', scale), toQualityNumber(undefined, scale)],
      [55, 10, 30],
    )
    for (const [format, { low, medium, high, highest }] of Object.entries(qualityScales)) {
      const words = [low, medium, high, highest]
      assert.deepEqual(
        words,
        words.toSorted((a, b) => a - b),
        format,
      )
      assert.ok(low >= 20 && highest <= 100 && low < highest, format)
    }
    assert.equal(chooseJpegQuality({ jpegQuality: 5, quality: 'low' }), 5)
    assert.equal(chooseJpegQuality({ quality: 'low' }), 'low')
  })
})

describe('image option values', () => {
  test('a color option accepts hexadecimal values and color names, and refuses other values', () => {
    for (const [value, expectedValue] of [
      ['#FF8800', '#ff8800'],
      ['ff8800', '#ff8800'],
      [' White ', '#ffffff'],
      ['gray', '#808080'],
      ['green', '#008000'],
    ])
      assert.equal(parse(colorOption, value), expectedValue)
    assertRefused(colorOption, '#fff', 'ff88000', 'pink', '##ff8800', '#ff8800;', 'toString', '')
    assert.deepEqual(
      ['ff8800', '#F80', 'f80', 'purple'].map((given) => parse(markColor, given)),
      ['#ff8800', '#F80', '#f80', 'purple'],
    )
    assertRefused(markColor, 'f8', '#ff88', 'pink', 'red;')
  })

  test('the color space option accepts common spellings', () => {
    for (const spelling of ['Adobe RGB', 'adobe_rgb', 'AdobeRGB1998', ' adobe-rgb '])
      assert.equal(parse(colorSpace, spelling), 'adobe-rgb')
    for (const spelling of ['grayscale', 'GREY', 'gray scale', 'greyscales'])
      assert.equal(parse(colorSpace, spelling), 'gray')
    assert.deepEqual(
      [parse(colorSpace, 'sRGB'), parse(colorSpace, undefined), parse(renderedColorSpace, undefined)],
      ['srgb', undefined, 'srgb'],
    )
    assertRefused(colorSpace, 'cmyk', 'graying', 7)
    assertRefused(renderedColorSpaceWithoutProfile, 'adobe-rgb')
    assert.equal(parse(renderedColorSpaceWithoutProfile, undefined), 'srgb')
  })

  test('the size options of an image define the box that the image is resized to', () => {
    const getBox = (options: object) => getResizeBox(parseImageOptions(options))
    assert.deepEqual(getBox({}), undefined)
    assert.deepEqual(getBox({ width: 5 }), { width: 5, height: undefined, fit: 'max' })
    assert.deepEqual(getBox({ height: '5', fit: 'crop' }), { width: undefined, height: 5, fit: 'crop' })
    assert.deepEqual(getBox({ downscale: 16, fit: 'scale' }), { width: 16, height: 16, fit: 'max' })
    assert.deepEqual(getBox({ downscale: 16, width: 5 }), { width: 5, height: undefined, fit: 'max' })
    assert.equal(parseImageOptions({ width: 30_000 }).width, 30_000)
    for (const wrongOptions of [
      { width: 0 },
      { height: 30_001 },
      { downscale: 15 },
      { fit: 'fill' },
      { rotate: 45 },
      { metadata: 'all' },
    ])
      assert.throws(() => parseImageOptions(wrongOptions), JSON.stringify(wrongOptions))
    assert.deepEqual(
      ['-90', 0, '270'].map((rotate) => parseImageOptions({ rotate }).rotate),
      [-90, 0, 270],
    )
    assert.deepEqual([parseImageOptions({}).fit, parseImageOptions({}).metadata], ['max', 'strip'])
  })
})

describe('thumbnail options', () => {
  test('a thumbnail fits a box of 256 pixels by default, and an omitted side follows from the aspect ratio', () => {
    assert.deepEqual(parseThumbnailBox({}), { width: 256, height: 256, fit: 'max' })
    assert.deepEqual(parseThumbnailBox({ fit: 'crop' }), { width: 256, height: 256, fit: 'crop' })
    assert.deepEqual(parseThumbnailBox({ width: 9 }), { width: 9, height: 8192, fit: 'max' })
    assert.deepEqual(parseThumbnailBox({ height: 9, fit: 'crop' }), { width: 8192, height: 9, fit: 'grow' })
    assert.deepEqual(parseThumbnailBox({ width: 8, height: 9, fit: 'scale' }), {
      width: 8,
      height: 9,
      fit: 'scale',
    })
    for (const wrongOptions of [{ width: 0 }, { height: 8193 }, { fit: 'grow' }])
      assert.throws(() => parseThumbnailBox(wrongOptions))
  })

  test('a thumbnail of a page or drawing is rendered at the scale that its size and fit options require', () => {
    const size = { width: 100, height: 50 }
    const scale = (fit: 'max' | 'grow' | 'crop' | 'scale') =>
      computeScale(size, { width: 200, height: 200, fit })
    assert.deepEqual([scale('max'), scale('grow'), scale('crop'), scale('scale')], [2, 2, 4, 4])
    assert.deepEqual(allowEnlargement({ width: 1, height: 1, fit: 'max' }).fit, 'grow')
    assert.deepEqual(allowEnlargement({ width: 1, height: 1, fit: 'crop' }).fit, 'crop')
  })

  test('the thumbnail options of a video include count and timestamp', () => {
    const [row] = createVideoThumbnailRows(['mp4'])
    assert.ok(row)
    const { shape } = row.options
    assert.partialDeepStrictEqual(parse(row.options, {}), { count: 1 })
    assert.partialDeepStrictEqual(parse(row.options, { count: '20' }), { count: 20 })
    assert.ok('timestamp' in shape && (row.cost ?? 0) > 0)
    assertRefused(row.options, { count: 21 }, { count: 0 })
  })

  test('each thumbnail format has its own list of options, with a quality option if the format supports it', () => {
    const rows = createThumbnailRows(['jpg'], {}, 0.5)
    assert.deepEqual(
      rows.map(({ operation, from, to, cost, same, options }) => [
        operation,
        from,
        to,
        cost,
        same,
        'quality' in options.shape,
      ]),
      [
        ['thumbnail', ['jpg'], ['png'], 0.5, true, false],
        ['thumbnail', ['jpg'], ['jpg'], 0.5, true, true],
        ['thumbnail', ['jpg'], ['webp'], 0.5, true, true],
      ],
    )
  })
})

describe('watermark options', () => {
  test('the watermarkPosition option accepts spellings that other services use', () => {
    for (const [givenValue, expectedValue] of [
      ['Top Left', 'top-left'],
      ['bottom_center', 'bottom'],
      ['top-center', 'top'],
      ['center-left', 'left'],
      ['middle right', 'right'],
      ['middle', 'center'],
      ['center center', 'center'],
      ['middle_center', 'center'],
      ['diagonal', 'diagonal'],
    ]) {
      assert.equal(normalizePosition(givenValue), expectedValue, givenValue)
      assert.equal(parseWatermarkOptions({ watermarkPosition: givenValue }).watermarkPosition, expectedValue)
    }
    assert.throws(() => parseWatermarkOptions({ watermarkPosition: 'left-bottom' }))
    assert.equal(normalizePosition(7), 7)
  })

  test('the watermark opacity accepts a fraction or a percentage', () => {
    const parseOpacity = (value: unknown) =>
      parseWatermarkOptions({ watermarkOpacity: value }).watermarkOpacity
    assert.deepEqual(
      [
        parseOpacity('30%'),
        parseOpacity(' 7.5 % '),
        parseOpacity('0.5'),
        parseOpacity(1),
        parseOpacity(undefined),
      ],
      [0.3, 0.075, 0.5, 1, 0.3],
    )
    for (const wrongScale of ['101%', '0%', 0, 1.1, '-5%', 'half'])
      assert.throws(() => parseOpacity(wrongScale), String(wrongScale))
  })

  test('a watermark requires visible text, and sizes and margins within their limits', () => {
    const { watermarkText, watermarkColor, watermarkScale } = parseWatermarkOptions({ watermarkText: 'ü 漢' })
    assert.deepEqual([watermarkText, watermarkColor, watermarkScale], ['ü 漢', '#808080', 40])
    assert.equal(parseWatermarkOptions({ watermarkText: 'a'.repeat(200) }).watermarkText?.length, 200)
    for (const text of ['', ' \t ', 'a'.repeat(201), 'a\0', 'a\x0b', '\u200b', '\uffff']) {
      assert.throws(() => parseWatermarkOptions({ watermarkText: text }), JSON.stringify(text))
    }
    for (const wrongOptions of [
      { watermarkFontSize: 3.9 },
      { watermarkFontSize: 501 },
      { watermarkScale: 0 },
      { watermarkScale: 101 },
      { watermarkMargin: -1 },
      { watermarkMargin: 1001 },
    ])
      assert.throws(() => parseWatermarkOptions(wrongOptions), JSON.stringify(wrongOptions))
    assert.equal(parseWatermarkOptions({ watermarkMargin: '0' }).watermarkMargin, 0)
  })
})

describe('page and time ranges', () => {
  const mediaOfDuration = (durationS: number | undefined) => ({ durationS }) as MediaInfo // Only this property is used.

  test('a part of a video is selected by a start and an end time', () => {
    assert.deepEqual(resolveTrim({}, mediaOfDuration(60)), { args: [], durationS: 60 })
    assert.deepEqual(resolveTrim({ start: 10, end: 15 }, mediaOfDuration(60)), {
      args: ['-ss', '10', '-t', '5'],
      durationS: 5,
    })
    assert.deepEqual(resolveTrim({ start: 10 }, mediaOfDuration(60)), { args: ['-ss', '10'], durationS: 50 })
    assert.deepEqual(resolveTrim({ end: 90 }, mediaOfDuration(60)), { args: ['-t', '90'], durationS: 60 })
    assert.deepEqual(resolveTrim({ end: 9 }, mediaOfDuration(undefined)), { args: ['-t', '9'], durationS: 9 })
    assert.deepEqual(resolveTrim({ start: 9 }, mediaOfDuration(undefined)), {
      args: ['-ss', '9'],
      durationS: undefined,
    })
    const endBeforeStart = { field: 'end', reason: 'end-before-start' }
    for (const [cutOptions, details] of [
      [{ start: 5, end: 5 }, endBeforeStart],
      [{ start: 6, end: 5 }, endBeforeStart],
      [{ start: 60 }, { field: 'start', reason: 'after-end', lengthS: 60 }],
    ] as const)
      assert.throws(() => resolveTrim(cutOptions, mediaOfDuration(60)), {
        code: 'INVALID_INPUT',
        details,
      })
  })

  test('pages of a document are selected in the order of the requested range', () => {
    assert.deepEqual(resolvePages(undefined, 3), [1, 2, 3])
    assert.deepEqual(resolvePages('3-1, 2 ,LAST,2', 4), [3, 2, 1, 2, 4, 2])
    assert.deepEqual(resolvePages('last-3', 4), [4, 3])
    for (const range of ['0', '5', '1-5'])
      assert.throws(() => resolvePages(range, 4), {
        details: { field: 'pages', reason: 'no-such-page', pages: 4 },
      })
    assert.equal(resolvePages('1-20000', 30_000).length, 20_000)
    assert.throws(() => resolvePages('1-20001', 30_000), /at most 20000 pages/)
    for (const range of ['1-5,10,15-last', ' 2 ', 'Last'])
      assert.ok(pageRange.safeParse(range).success, range)
    assertRefused(pageRange, '', '1-', ',1', '1,,2', '1-2-3', 'first', '1234567', '1;2', '1,'.repeat(1000))
    assert.equal(formatPageRange([7, 10, 2, 9, 3, 2, 1]), '1-3,7,9-10')
    assert.deepEqual(findConsecutiveRuns([1, 2, 3, 7, 6, 9]), [
      [1, 3],
      [7, 7],
      [6, 6],
      [9, 9],
    ])
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import type { Effort } from '../../../lib/engines/vips/compress-formats.ts'
import { compressToSize } from '../../../lib/engines/vips/compress-to-size.ts'
import { computeSvgDensity } from '../../../lib/engines/vips/image.ts'
import { toImageError } from '../../../lib/engines/vips/image-error.ts'
import { AppError } from '../../../lib/errors.ts'

describe('image target size', () => {
  /** Simulates an image whose size in bytes grows with quality and pixels. */
  async function simulateCompression(targetSize: number, maxEffort: number, fullSizeBytes = 1000) {
    const efforts: Effort[] = []
    const result = await compressToSize(targetSize, maxEffort, async (effort) => {
      efforts.push(effort)
      const size = Math.ceil((fullSizeBytes * effort.quality * effort.scale ** 2) / 100)
      return { path: `${effort.quality} ${effort.scale}`, size }
    })
    const [quality, scale] = result.path.split(' ').map(Number)
    return { efforts, quality, scale, size: result.size }
  }

  test('an image with a target size gets the best quality that fits, in at most seven attempts', async () => {
    for (const [targetSize, quality] of [
      [200, 20],
      [205, 20],
      [210, 21],
      [500, 50],
      [930, 93],
      [940, 94],
    ] as const) {
      const { efforts, ...made } = await simulateCompression(targetSize, 95)
      assert.ok(Math.abs((made.quality ?? 0) - quality) <= 1 && made.size <= targetSize, JSON.stringify(made))
      assert.ok(efforts.length <= 7, `${efforts.length} attempts`)
      assert.ok(efforts.every(({ scale }) => scale === 1))
    }
    const qualities = (await simulateCompression(500, 95)).efforts.map(({ quality }) => quality)
    assert.deepEqual(qualities, [20, 58, 39, 49, 54, 52, 51])
  })

  test('an image with a target size does not exceed the requested quality', async () => {
    const { efforts, quality } = await simulateCompression(900, 60)
    assert.deepEqual(
      [efforts.length, quality, Math.max(...efforts.map((effort) => effort.quality))],
      [6, 59, 59],
    )
    assert.deepEqual((await simulateCompression(900, 10)).efforts, [{ quality: 10, scale: 1 }])
  })

  test('an image with a target size is scaled down if no quality is low enough, but no more than needed', async () => {
    const { efforts, ...made } = await simulateCompression(100, 95)
    assert.ok(made.quality === 20 && made.size <= 100 && made.size > 85, JSON.stringify(made))
    assert.deepEqual(efforts[0], { quality: 20, scale: 1 })
    assert.equal(efforts.length, 2)
    // An image that is only slightly too large is scaled down by a tenth.
    assert.equal((await simulateCompression(199, 95)).scale, 0.9)
  })

  test('an image with a target size is never scaled below a tenth of its sides', async () => {
    const { efforts, ...made } = await simulateCompression(1, 95)
    assert.deepEqual(made, { quality: 20, scale: 0.1, size: 3 })
    assert.ok(efforts.length <= 8)
    assert.ok(efforts.every(({ scale }) => scale >= 0.1))
  })
})

describe('errors of libvips', () => {
  const translate = (message: string) => toImageError(new Error(message), 'tiff')

  test('an error of libvips is returned as an error that the client can act on', () => {
    for (const [message, code, words] of [
      ['Input image exceeds pixel limit', 'FILE_TOO_LARGE', /the limit of 268 megapixels/],
      ['Pixel Limit', 'FILE_TOO_LARGE', /megapixels/],
      ['svgload: XML: Maximum entity amplification factor exceeded', 'FILE_TOO_LARGE', /without entities/],
      ['Detected an entity reference loop', 'FILE_TOO_LARGE', /without entities/],
      ['Processed image is too large for the WebP format', 'CONVERSION_FAILED', /smaller width or height/],
      ['heifsave: maximum image dimension is 16384', 'CONVERSION_FAILED', /smaller width or height/],
      ['image dimensions are too large', 'CONVERSION_FAILED', /smaller width or height/],
      ['dimension is too large', 'CONVERSION_FAILED', /smaller width or height/],
      ['timeout: 42% complete', 'TIMEOUT', /time limit of 120 seconds/],
      [
        'compression support is not configured for x compression support is not configured',
        'CORRUPT_FILE',
        /damaged/,
      ],
      ['JPEG-XR compression support is not configured', 'UNSUPPORTED_FORMAT', /has JPEG-XR compression,/],
      ['tiff2vips: bad labq format', 'UNSUPPORTED_FORMAT', /has Lab colors,/],
      ['samples_per_pixel not a whole number of bytes', 'UNSUPPORTED_FORMAT', /has an unusual depth,/],
      ['samples out of range', 'UNSUPPORTED_FORMAT', /has an unusual depth,/],
      ['unsupported tiff image type', 'UNSUPPORTED_FORMAT', /has an unusual depth,/],
      ['unknown photometric interpretation 9', 'UNSUPPORTED_FORMAT', /has unusual colors,/],
      ['not a PLANARCONFIG_SEPARATE image', 'UNSUPPORTED_FORMAT', /has unusual colors,/],
      ['VipsJpeg: premature end', 'CORRUPT_FILE', /^The tiff image is damaged or incomplete\.$/],
    ] as const) {
      const error = translate(message)
      assert.ok(error instanceof AppError, message)
      assert.deepEqual([error.code, words.test(error.message)], [code, true], `${message}: ${error.message}`)
      assert.equal((error.cause as Error).message, message, 'the cause keeps the original message')
    }
  })

  test('an error that libvips did not cause is returned unchanged', () => {
    const otherErrors = [
      new AppError('PDF_ENCRYPTED', 'Locked.', {}),
      new ProcessFailure('heif-enc', 1, 'pixel limit'),
      new EngineCrash('heif-enc', 'SIGKILL', 'timeout'),
      Object.assign(new Error('ENOSPC: no space left'), { errno: -28 }),
      'words',
    ]
    for (const error of otherErrors) assert.equal(toImageError(error, 'png'), error)
  })
})

test('the density at which an SVG is rendered is 72 dpi by default, and higher for a larger requested size', () => {
  const drawing = { width: 100, height: 50 } as Parameters<typeof computeSvgDensity>[0] // Only these properties are used.
  const computeDensity = (box?: Parameters<typeof computeSvgDensity>[1], dpi?: number) =>
    computeSvgDensity(drawing, box, dpi)
  assert.equal(computeDensity(), 72)
  assert.deepEqual(
    [computeDensity(undefined, 96), computeDensity(undefined, 192), computeDensity(undefined, 48)],
    [72, 144, 36],
  )
  assert.equal(
    computeDensity({ width: 200, height: 200, fit: 'scale' }, 48),
    36,
    'whatever comes of its dots',
  )
  assert.equal(computeDensity({ width: 200, height: 200, fit: 'max' }), 72)
  assert.equal(computeDensity({ width: 200, height: undefined, fit: 'scale' }), 144)
  assert.equal(computeDensity({ width: undefined, height: 200, fit: 'crop' }), 288)
  assert.equal(computeDensity({ width: 200, height: 200, fit: 'crop' }), 288)
  assert.equal(computeDensity({ width: 10, height: 10, fit: 'crop' }), 72)
  assert.equal(computeDensity({ width: 30_000, height: undefined, fit: 'scale' }), 10_000)
})

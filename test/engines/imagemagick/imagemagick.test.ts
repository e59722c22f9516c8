import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { cornersFixture, readQuarterColors } from '../support/corner-colors.ts'
import { countPdfPages, listZipNames, readImageSize } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('imagemagick')

/** Creates a FITS unit with float samples: the primary one or an extension. */
function createFits(sides: readonly number[], values: readonly number[], extension?: 'IMAGE'): Buffer {
  const cards = [
    ['BITPIX', -32],
    ['NAXIS', sides.length],
    ...sides.map((side, axis) => [`NAXIS${axis + 1}`, side]),
  ].map(([name, value]) => `${String(name).padEnd(8)}= ${String(value).padStart(20)}`)
  const firstCard = extension ? `XTENSION= '${extension}   '` : 'SIMPLE  =                    T'
  const header = [firstCard, ...cards, 'END'].map((card) => card.padEnd(80)).join('')
  const data = Buffer.alloc(Math.ceil((values.length * 4) / 2880) * 2880)
  for (const [at, value] of values.entries()) data.writeFloatBE(value, at * 4)
  return Buffer.concat([Buffer.from(header.padEnd(2880)), data])
}

const readShades = async (path: string) => [...(await sharp(path).toColorspace('b-w').raw().toBuffer())]

testConformance(imagemagick, {
  fixtures: { png: fixture('corners.png'), gif: fixture('animated.gif') },
  // colors.slow.ts checks the pixels of every format, and `npm run conformance` tests every conversion.
  only: (from, to) => (from === 'png' ? ['gif', 'cal', 'jbig'].includes(to) : from === 'gif' && to === 'png'),
  garbage: [
    'psd',
    'psb',
    'xcf',
    'cur',
    'dcx',
    'j2k',
    'xwd',
    'ras',
    'pict',
    'mng',
    'vicar',
    'pcd',
    'tiff',
    'exr',
  ],
  long: { source: fixture('corners.png'), to: 'jp2', options: { width: 6000, fit: 'scale' } },
})

describe('ImageMagick formats', () => {
  after(removeRuns)

  test('an image without transparency keeps its colors in JPEG 2000, even if it is tiny', async () => {
    const { path: opaque } = await convert(imagemagick, fixture('corners.png'), 'ppm')
    for (const to of ['jp2', 'j2k'] as const) {
      assert.equal(await readQuarterColors((await convert(imagemagick, opaque, to)).path), 'RGBx', to)
    }
  })

  test('the palette option makes a PNG of a photo indexed and keeps half-transparent pixels', async () => {
    const path = join(folder, 'photo.png')
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const photo = sharp({ create: { width: 60, height: 40, channels: 3, noise, background: '#888' } })
    await photo.ensureAlpha(0.5).png().toFile(path)
    const result = await convert(imagemagick, (await convert(imagemagick, path, 'miff')).path, 'png', {
      options: { palette: true },
    })
    const colorTypeOffset = 25
    assert.equal((await readFile(result.path))[colorTypeOffset], 3, 'the color type is "indexed"')
    const { channels } = await sharp(result.path).stats()
    assert.deepEqual([channels[3]?.min, channels[3]?.max], [127, 127])
  })

  test('a JPEG 2000 image is larger at a higher quality', async () => {
    const path = join(folder, 'noise.png')
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const
    await sharp({ create: { width: 200, height: 150, channels: 3, noise, background: '#888' } }).toFile(path)
    for (const to of ['jp2', 'j2k'] as const) {
      const readBytes = async (quality: unknown) =>
        (await readFile((await convert(imagemagick, path, to, { options: { quality } })).path)).length
      const [low, high] = [await readBytes('low'), await readBytes('highest')]
      assert.ok(low * 1.5 < high, `${to}: ${low} and ${high} bytes`)
    }
  })

  test('an image converted to a cursor has the cursor type and its hotspot in the upper left corner', async () => {
    const { path } = await convert(imagemagick, fixture('corners.png'), 'cur')
    const bytes = await readFile(path)
    // ICONDIR: type 2 is a cursor, whose entries have the hotspot in place of an icon's planes and bits.
    assert.deepEqual([bytes.readUInt16LE(0), bytes.readUInt16LE(2)], [0, 2])
    const count = bytes.readUInt16LE(4)
    assert.ok(count >= 1)
    for (let entry = 0; entry < count; entry++) {
      const at = 6 + 16 * entry
      assert.deepEqual([bytes[at], bytes[at + 1], bytes.readUInt32LE(at + 4)], [40, 30, 0])
      assert.ok(bytes.readUInt32LE(at + 8) > 0)
    }
    const icon = await readFile((await convert(imagemagick, fixture('corners.png'), 'ico')).path)
    assert.equal(icon.readUInt16LE(2), 1)
  })

  test('an enlarged Sixel image keeps its bright colors', async () => {
    const size = { options: { width: 80, fit: 'scale' } }
    const { path } = await convert(imagemagick, cornersFixture('sixel'), 'png', size)
    const { data } = await sharp(path).raw().toBuffer({ resolveWithObject: true })
    assert.ok(Math.max(...data) > 200)
  })

  test('an image is written in gray as PGM, and in black and white as PBM and XBM', async () => {
    const readPixels = async (to: FormatId) =>
      readQuarterColors((await convert(imagemagick, fixture('corners.png'), to)).path)
    assert.match(await readPixels('pgm'), /^\((\d+) \1 \1\)\((\d+) \2 \2\)\((\d+) \3 \3\)x$/)
    for (const to of ['pbm', 'xbm'] as const) {
      assert.match(await readPixels(to), /^(\((0 0 0|255 255 255)\)){4}$/, to)
    }
  })

  test('an image written by ImageMagick as CIN, DPX or MIFF contains no local file path', async () => {
    for (const to of ['cin', 'dpx', 'miff'] as const) {
      const { path } = await convert(imagemagick, fixture('corners.png'), to)
      assert.equal((await readFile(path)).includes(dirname(path)), false, to)
    }
  })

  test('a Radiance HDR image contains linear light, not sRGB values', async () => {
    const { path } = await convert(imagemagick, fixture('deep.png'), 'hdr', { options: { width: 4 } })
    // The image is too narrow for run-length encoding, so each pixel is stored as three mantissas and an exponent.
    const [red = 0, green = 0, blue = 0, exponent = 0] = (await readFile(path)).subarray(-4)
    const lightLevels = [red, green, blue].map((value) => value * 2 ** (exponent - 136))
    for (const [index, expectedLevel] of [0.006, 0.0343, 0.0931].entries()) {
      assert.ok(Math.abs((lightLevels[index] ?? 0) - expectedLevel) < 0.002, String(lightLevels))
    }
  })

  test('a FITS image shows its minimum value as black and its maximum as white', async () => {
    const { data } = await sharp((await convert(imagemagick, cornersFixture('fits'), 'png')).path)
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok(Math.max(...data) > 240 && Math.min(...data) < 15)
  })

  test('a FITS image with three planes is read in color; of five planes, only the first is kept, with a warning', async () => {
    const { path, warnings } = await convert(imagemagick, cornersFixture('fits'), 'png')
    assert.deepEqual([await readQuarterColors(path), warnings], ['RGBx', []])
    const fitsWithManyPlanes = join(folder, 'many.fits')
    await writeFile(fitsWithManyPlanes, createFits([2, 1, 5], [0, 1, 9, 9, 9, 9, 9, 9, 9, 9]))
    const convertedFits = await convert(imagemagick, fitsWithManyPlanes, 'png')
    assert.deepEqual(
      [await readShades(convertedFits.path), convertedFits.warnings],
      [[0, 255], ['PLANES_DROPPED']],
    )
  })

  test('a FITS image with missing values is read, even if it is in an extension after an empty primary unit', async () => {
    const path = join(folder, 'holes.fits')
    await writeFile(
      path,
      Buffer.concat([createFits([], []), createFits([2, 2], [-1, Number.NaN, 0, 1], 'IMAGE')]),
    )
    // The bottom row comes first in the file.
    assert.deepEqual(await readShades((await convert(imagemagick, path, 'png')).path), [128, 255, 0, 0])
  })

  test('a truncated FITS image is refused as damaged', async () => {
    const path = join(folder, 'short.fits')
    await writeFile(path, createFits([40, 40], [1, 2]).subarray(0, 2880 + 4))
    await assert.rejects(convert(imagemagick, path, 'png'), { code: 'CORRUPT_FILE' })
    // Only one of three planes is complete.
    await writeFile(path, (await readFile(cornersFixture('fits'))).subarray(0, 2880 + 1500))
    await assert.rejects(convert(imagemagick, path, 'png'), { code: 'CORRUPT_FILE' })
  })

  test('an image with layers is converted to one image with all layers merged', async () => {
    const { path, result, warnings } = await convert(imagemagick, fixture('layers.psd'), 'png')
    assert.equal(await readQuarterColors(path), 'RGBx')
    assert.deepEqual([result.files.length, warnings], [1, []])
  })

  test('an image with an EXIF orientation is rotated once by ImageMagick', async () => {
    const { path } = await convert(imagemagick, fixture('orientation-6.jpg'), 'psd')
    assert.deepEqual(await readImageSize(path, 'psd'), { width: 30, height: 40 })
    assert.equal((await sharp((await convert(imagemagick, path, 'jpg')).path).metadata()).orientation ?? 1, 1)
  })

  test('ImageMagick keeps the transparency of an image if the target supports it, and flattens it onto white otherwise', async () => {
    const readAlpha = async (to: FormatId) => {
      const convertedRun = await convert(imagemagick, fixture('alpha.png'), to)
      const { path } = to === 'png' ? convertedRun : await convert(imagemagick, convertedRun.path, 'png')
      return sharp(path)
        .ensureAlpha()
        .extract({ left: 20, top: to === 'ico' ? 20 : 15, width: 1, height: 1 })
        .raw()
        .toBuffer()
    }
    for (const to of ['psd', 'tga', 'ico', 'dds', 'sgi', 'exr', 'dpx', 'webp'] as const)
      assert.ok(((await readAlpha(to))[3] ?? 255) < 20, to)
    for (const to of ['jpg', 'bmp', 'pcx', 'ppm', 'hdr'] as const) {
      assert.ok(
        [...(await readAlpha(to))].every((value) => value > 235),
        to,
      )
    }
  })

  test('ImageMagick converts a CMYK image to RGB', async () => {
    const { path } = await convert(imagemagick, fixture('cmyk.jpg'), 'png')
    const { space, channels } = await sharp(path).metadata()
    assert.deepEqual([space, channels], ['srgb', 3])
  })

  test('an image becomes an icon with its own size and the smaller common sizes, up to 256 pixels', async () => {
    const listSizes = async (options: Record<string, unknown>, source: string) => {
      const { path } = await convert(imagemagick, source, 'ico', { options })
      return readIconSizes(await readFile(path))
    }
    assert.deepEqual(await listSizes({}, fixture('corners.png')), [40, 32, 16])
    const { path: largePath } = await convert(imagemagick, fixture('corners.png'), 'png', {
      options: { width: 300, fit: 'scale' },
    })
    assert.deepEqual(await listSizes({}, largePath), [256, 128, 64, 48, 32, 16])
    assert.deepEqual(await listSizes({ width: 20 }, largePath), [20])
  })

  test('ImageMagick keeps the frames and delays of an animation in GIF, but drops them in PSD and WebP with a warning', async () => {
    for (const source of ['animated.gif', 'animated.webp']) {
      const { path, warnings } = await convert(imagemagick, fixture(source), 'gif')
      const { pages, delay } = await sharp(path, { animated: true }).metadata()
      assert.deepEqual([pages, delay, warnings], [3, [100, 200, 300], []], source)
    }
    for (const to of ['psd', 'webp'] as const) {
      const { warnings } = await convert(imagemagick, fixture('animated.gif'), to)
      assert.deepEqual(warnings, ['ANIMATION_DROPPED'], to)
    }
  })

  test('converting a multi-page TIFF to TGA gives a ZIP of its pages, and converting it to TIFF keeps all pages', async () => {
    const { path, format } = await convert(imagemagick, fixture('pages.tiff'), 'tga')
    assert.equal(format, 'zip')
    assert.deepEqual(await listZipNames(path), [
      'page-001.tga',
      'page-002.tga',
      'page-003.tga',
      'manifest.json',
    ])
    const { path: tiff } = await convert(imagemagick, fixture('pages.tiff'), 'tiff')
    assert.equal((await sharp(tiff).metadata()).pages, 3)
  })

  test('ImageMagick writes an image with the requested size and quality', async () => {
    const readSize = async (options: Record<string, unknown>) =>
      readImageSize((await convert(imagemagick, cornersFixture('psd'), 'png', { options })).path, 'png')
    assert.deepEqual(await readSize({ width: '20' }), { width: 20, height: 15 })
    assert.deepEqual(await readSize({ width: 400 }), { width: 40, height: 30 })
    assert.deepEqual(await readSize({ height: 300, fit: 'scale' }), { width: 400, height: 300 })
    assert.deepEqual(await readSize({ width: 10, height: 10, fit: 'crop' }), { width: 10, height: 10 })
    const readBytes = async (quality: unknown) =>
      (
        await readFile(
          (
            await convert(imagemagick, cornersFixture('psd'), 'jpg', { options: { quality } })
          ).path,
        )
      ).length
    assert.ok(
      (await readBytes('low')) < (await readBytes('highest')) &&
        (await readBytes(5)) < (await readBytes('95')),
    )
  })
})

function readIconSizes(bytes: Buffer): number[] {
  return Array.from({ length: bytes.readUInt16LE(4) }, (_, index) => bytes[6 + 16 * index] || 256)
}

describe('conversion routes between image formats', () => {
  after(removeRuns)
  const listNames = (from: FormatId, to: FormatId, engine?: 'imagemagick') =>
    planRoute({ from, to, ...defined({ engine }) }).steps.map((step) => `${step.engine}:${step.to}`)

  test('an image is converted by libvips alone if libvips supports both formats', () => {
    assert.deepEqual(listNames('png', 'jpg'), ['vips:jpg'])
    assert.deepEqual(listNames('png', 'jpg', 'imagemagick'), ['imagemagick:jpg'])
  })

  test('an image that libvips cannot read is converted to PNG by ImageMagick, and then to WebP, AVIF or PDF by libvips', async () => {
    for (const [from, to] of [
      ['psd', 'webp'],
      ['tga', 'avif'],
      ['dds', 'pdf'],
    ] as const) {
      assert.deepEqual(listNames(from, to), ['imagemagick:png', `vips:${to}`])
      const { path } = await convert(imagemagick, cornersFixture(from), 'png')
      const convertedRun = await convert(vips, path, to)
      if (to === 'pdf') assert.equal(await countPdfPages(convertedRun.path), 1)
      else assert.deepEqual(await readImageSize(convertedRun.path, to), { width: 40, height: 30 })
    }
    assert.deepEqual(listNames('png', 'ico'), ['imagemagick:ico'])
  })
})

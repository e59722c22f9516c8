import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { buildPng, readPngChunks } from '../../../lib/binary/png.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import {
  countPdfPages,
  listZipNames,
  readImageSize,
  readManifestParameters,
  readStdout,
} from '../support/inspect-result.ts'
import { assertProgressRises, convert, fixture, removeRuns } from '../support/run-engine.ts'

testConformance(vips, {
  fixtures: {
    jpg: fixture('corners.jpg'),
    png: fixture('alpha.png'),
    webp: fixture('animated.webp'),
    avif: fixture('corners.avif'),
    gif: fixture('animated.gif'),
    tiff: fixture('pages.tiff'),
    svg: fixture('corners.svg'),
    heic: fixture('corners.heic'),
    apng: fixture('animated.apng'),
    jxl: fixture('corners.jxl'),
    jxr: fixture('corners.jxr'),
    djvu: fixture('corners.djvu'),
    icns: fixture('corners.icns'),
    raf: fixture('corners.raf'),
    rw2: fixture('corners.rw2'),
    mrw: fixture('corners.mrw'),
  },
  garbage: [
    'jpg',
    'png',
    'webp',
    'avif',
    'gif',
    'tiff',
    'svg',
    'heic',
    'apng',
    'jxl',
    'jxr',
    'djvu',
    'icns',
    'cr2',
  ],
  // Each format is read once and written once here; the sweep tests all pairs.
  only: (from, to) => from === 'png' || to === 'png',
  long: { source: fixture('corners.svg'), to: 'avif', options: { width: 1600, fit: 'scale', quality: 100 } },
})

/** Returns the mean colors of the quarters as initials: upright corners are red, green, blue and gray. */
async function readQuarters(path: string): Promise<string> {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .resize(2, 2, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  assert.equal(info.channels, 3)
  return [0, 1, 2, 3].map((index) => nameColor([...data.subarray(index * 3, index * 3 + 3)])).join('')
}

function nameColor([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 180 && green < 100) return 'R'
  if (green > 180 && red < 100) return 'G'
  if (blue > 180 && red < 100) return 'B'
  return 'x'
}

describe('image conversions', () => {
  after(removeRuns)

  for (let orientation = 2; orientation <= 8; orientation++) {
    test(`an image with EXIF orientation ${orientation} is rotated as in viewers, and only once`, async () => {
      const { path } = await convert(vips, fixture(`orientation-${orientation}.jpg`), 'png')
      const size = await readImageSize(path, 'png')
      assert.deepEqual(size, orientation >= 5 ? { width: 30, height: 40 } : { width: 40, height: 30 })
      const expectedOrder = { 2: 'GRxB', 3: 'xBGR', 4: 'BxRG', 5: 'RBGx', 6: 'BRxG', 7: 'xGBR', 8: 'GxRB' }[
        orientation
      ]
      assert.equal(await readQuarters(path), expectedOrder)
      assert.equal((await sharp(path).metadata()).orientation, undefined)
    })
  }

  test('an image with transparency is flattened onto white if the target does not support transparency', async () => {
    const { path } = await convert(vips, fixture('alpha.png'), 'jpg')
    const { data } = await sharp(path)
      .extract({ left: 19, top: 14, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    assert.ok(
      [...data].every((value) => value > 240),
      String([...data]),
    )
  })

  test('an image with transparency keeps it if the target supports it', async () => {
    for (const to of ['webp', 'avif', 'tiff', 'gif'] as const) {
      const { path } = await convert(vips, fixture('alpha.png'), to)
      const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true })
      assert.equal(info.channels, 4, to)
      assert.ok((data[(15 * 40 + 20) * 4 + 3] ?? 255) < 20, to)
    }
  })

  test('an image converted to ICNS contains square icons of the standard sizes up to its own size', async () => {
    const listSizes = async (options = {}) => {
      const { path, result } = await convert(vips, fixture('corners.png'), 'icns', { options })
      const listedSizes = await readStdout('icns2png', '-l', path)
      const sides = [...listedSizes.matchAll(/(\d+)x\1 32-bit/g)].map(([, side]) => Number(side))
      return [sides.sort((a, b) => a - b), result.details]
    }
    assert.deepEqual(await listSizes(), [[16, 32], { width: 32, height: 32 }])
    assert.deepEqual(await listSizes({ width: 12, height: 9 }), [[16], { width: 16, height: 16 }])
    assert.deepEqual(await listSizes({ width: 128, fit: 'scale' }), [
      [16, 32, 48, 128],
      { width: 128, height: 128 },
    ])
  })

  test('libvips converts a CMYK image to RGB', async () => {
    const { path } = await convert(vips, fixture('cmyk.jpg'), 'png')
    assert.equal((await sharp(path).metadata()).space, 'srgb')
    assert.match(await readStdout('file', path), /RGB/)
  })

  test('an image converted to BMP keeps its colors', async () => {
    const { path } = await convert(vips, fixture('corners.png'), 'bmp')
    assert.match(await readStdout('file', path), /PC bitmap, Windows 3.x format, 40 x 30 x 24/)
    const readPixel = (x: number, y: number) =>
      readStdout(
        'sh',
        '-c',
        `ffmpeg -v error -i ${path} -vf crop=1:1:${x}:${y} -f rawvideo -pix_fmt rgb24 - | od -An -tu1`,
      )
    assert.deepEqual(
      (await Promise.all([readPixel(5, 5), readPixel(35, 5), readPixel(5, 25)])).map((text) =>
        text.trim().split(/\s+/).map(Number),
      ),
      [
        [255, 0, 0],
        [0, 255, 0],
        [0, 0, 255],
      ],
    )
  })

  test('an image with 16 bits per channel keeps them in PNG and TIFF', async () => {
    assert.match(await readStdout('file', (await convert(vips, fixture('deep.png'), 'png')).path), /16-bit/)
    assert.match(
      await readStdout('tiffinfo', (await convert(vips, fixture('deep.png'), 'tiff')).path),
      /Bits\/Sample: 16/,
    )
    assert.equal(await countPdfPages((await convert(vips, fixture('deep.png'), 'pdf')).path), 1)
  })

  test('an image keeps its resolution if the format stores it', async () => {
    const source = join(scratchFolder('dense'), 'dense.png')
    const ground = { width: 60, height: 40, channels: 3, background: '#08f' } as const
    await sharp({ create: ground }).withDensity(300).png().toFile(source)
    for (const to of ['jpg', 'png', 'tiff'] as const) {
      const { path } = await convert(vips, source, to)
      assert.equal(Math.round((await sharp(path).metadata()).density ?? 0), 300, to)
    }
    const { path } = await convert(vips, source, 'bmp')
    assert.match(await readStdout('identify', '-units', 'PixelsPerInch', '-format', '%x', path), /^300\b/)
  })

  test('an image without a resolution gets 72 dpi in PNG and TIFF, and is placed on a PDF page at 96 dpi', async () => {
    const folder = scratchFolder('undense')
    const ground = { width: 96, height: 48, channels: 3, background: '#08f' } as const
    const source = join(folder, 'plain.webp')
    await sharp({ create: ground }).webp().toFile(source)
    for (const to of ['png', 'tiff'] as const) {
      const { path } = await convert(vips, source, to)
      assert.equal(Math.round((await sharp(path).metadata()).density ?? 0), 72, to)
    }
    const readPageInfo = async (path: string) =>
      readStdout('pdfinfo', (await convert(vips, path, 'pdf')).path)
    assert.match(await readPageInfo(source), /Page size: +72 x 36 pts/)
    // The density of one side is missing: 2,835 and 0 dots per meter in the PNG's pHYs, 0 and 72 per inch in the JFIF.
    const flatPath = join(folder, 'flat.png')
    await sharp({ create: ground }).png().toFile(flatPath)
    const bytes = await readFile(flatPath)
    const { data: iccData = Buffer.alloc(0) } =
      [...readPngChunks(bytes)].find(({ type }) => type === 'pHYs') ?? {}
    iccData.writeUInt32BE(0, 4)
    await writeFile(flatPath, buildPng([...readPngChunks(bytes)]))
    assert.match(await readPageInfo(flatPath), /Page size: +72 x 36 pts/)
    const photo = join(folder, 'flat.jpg')
    await sharp({ create: ground }).jpeg().toFile(photo)
    const head = Buffer.from('ffd8ffe000104a46494600010101000000480000', 'hex')
    await writeFile(photo, Buffer.concat([head, (await readFile(photo)).subarray(2)]))
    assert.match(await readPageInfo(photo), /Page size: +72 x 36 pts/)
  })

  test('an image with few colors is lossless in WebP, unless lossless=false is requested', async () => {
    const red = Buffer.from([220, 0, 0])
    const hashedBytes = Buffer.concat(
      Array.from({ length: 32 * 32 }, (_, at) => (at % 2 ? red : Buffer.from([0, 0, 220]))),
    )
    const source = join(scratchFolder('few'), 'few.png')
    await sharp(hashedBytes, { raw: { width: 32, height: 32, channels: 3 } })
      .png()
      .toFile(source)
    const readPixels = async (options: Record<string, unknown>) =>
      sharp((await convert(vips, source, 'webp', { options })).path)
        .removeAlpha()
        .raw()
        .toBuffer()
    assert.deepEqual(await readPixels({}), hashedBytes)
    assert.deepEqual(await readPixels({ quality: 50 }), hashedBytes)
    assert.notDeepEqual(await readPixels({ lossless: false }), hashedBytes)
  })

  test('an animation converted between GIF and WebP keeps its frames and delays', async () => {
    for (const [source, to] of [
      ['animated.gif', 'webp'],
      ['animated.webp', 'gif'],
      ['animated.gif', 'gif'],
    ] as const) {
      const { path, result } = await convert(vips, fixture(source), to)
      const metadata = await sharp(path, { animated: true }).metadata()
      assert.deepEqual([metadata.pages, metadata.delay], [3, [100, 200, 300]])
      assert.deepEqual(result.details, { width: 40, height: 30, frames: 3 })
    }
  })

  test('an animated GIF converted to PNG loses its animation, with a warning', async () => {
    const { path, warnings } = await convert(vips, fixture('animated.gif'), 'png')
    assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
    assert.deepEqual(await readImageSize(path, 'png'), { width: 40, height: 30 })
  })

  test('a TIFF with several pages becomes a ZIP of JPEG pages with a manifest, or a PDF of its pages', async () => {
    const run = await convert(vips, fixture('pages.tiff'), 'jpg', { options: { quality: 7 } })
    const { path, format, result } = run
    assertProgressRises(run)
    assert.deepEqual([format, result.details], ['zip', { pages: 3 }])
    assert.partialDeepStrictEqual(await readManifestParameters(path), {
      format: 'jpg',
      options: { quality: 7 },
    })
    assert.deepEqual(await listZipNames(path), [
      'page-001.jpg',
      'page-002.jpg',
      'page-003.jpg',
      'manifest.json',
    ])
    const pdf = await convert(vips, fixture('pages.tiff'), 'pdf')
    assert.deepEqual([await countPdfPages(pdf.path), pdf.result.details, pdf.warnings], [3, { pages: 3 }, []])
    const animatedPdf = await convert(vips, fixture('animated.gif'), 'pdf')
    assert.deepEqual(
      [animatedPdf.result.details, animatedPdf.warnings],
      [{ pages: 1 }, ['ANIMATION_DROPPED']],
    )
    assert.deepEqual((await convert(vips, fixture('pages.tiff'), 'tiff')).result.details, {
      pages: 3,
      frames: 3,
    })
  })

  test('several images are merged into a PDF with one page each, in order', async () => {
    const { path } = await convert(vips, fixture('corners.jpg'), 'pdf', {
      operation: 'merge',
      more: [fixture('orientation-6.jpg'), fixture('cmyk.jpg')],
    })
    const pages = await readStdout('pdfinfo', '-l', '3', path)
    assert.deepEqual(
      [...pages.matchAll(/rot:\s+(\d+)/g)].map(([, turn]) => turn),
      ['0', '90', '0'],
    )
  })
})

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { buildPng, readPngChunks } from '../../../lib/binary/png.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { ErrorCode } from '../../../lib/errors.ts'
import { assertRefused } from '../../support/assert-refused.ts'
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
async function quarters(path: string): Promise<string> {
  const { data, info } = await sharp(path)
    .removeAlpha()
    .resize(2, 2, { fit: 'fill', kernel: 'nearest' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  assert.equal(info.channels, 3)
  return [0, 1, 2, 3].map((index) => colorName([...data.subarray(index * 3, index * 3 + 3)])).join('')
}

function colorName([red = 0, green = 0, blue = 0]: number[]): string {
  if (red > 180 && green < 100) return 'R'
  if (green > 180 && red < 100) return 'G'
  if (blue > 180 && red < 100) return 'B'
  return 'x'
}

describe('an image', () => {
  after(removeRuns)

  for (let orientation = 2; orientation <= 8; orientation++) {
    test(`an image with EXIF orientation ${orientation} is rotated as in viewers, and only once`, async () => {
      const { path } = await convert(vips, fixture(`orientation-${orientation}.jpg`), 'png')
      const size = await readImageSize(path, 'png')
      assert.deepEqual(size, orientation >= 5 ? { width: 30, height: 40 } : { width: 40, height: 30 })
      const shown = { 2: 'GRxB', 3: 'xBGR', 4: 'BxRG', 5: 'RBGx', 6: 'BRxG', 7: 'xGBR', 8: 'GxRB' }[
        orientation
      ]
      assert.equal(await quarters(path), shown)
      assert.equal((await sharp(path).metadata()).orientation, undefined)
    })
  }

  test('an image with transparency is flattened onto white if the target has none', async () => {
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

  test('an image becomes an icon with all sizes up to its own, square and centered', async () => {
    const sizes = async (options = {}) => {
      const { path, result } = await convert(vips, fixture('corners.png'), 'icns', { options })
      const listed = await readStdout('icns2png', '-l', path)
      const found = [...listed.matchAll(/(\d+)x\1 32-bit/g)].map(([, side]) => Number(side))
      return [found.sort((a, b) => a - b), result.details]
    }
    assert.deepEqual(await sizes(), [[16, 32], { width: 32, height: 32 }])
    assert.deepEqual(await sizes({ width: 12, height: 9 }), [[16], { width: 16, height: 16 }])
    assert.deepEqual(await sizes({ width: 128, fit: 'scale' }), [
      [16, 32, 48, 128],
      { width: 128, height: 128 },
    ])
  })

  test('an image in CMYK becomes RGB', async () => {
    const { path } = await convert(vips, fixture('cmyk.jpg'), 'png')
    assert.equal((await sharp(path).metadata()).space, 'srgb')
    assert.match(await readStdout('file', path), /RGB/)
  })

  test('an image becomes a bitmap with the same pixels', async () => {
    const { path } = await convert(vips, fixture('corners.png'), 'bmp')
    assert.match(await readStdout('file', path), /PC bitmap, Windows 3.x format, 40 x 30 x 24/)
    const pixel = (x: number, y: number) =>
      readStdout(
        'sh',
        '-c',
        `ffmpeg -v error -i ${path} -vf crop=1:1:${x}:${y} -f rawvideo -pix_fmt rgb24 - | od -An -tu1`,
      )
    assert.deepEqual(
      (await Promise.all([pixel(5, 5), pixel(35, 5), pixel(5, 25)])).map((text) =>
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

  test('an image keeps its pixels per inch if the format stores them', async () => {
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

  test('an image without pixels per inch gets the default, and a page of the default size', async () => {
    const folder = scratchFolder('undense')
    const ground = { width: 96, height: 48, channels: 3, background: '#08f' } as const
    const source = join(folder, 'plain.webp')
    await sharp({ create: ground }).webp().toFile(source)
    for (const to of ['png', 'tiff'] as const) {
      const { path } = await convert(vips, source, to)
      assert.equal(Math.round((await sharp(path).metadata()).density ?? 0), 72, to)
    }
    const page = async (path: string) => readStdout('pdfinfo', (await convert(vips, path, 'pdf')).path)
    assert.match(await page(source), /Page size: +72 x 36 pts/)
    // Missing for one side: 2,835 dots per meter and 0 in the PNG's pHYs, 0 and 72 per inch in the JFIF header.
    const flat = join(folder, 'flat.png')
    await sharp({ create: ground }).png().toFile(flat)
    const bytes = await readFile(flat)
    const { data: said = Buffer.alloc(0) } = [...readPngChunks(bytes)].find(({ type }) => type === 'pHYs') ?? {}
    said.writeUInt32BE(0, 4)
    await writeFile(flat, buildPng([...readPngChunks(bytes)]))
    assert.match(await page(flat), /Page size: +72 x 36 pts/)
    const photo = join(folder, 'flat.jpg')
    await sharp({ create: ground }).jpeg().toFile(photo)
    const head = Buffer.from('ffd8ffe000104a46494600010101000000480000', 'hex')
    await writeFile(photo, Buffer.concat([head, (await readFile(photo)).subarray(2)]))
    assert.match(await page(photo), /Page size: +72 x 36 pts/)
  })

  test('an image with few colors is lossless in WebP, unless requested otherwise', async () => {
    const red = Buffer.from([220, 0, 0])
    const checked = Buffer.concat(
      Array.from({ length: 32 * 32 }, (_, at) => (at % 2 ? red : Buffer.from([0, 0, 220]))),
    )
    const source = join(scratchFolder('few'), 'few.png')
    await sharp(checked, { raw: { width: 32, height: 32, channels: 3 } })
      .png()
      .toFile(source)
    const dots = async (options: Record<string, unknown>) =>
      sharp((await convert(vips, source, 'webp', { options })).path)
        .removeAlpha()
        .raw()
        .toBuffer()
    assert.deepEqual(await dots({}), checked)
    assert.deepEqual(await dots({ quality: 50 }), checked)
    assert.notDeepEqual(await dots({ lossless: false }), checked)
  })

  test('an image with animation keeps frames and delays between GIF and WebP', async () => {
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

  test('an image with animation becomes its first frame with a warning in other formats', async () => {
    const { path, warnings } = await convert(vips, fixture('animated.gif'), 'png')
    assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
    assert.deepEqual(await readImageSize(path, 'png'), { width: 40, height: 30 })
  })

  test('an image with several pages becomes a ZIP of pages with a manifest, or a PDF', async () => {
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
    const moving = await convert(vips, fixture('animated.gif'), 'pdf')
    assert.deepEqual([moving.result.details, moving.warnings], [{ pages: 1 }, ['ANIMATION_DROPPED']])
    assert.deepEqual((await convert(vips, fixture('pages.tiff'), 'tiff')).result.details, {
      pages: 3,
      frames: 3,
    })
  })

  test('an image becomes one PDF page per input, in order', async () => {
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

describe('several HEIC images', () => {
  after(removeRuns)

  test('several HEIC images are combined in a PDF', async () => {
    const { path } = await convert(vips, fixture('corners.heic'), 'pdf', {
      operation: 'merge',
      more: [fixture('corners.heic')],
    })
    assert.equal(await countPdfPages(path), 2)
  })

  test('several HEIC images in one file are converted as the primary image only, with a warning', async () => {
    const folder = scratchFolder('two-in-one')
    const colors = ['#ff0000', '#0000ff']
    const paths = await Promise.all(
      colors.map(async (background, at) => {
        const path = join(folder, `${at}.png`)
        await sharp({ create: { width: 64, height: 64, channels: 3, background } }).toFile(path)
        return path
      }),
    )
    const source = join(folder, 'two.heic')
    await readStdout('heif-enc', '-o', source, ...paths)
    for (const to of ['png', 'jpg', 'pdf'] as const) {
      const { path, warnings } = await convert(vips, source, to)
      assert.deepEqual(warnings, ['PICTURES_DROPPED'], to)
      if (to === 'pdf') continue
      const [red = 0, , blue = 0] = await sharp(path).raw().toBuffer()
      assert.ok(red > 200 && blue < 60, `${to}: ${red}, ${blue}`)
    }
  })
})

describe('an image option or image', () => {
  after(removeRuns)
  const source = fixture('corners.png')

  test('an image option sets the size: max never enlarges, scale enlarges, crop cuts', async () => {
    const size = async (options: Record<string, unknown>) =>
      readImageSize((await convert(vips, source, 'png', { options })).path, 'png')
    assert.deepEqual(await size({ width: '20' }), { width: 20, height: 15 })
    assert.deepEqual(await size({ width: 400 }), { width: 40, height: 30 })
    assert.deepEqual(await size({ width: 400, fit: 'scale' }), { width: 400, height: 300 })
    assert.deepEqual(await size({ width: 10, height: 10, fit: 'crop' }), { width: 10, height: 10 })
  })

  test('an image option sets the quality as number or level in every lossy format', async () => {
    for (const to of ['jpg', 'webp', 'avif', 'heic', 'jxl', 'jxr', 'djvu'] as const) {
      const bytes = async (quality: unknown) =>
        (await readFile((await convert(vips, fixture('corners.jpg'), to, { options: { quality } })).path))
          .length
      const sizes = [await bytes('low'), await bytes('highest'), await bytes('10'), await bytes(90)]
      const [low = 0, high = 0, ten = 0, ninety = 0] = sizes
      assert.ok(low < high && ten < ninety && ten <= low, `${to}: ${sizes}`)
    }
  })

  test('an image with a palette keeps full color resolution in JPEG', async () => {
    const indexed = join(scratchFolder('indexed'), 'indexed.png')
    await sharp(fixture('alpha.png')).png({ palette: true, colours: 8 }).toFile(indexed)
    const chromaOf = async (path: string) =>
      (await sharp((await convert(vips, path, 'jpg')).path).metadata()).chromaSubsampling
    assert.deepEqual([await chromaOf(indexed), await chromaOf(fixture('corners.jpg'))], ['4:4:4', '4:2:0'])
  })

  test('an image in gray is stored as a gray DjVu', async () => {
    const gray = join(scratchFolder('gray'), 'gray.png')
    await sharp(fixture('corners.jpg')).toColourspace('b-w').png().toFile(gray)
    const page = (await convert(vips, gray, 'djvu')).path
    const { path } = await convert(vips, page, 'png')
    const pixels = (file: string) =>
      sharp(file).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
    const [before, after] = [await pixels(gray), await pixels(path)]
    assert.deepEqual([after.info.width, after.info.height], [before.info.width, before.info.height])
    const apart = before.data.reduce((sum, level, at) => sum + Math.abs(level - (after.data[at] ?? 0)), 0)
    assert.ok(apart / before.data.length < 8, `${apart / before.data.length} levels apart`)
  })

  test('an image option can make WebP lossless', async () => {
    const photo = fixture('corners.jpg')
    const pixels = (path: string) => sharp(path).removeAlpha().raw().toBuffer()
    const convertImage = async (options: Record<string, unknown>) =>
      pixels((await convert(vips, photo, 'webp', { options })).path)
    assert.deepEqual(await convertImage({ lossless: 'true' }), await pixels(photo))
    assert.notDeepEqual(await convertImage({}), await pixels(photo))
  })

  test('an image with many megapixels is encoded to WebP with less effort', async () => {
    const size = { channels: 3, background: 'gray' } as const
    const noise = { type: 'gaussian', mean: 128, sigma: 9 } as const
    const tile = await sharp({ create: { width: 256, height: 256, ...size, noise } })
      .png()
      .toBuffer()
    const photo = join(scratchFolder('large'), 'large.jpg')
    await sharp({ create: { width: 6001, height: 5000, ...size } })
      .composite([{ input: tile, tile: true }])
      .jpeg({ quality: 60 })
      .toFile(photo)
    const convertImage = await readFile((await convert(vips, photo, 'webp')).path)
    assert.ok(convertImage.equals(await sharp(photo).webp({ quality: 80, effort: 2 }).toBuffer()))
  })

  test('an image option can make WebP from HEIC lossless too', async () => {
    const rough = join(scratchFolder('rough'), 'rough.png')
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    await sharp({ create: { width: 64, height: 48, channels: 3, background: 'gray', noise } }).toFile(rough)
    const source = (await convert(vips, rough, 'heic')).path
    const pixels = async (to: 'png' | 'webp', options = {}) =>
      sharp((await convert(vips, source, to, { options })).path)
        .removeAlpha()
        .raw()
        .toBuffer()
    assert.deepEqual(await pixels('webp', { lossless: true }), await pixels('png'))
  })

  test('an image option makes PNG indexed, interlaced, and more or less compressed', async () => {
    const convertImage = async (options: Record<string, unknown>) =>
      (await convert(vips, source, 'png', { options })).path
    assert.match(await readStdout('file', await convertImage({ palette: 'true' })), /colormap/)
    assert.match(await readStdout('file', await convertImage({ progressive: true })), /interlaced/)
    assert.match(await readStdout('file', await convertImage({ progressive: 'false' })), /non-interlaced/)
    assert.ok(
      (await readFile(await convertImage({ compressionLevel: 0 }))).length >
        (await readFile(await convertImage({ compressionLevel: 9 }))).length,
    )
  })

  test('an image option makes JPEG progressive', async () => {
    const { path } = await convert(vips, source, 'jpg', { options: { progressive: true } })
    assert.match(await readStdout('file', path), /progressive/)
  })

  test('an image option out of range is refused', () => {
    const png = vips.capabilities.find(({ to }) => to.includes('png'))
    for (const options of [
      { compressionLevel: 10 },
      { width: 0 },
      { width: 'abc' },
      { fit: 'squeeze' },
      { palette: 'maybe' },
    ]) {
      assert.equal(png?.options.safeParse(options).success, false, JSON.stringify(options))
    }
  })
})

test('a large drawing that is slightly enlarged is rendered at that size, not at the maximum', async () => {
  const path = join(scratchFolder('drawings'), 'large.svg')
  await writeFile(
    path,
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><path d="M0 0L900 900"/></svg>',
  )
  const drawn = await convert(vips, path, 'png', { options: { width: 1000, fit: 'scale' } })
  const { width, height } = await sharp(drawn.path).metadata()
  assert.deepEqual([width, height], [1000, 1000])
})

describe('a hostile image', () => {
  after(removeRuns)

  async function failing(name: string, bytes: string | Buffer, from: 'svg' | 'png' | 'jpg', code: ErrorCode) {
    const path = join(await scratch(), name)
    await writeFile(path, bytes)
    await assertRefused(convert(vips, path, 'jpg', { from }), code, undefined, name)
  }

  async function scratch(): Promise<string> {
    return (await convert(vips, fixture('corners.png'), 'png')).workDir
  }

  test('a hostile image that is truncated is corrupt', async () => {
    const whole = await readFile(fixture('orientation-6.jpg'))
    await failing('cut.jpg', whole.subarray(0, 900), 'jpg', 'CORRUPT_FILE')
  })

  test('a hostile image that declares more pixels than the limit is refused before decoding', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"><rect width="9" height="9"/></svg>'
    await failing('huge.svg', svg, 'svg', 'FILE_TOO_LARGE')
  })

  test('a hostile image with exploding XML entities is refused', async () => {
    const entities = Array.from(
      { length: 20 },
      (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(20)}">`,
    )
    const svg = `<!DOCTYPE svg [<!ENTITY e0 "ha">${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e20;</text></svg>`
    await failing('laughs.svg', svg, 'svg', 'CORRUPT_FILE')
  })

  test('a hostile image cannot read other files or servers', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.end(Buffer.alloc(0))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const folder = await scratch()
    const neighbor = join(folder, 'neighbor.png')
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000' } })
      .png()
      .toFile(neighbor)
    const links = [neighbor, `file://${neighbor}`, 'neighbor.png', `http://127.0.0.1:${address.port}/x.png`]
    const images = links.map((link) => `<image href="${link}" width="8" height="8"/>`).join('')
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xi="http://www.w3.org/2001/XInclude" width="8" height="8"><rect width="8" height="8" fill="#fff"/>${images}<xi:include href="file:///etc/passwd" parse="text"/></svg>`
    const path = join(folder, 'links.svg')
    await writeFile(path, svg)
    const convertImage = await convert(vips, path, 'png')
    const { data } = await sharp(convertImage.path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    assert.ok(
      [...data].every((value) => value === 255),
      'something was drawn over the white',
    )
    assert.equal(asked, 0)
    await new Promise((resolve) => server.close(resolve))
  })
})

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import type { ErrorCode } from '../../../lib/errors.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

describe('HEIC with several images', () => {
  after(removeRuns)

  test('several HEIC images are merged into a PDF', async () => {
    const { path } = await convert(vips, fixture('corners.heic'), 'pdf', {
      operation: 'merge',
      more: [fixture('corners.heic')],
    })
    assert.equal(await countPdfPages(path), 2)
  })

  test('only the primary image of a HEIC file with several images is converted, with a warning', async () => {
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

describe('options and encoding of images', () => {
  after(removeRuns)
  const source = fixture('corners.png')

  test('the fit option of an image controls its size: max never enlarges, scale enlarges, crop cuts', async () => {
    const readSize = async (options: Record<string, unknown>) =>
      readImageSize((await convert(vips, source, 'png', { options })).path, 'png')
    assert.deepEqual(await readSize({ width: '20' }), { width: 20, height: 15 })
    assert.deepEqual(await readSize({ width: 400 }), { width: 40, height: 30 })
    assert.deepEqual(await readSize({ width: 400, fit: 'scale' }), { width: 400, height: 300 })
    assert.deepEqual(await readSize({ width: 10, height: 10, fit: 'crop' }), { width: 10, height: 10 })
  })

  test('the quality option accepts numbers and levels for JPEG, WebP, AVIF, HEIC, JPEG XL, JPEG XR and DjVu', async () => {
    for (const to of ['jpg', 'webp', 'avif', 'heic', 'jxl', 'jxr', 'djvu'] as const) {
      const readBytes = async (quality: unknown) =>
        (await readFile((await convert(vips, fixture('corners.jpg'), to, { options: { quality } })).path))
          .length
      const sizes = [
        await readBytes('low'),
        await readBytes('highest'),
        await readBytes('10'),
        await readBytes(90),
      ]
      const [low = 0, high = 0, sizeAt10 = 0, sizeAt90 = 0] = sizes
      assert.ok(low < high && sizeAt10 < sizeAt90 && sizeAt10 <= low, `${to}: ${sizes}`)
    }
  })

  test('an image with a color palette becomes a JPEG without chroma subsampling', async () => {
    const indexedPng = join(scratchFolder('indexed'), 'indexed.png')
    await sharp(fixture('alpha.png')).png({ palette: true, colours: 8 }).toFile(indexedPng)
    const readChromaSubsampling = async (path: string) =>
      (await sharp((await convert(vips, path, 'jpg')).path).metadata()).chromaSubsampling
    assert.deepEqual(
      [await readChromaSubsampling(indexedPng), await readChromaSubsampling(fixture('corners.jpg'))],
      ['4:4:4', '4:2:0'],
    )
  })

  test('a gray image is stored as a gray DjVu', async () => {
    const gray = join(scratchFolder('gray'), 'gray.png')
    await sharp(fixture('corners.jpg')).toColourspace('b-w').png().toFile(gray)
    const page = (await convert(vips, gray, 'djvu')).path
    const { path } = await convert(vips, page, 'png')
    const getPixels = (file: string) =>
      sharp(file).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true })
    const [pixelsBefore, pixelsAfter] = [await getPixels(gray), await getPixels(path)]
    assert.deepEqual(
      [pixelsAfter.info.width, pixelsAfter.info.height],
      [pixelsBefore.info.width, pixelsBefore.info.height],
    )
    const totalDifference = pixelsBefore.data.reduce(
      (sum, level, at) => sum + Math.abs(level - (pixelsAfter.data[at] ?? 0)),
      0,
    )
    assert.ok(
      totalDifference / pixelsBefore.data.length < 8,
      `${totalDifference / pixelsBefore.data.length} levels apart`,
    )
  })

  test('the lossless option makes WebP lossless', async () => {
    const photo = fixture('corners.jpg')
    const readPixels = (path: string) => sharp(path).removeAlpha().raw().toBuffer()
    const convertImage = async (options: Record<string, unknown>) =>
      readPixels((await convert(vips, photo, 'webp', { options })).path)
    assert.deepEqual(await convertImage({ lossless: 'true' }), await readPixels(photo))
    assert.notDeepEqual(await convertImage({}), await readPixels(photo))
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
    const webpBytes = await readFile((await convert(vips, photo, 'webp')).path)
    assert.ok(webpBytes.equals(await sharp(photo).webp({ quality: 80, effort: 2 }).toBuffer()))
  })

  test('the lossless option makes a WebP from a HEIC lossless', async () => {
    const roughPng = join(scratchFolder('rough'), 'rough.png')
    const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
    await sharp({ create: { width: 64, height: 48, channels: 3, background: 'gray', noise } }).toFile(
      roughPng,
    )
    const source = (await convert(vips, roughPng, 'heic')).path
    const readPixels = async (to: 'png' | 'webp', options = {}) =>
      sharp((await convert(vips, source, to, { options })).path)
        .removeAlpha()
        .raw()
        .toBuffer()
    assert.deepEqual(await readPixels('webp', { lossless: true }), await readPixels('png'))
  })

  test('the palette, progressive and compressionLevel options make a PNG indexed, interlaced and smaller', async () => {
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

  test('a PNG from a JPEG has no alpha channel, and its rows use different filters', async () => {
    const { path } = await convert(vips, fixture('corners.jpg'), 'png')
    assert.deepEqual((await sharp(path).metadata()).channels, 3)
    const bytes = await readFile(path)
    const start = bytes.indexOf('IDAT')
    const data = bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4))
    const rows = inflateSync(data)
    const filters = new Set(Array.from({ length: 30 }, (_, row) => rows[row * (40 * 3 + 1)]))
    assert.ok(filters.size > 1, [...filters].join())
  })

  test('the progressive option makes JPEG progressive', async () => {
    const { path } = await convert(vips, source, 'jpg', { options: { progressive: true } })
    assert.match(await readStdout('file', path), /progressive/)
  })

  test('an invalid image option is refused', () => {
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

test('an SVG that is slightly enlarged becomes an image of the requested size', async () => {
  const path = join(scratchFolder('drawings'), 'large.svg')
  await writeFile(
    path,
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><path d="M0 0L900 900"/></svg>',
  )
  const drawnSvg = await convert(vips, path, 'png', { options: { width: 1000, fit: 'scale' } })
  const { width, height } = await sharp(drawnSvg.path).metadata()
  assert.deepEqual([width, height], [1000, 1000])
})

describe('hostile images', () => {
  after(removeRuns)

  async function assertFails(
    name: string,
    bytes: string | Buffer,
    from: 'svg' | 'png' | 'jpg',
    code: ErrorCode,
  ) {
    const path = join(await scratch(), name)
    await writeFile(path, bytes)
    await assertRefused(convert(vips, path, 'jpg', { from }), code, undefined, name)
  }

  async function scratch(): Promise<string> {
    return (await convert(vips, fixture('corners.png'), 'png')).workDir
  }

  test('a truncated JPEG is refused as corrupt by libvips', async () => {
    const wholeImage = await readFile(fixture('orientation-6.jpg'))
    await assertFails('cut.jpg', wholeImage.subarray(0, 900), 'jpg', 'CORRUPT_FILE')
  })

  test('a hostile SVG that declares more pixels than the limit is refused as too large', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="30000"><rect width="9" height="9"/></svg>'
    await assertFails('huge.svg', svg, 'svg', 'FILE_TOO_LARGE')
  })

  test('a hostile SVG with exploding XML entities is refused', async () => {
    const entities = Array.from(
      { length: 20 },
      (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(20)}">`,
    )
    const svg = `<!DOCTYPE svg [<!ENTITY e0 "ha">${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e20;</text></svg>`
    await assertFails('laughs.svg', svg, 'svg', 'CORRUPT_FILE')
  })

  test('a hostile SVG cannot read other files or send requests to servers', async () => {
    let requestCount = 0
    const server = createServer((_, response) => {
      requestCount++
      response.end(Buffer.alloc(0))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const folder = await scratch()
    const neighborPath = join(folder, 'neighbor.png')
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000' } })
      .png()
      .toFile(neighborPath)
    const links = [
      neighborPath,
      `file://${neighborPath}`,
      'neighbor.png',
      `http://127.0.0.1:${address.port}/x.png`,
    ]
    const images = links.map((link) => `<image href="${link}" width="8" height="8"/>`).join('')
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xi="http://www.w3.org/2001/XInclude" width="8" height="8"><rect width="8" height="8" fill="#fff"/>${images}<xi:include href="file:///etc/passwd" parse="text"/></svg>`
    const path = join(folder, 'links.svg')
    await writeFile(path, svg)
    const svgRun = await convert(vips, path, 'png')
    const { data } = await sharp(svgRun.path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    assert.ok(
      [...data].every((value) => value === 255),
      'something was drawn over the white',
    )
    assert.equal(requestCount, 0)
    await new Promise((resolve) => server.close(resolve))
  })
})

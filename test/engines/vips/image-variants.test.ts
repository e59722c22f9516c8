import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { buildPng, readPngChunks } from '../../../lib/binary/png.ts'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { assertNear, folder, readNumbers } from '../support/color-images.ts'
import { readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

describe('options and properties of images', () => {
  after(removeRuns)

  test('the rotate option rotates an image', async () => {
    for (const engine of [vips, imagemagick]) {
      const { path } = await convert(engine, fixture('corners.png'), 'png', { options: { rotate: '90' } })
      assert.deepEqual(await readImageSize(path, 'png'), { width: 30, height: 40 })
      assertNear(await readNumbers(path), [0, 0, 255])
      assert.equal(engine.capabilities[0]?.options.safeParse({ rotate: 45 }).success, false)
    }
  })

  test('the rotate option rotates an animation and keeps its frames and delays', async () => {
    const { path } = await convert(vips, fixture('animated.gif'), 'webp', { options: { rotate: -90 } })
    const { width, pageHeight, pages, delay } = await sharp(path, { animated: true }).metadata()
    assert.deepEqual([width, pageHeight, pages, delay], [30, 40, 3, [100, 200, 300]])
  })

  test('the background option fills the transparent parts of an image', async () => {
    for (const engine of [vips, imagemagick]) {
      for (const to of ['jpg', 'png'] as const) {
        const { path } = await convert(engine, fixture('alpha.png'), to, {
          options: { background: '#00ff00' },
        })
        const middle = sharp(path).removeAlpha().extract({ left: 20, top: 15, width: 1, height: 1 })
        assertNear([...(await middle.raw().toBuffer())], [0, 255, 0], 16)
      }
    }
    const schema = vips.capabilities[0]?.options
    for (const background of ['url(x)', '#12', 'none', '-fill', '@x'])
      assert.equal(schema?.safeParse({ background }).success, false, background)
  })

  test('the transparency of a HEIC is kept if the target supports it', async () => {
    const heic = (await convert(vips, fixture('alpha.png'), 'heic')).path
    for (const to of ['webp', 'png'] as const) {
      const middle = sharp((await convert(vips, heic, to)).path).extract({
        left: 20,
        top: 15,
        width: 1,
        height: 1,
      })
      const [, , , alpha] = await middle.ensureAlpha().raw().toBuffer()
      assert.ok((alpha ?? 255) < 16, `${to}: ${alpha}`)
    }
  })

  test('the downscale option limits the longest side of an image without enlarging the image', async () => {
    const readSize = async (downscale: number) =>
      readImageSize(
        (await convert(vips, fixture('corners.png'), 'png', { options: { downscale } })).path,
        'png',
      )
    assert.deepEqual(await readSize(20), { width: 20, height: 15 })
    assert.deepEqual(await readSize(400), { width: 40, height: 30 })
  })

  test('the density of a PNG is kept in a JPEG unless JPEG cannot store it', async () => {
    for (const [density, expectedDensity] of [
      [300, 300],
      [65_535, 65_535],
      [66_000, 72],
    ] as const) {
      const source = join(scratchFolder('dense'), `dense-${density}.png`)
      await sharp({ create: { width: 2, height: 2, channels: 3, background: '#fff' } })
        .withMetadata({ density })
        .png()
        .toFile(source)
      const { path } = await convert(vips, source, 'jpg')
      assert.equal((await sharp(path).metadata()).density ?? 72, expectedDensity, `${density}`)
    }
  })

  test('the dpi option renders an SVG at the requested resolution', async () => {
    const { path } = await convert(vips, fixture('corners.svg'), 'png', { options: { dpi: 144 } })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 60, height: 45 })
  })

  test('the jpegQuality option takes precedence over quality', async () => {
    const readBytes = async (options: Record<string, unknown>) =>
      (await readFile((await convert(vips, fixture('corners.jpg'), 'jpg', { options })).path)).length
    assert.equal(await readBytes({ jpegQuality: '20', quality: 'highest' }), await readBytes({ quality: 20 }))
  })

  test('the quality option reduces the colors of a GIF, even if the source is a GIF with a palette', async () => {
    const gradient = Buffer.from(
      Array.from({ length: 64 * 64 * 3 }, (_, at) => ((at % 3) * 40 + at / 60) % 256),
    )
    const path = join(scratchFolder('gif-colors'), 'gradient.png')
    await sharp(gradient, { raw: { width: 64, height: 64, channels: 3 } })
      .png()
      .toFile(path)
    const countColors = async (source: string, quality?: unknown) => {
      const { path: result } = await convert(vips, source, 'gif', { options: { quality } })
      const pixels = await sharp(result).flatten().raw().toBuffer()
      return new Set(pixels.toString('hex').match(/.{6}/g)).size
    }
    const qualities = [100, 50, 'low', 5]
    const counts: number[] = []
    for (const quality of qualities) counts.push(await countColors(path, quality))
    assert.ok((counts[0] ?? 0) > 200, String(counts))
    const maxCounts = [256, 128, 64, 13]
    for (const [at, max] of maxCounts.entries()) {
      const count = counts[at] ?? 0
      assert.ok(count <= max && count > max * 0.6, String(counts))
    }
    const { path: animation } = await convert(vips, path, 'gif')
    assert.ok((await countColors(animation, 'low')) <= 64)
  })

  test('the quality option accepts its lowest and highest values for JPEG XL', async () => {
    for (const quality of [1, 5, 100]) {
      const { path } = await convert(vips, fixture('corners.png'), 'jxl', { options: { quality } })
      assert.match(await readStdout('jxlinfo', path), /JPEG XL/)
    }
  })

  test('the sizes option sets the sizes in an icon', async () => {
    const { path } = await convert(imagemagick, fixture('corners.png'), 'ico', {
      options: { sizes: '24, 48' },
    })
    const bytes = await readFile(path)
    assert.deepEqual([bytes.readUInt16LE(4), bytes[6], bytes[22]], [2, 48, 24])
    const schema = imagemagick.capabilities.find(({ to }) => to.includes('ico'))?.options
    for (const sizes of ['0', '257', '16,', 'a'])
      assert.equal(schema?.safeParse({ sizes }).success, false, sizes)
  })

  test('an image converted to a cursor has the cursor type', async () => {
    const { path } = await convert(imagemagick, fixture('corners.png'), 'cur')
    assert.match(await readStdout('file', path), /cursor/)
    const bytes = await readFile(path)
    assert.deepEqual([...bytes.subarray(0, 6)], [0, 0, 2, 0, 1, 0])
    // The hotspot is in the corner; an icon has planes and bits in these bytes.
    assert.deepEqual([...bytes.subarray(10, 14)], [0, 0, 0, 0])
  })
})

describe('camera raw files', () => {
  after(removeRuns)

  async function readQuarters(path: string): Promise<string> {
    const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    const readPixelAt = (x: number, y: number) => {
      const start = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * info.channels
      const [red = 0, green = 0, blue = 0] = data.subarray(start, start + 3)
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 60) return 'x'
      return red > green && red > blue ? 'R' : green > blue ? 'G' : 'B'
    }
    return [
      readPixelAt(0.25, 0.25),
      readPixelAt(0.75, 0.25),
      readPixelAt(0.25, 0.75),
      readPixelAt(0.75, 0.75),
    ].join('')
  }

  for (const from of ['raf', 'rw2', 'mrw'] as const) {
    test(`a camera raw file in ${from} is converted with the right colors`, async () => {
      assert.equal(await readQuarters((await convert(vips, fixture(`corners.${from}`), 'jpg')).path), 'RGBx')
    })
  }

  test('a camera raw file keeps 16 bits per channel in TIFF', async () => {
    const { path } = await convert(vips, fixture('corners.rw2'), 'tiff')
    assert.match(await readStdout('tiffinfo', path), /Bits\/Sample: 16/)
  })

  test('a camera raw file keeps 16 bits per channel in PNG', async () => {
    const { path } = await convert(vips, fixture('corners.rw2'), 'png')
    assert.equal(await readStdout('identify', '-format', '%z', path), '16')
  })

  test('a truncated camera raw file is refused as corrupt, and so is an ordinary TIFF declared as one', async () => {
    const path = join(await folder(), 'cut.raf')
    await writeFile(path, (await readFile(fixture('corners.raf'))).subarray(0, 4000))
    await assert.rejects(convert(vips, path, 'jpg'), { code: 'CORRUPT_FILE' })
    await assert.rejects(convert(vips, fixture('corners.tiff'), 'jpg', { from: 'nef' }), {
      code: 'CORRUPT_FILE',
    })
  })
})

/** Writes an APNG whose later frames cover only a part of the image, as in files of other programs. */
async function writePartialFrames(): Promise<string> {
  const [width, height] = [6, 3]
  const readPixels = async (color: string, frameWidth: number) => {
    const png = await sharp({ create: { width: frameWidth, height, channels: 4, background: color } })
      .png()
      .toBuffer()
    return Buffer.concat(
      [...readPngChunks(png)].filter(({ type }) => type === 'IDAT').map(({ data }) => data),
    )
  }
  const uint32s = (...values: number[]) => Buffer.from(values.flatMap((value) => [0, 0, 0, value]))
  const createFrameControl = (
    sequence: number,
    frameWidth: number,
    left: number,
    dispose: number,
    blend: number,
  ) => ({
    type: 'fcTL',
    data: Buffer.concat([
      uint32s(sequence, frameWidth, height, left, 0),
      Buffer.from([0, 1, 0, 10, dispose, blend]),
    ]),
  })
  const createFrame = async (sequence: number, color: string, frameWidth: number) => ({
    type: 'fdAT',
    data: Buffer.concat([uint32s(sequence), await readPixels(color, frameWidth)]),
  })
  const path = join(await folder(), 'parts.apng')
  const file = buildPng([
    { type: 'IHDR', data: Buffer.concat([uint32s(width, height), Buffer.from([8, 6, 0, 0, 0])]) },
    { type: 'acTL', data: uint32s(3, 0) },
    createFrameControl(0, width, 0, 0, 0),
    { type: 'IDAT', data: await readPixels('#ff0000', width) },
    createFrameControl(1, 4, 2, 1, 1),
    await createFrame(2, '#00ff00', 4),
    createFrameControl(3, 2, 0, 0, 1),
    await createFrame(4, '#0000ff', 2),
    { type: 'IEND', data: Buffer.alloc(0) },
  ])
  await writeFile(path, file)
  return path
}

describe('animated PNG', () => {
  after(removeRuns)
  const readFrames = async (source: string, to: FormatId) => {
    const { path, result, warnings } = await convert(vips, source, to)
    return { path, warnings, frames: result.details?.frames }
  }

  test('an animated PNG keeps frames and delays in GIF and WebP, and can be made from both', async () => {
    const { path: apngPath } = await convert(vips, fixture('animated.gif'), 'apng')
    const times = await readStdout(
      'ffprobe',
      '-v',
      'error',
      '-show_entries',
      'packet=pts_time',
      '-of',
      'csv=p=0',
      apngPath,
    )
    assert.deepEqual(times.match(/[\d.]+/g)?.map(Number), [0, 0.1, 0.3])
    for (const to of ['gif', 'webp'] as const) {
      const resultFrames = await readFrames(apngPath, to)
      const { pages, delay } = await sharp(resultFrames.path, { animated: true }).metadata()
      assert.deepEqual([pages, delay, resultFrames.frames], [3, [100, 200, 300], 3], to)
      assert.equal((await readFrames(fixture('animated.apng'), to)).frames, 3)
      assert.equal((await readFrames(resultFrames.path, 'apng')).frames, 3)
    }
  })

  test('an animated PNG is rendered with partial frames, blending and disposal', async () => {
    const { path } = await convert(vips, await writePartialFrames(), 'gif')
    const readPage = async (page: number) => {
      const image = sharp(path, { page }).ensureAlpha().extract({ left: 1, top: 1, width: 3, height: 1 })
      return [...(await image.raw().toBuffer())].map((value) => Math.round(value / 255)).join('')
    }
    // The first frame is red, the second draws green over a part, the third clears the green and draws blue over red.
    assert.deepEqual(
      [await readPage(0), await readPage(1), await readPage(2)],
      ['100110011001', '100101010101', '001100000000'],
    )
  })

  test('an animated PNG converted to JPEG becomes its first frame, with a warning', async () => {
    const { path, warnings } = await readFrames(fixture('animated.apng'), 'jpg')
    assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
    assertNear(await readNumbers(path), [255, 0, 0])
  })
})

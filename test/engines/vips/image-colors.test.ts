import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { buildPng, readPngChunks } from '../../../lib/binary/png.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

/** Returns the raw sample values, ignoring the profile. */
async function numbers(path: string): Promise<number[]> {
  const image = sharp(path, { ignoreIcc: true }).removeAlpha()
  return [...(await image.extract({ left: 3, top: 3, width: 1, height: 1 }).raw().toBuffer())]
}

const near = (values: readonly number[], expected: readonly number[], tolerance = 6) =>
  assert.ok(
    values.length === expected.length &&
      values.every((value, index) => Math.abs(value - (expected[index] ?? 0)) <= tolerance),
    `${values} is not about ${expected}`,
  )

const folder = async () => (await convert(vips, fixture('corners.png'), 'png')).workDir

describe('the color profile of an image', () => {
  after(removeRuns)

  async function wide(extension: 'jpg' | 'png'): Promise<string> {
    const path = join(await folder(), `wide.${extension}`)
    const red = sharp({ create: { width: 16, height: 16, channels: 3, background: '#ff0000' } })
    await red
      .withIccProfile('p3')
      .toFormat(extension === 'jpg' ? 'jpeg' : 'png', { quality: 100 })
      .toFile(path)
    return path
  }

  test('the color profile of an image wider than sRGB is kept with the same values if the target supports profiles', async () => {
    for (const to of ['jpg', 'webp', 'tiff', 'avif', 'png', 'jxl', 'heic'] as const) {
      const source = await wide(to === 'png' ? 'png' : 'jpg')
      const { path } = await convert(vips, source, to)
      const seen = to === 'jxl' || to === 'heic' ? (await convert(vips, path, 'tiff')).path : path
      assert.ok((await sharp(seen).metadata()).icc, to)
      near(await numbers(seen), [234, 51, 35])
    }
  })

  test('the color profile of an image is converted to sRGB if it cannot be kept, or if the API promises that no metadata is carried over', async () => {
    for (const [to, from] of [
      ['gif', 'jpg'],
      ['png', 'jpg'],
    ] as const) {
      const { path } = await convert(vips, await wide(from), to)
      assert.equal((await sharp(path).metadata()).icc, undefined)
      near(await numbers(path), [255, 0, 0], 8)
    }
    const { path } = await convert(imagemagick, await wide('jpg'), 'tga')
    near(await numbers((await convert(imagemagick, path, 'png')).path), [255, 0, 0], 8)
  })

  test('the color profile of an image causes a warning if it is dropped, as do transparent parts', async () => {
    assert.deepEqual((await convert(vips, await wide('png'), 'gif')).warnings, ['COLORS_CONVERTED'])
    assert.deepEqual((await convert(vips, await wide('png'), 'webp')).warnings, [])
    assert.deepEqual((await convert(vips, fixture('alpha.png'), 'jpg')).warnings, ['TRANSPARENCY_DROPPED'])
    const clear = (await convert(imagemagick, fixture('alpha.png'), 'tga')).path
    const full = (await convert(imagemagick, fixture('corners.png'), 'tga')).path
    assert.deepEqual((await convert(imagemagick, clear, 'jpg')).warnings, ['TRANSPARENCY_DROPPED'])
    for (const [engine, transparent, opaque] of [
      [vips, fixture('alpha.png'), fixture('corners.png')],
      [imagemagick, clear, full],
    ] as const) {
      const chosen = await convert(engine, transparent, 'jpg', { options: { background: 'red' } })
      assert.deepEqual(chosen.warnings, [])
      assert.deepEqual((await convert(engine, opaque, 'jpg')).warnings, [])
    }
  })

  test('conversion to one-bit alpha causes a warning for partly transparent areas', async () => {
    for (const [level, expected] of [
      [128, ['TRANSPARENCY_DROPPED']],
      [0, []],
    ] as const) {
      const path = join(scratchFolder('half-clear'), `level-${level}.png`)
      const pixels = Buffer.from([255, 0, 0, 255, 0, 0, 255, level])
      await writeFile(
        path,
        await sharp(pixels, { raw: { width: 2, height: 1, channels: 4 } })
          .png()
          .toBuffer(),
      )
      assert.deepEqual((await convert(vips, path, 'gif')).warnings, expected)
      assert.deepEqual((await convert(vips, path, 'webp')).warnings, [])
      const onRed = await convert(vips, path, 'gif', { options: { background: 'red' } })
      assert.deepEqual(onRed.warnings, [])
    }
  })

  test('the color profile of an image can be changed to Adobe RGB or to gray', async () => {
    for (const engine of [vips, imagemagick]) {
      const options = { colorSpace: 'Adobe-RGB' }
      const adobe = await convert(engine, fixture('corners.png'), 'jpg', { options })
      near(await numbers(adobe.path), [219, 0, 0], 12)
      assert.match((await sharp(adobe.path).metadata()).icc?.toString('latin1') ?? '', /Adobe/)
    }
    for (const to of ['jpg', 'png', 'tiff'] as const) {
      const gray = await convert(vips, fixture('corners.png'), to, { options: { colorSpace: 'gray' } })
      assert.equal((await sharp(gray.path).metadata()).space, 'b-w', to)
    }
  })

  test('the color profile of an image is converted to the requested color space, whatever the source has', async () => {
    for (const to of ['jpg', 'png'] as const) {
      const plain = await convert(imagemagick, await wide('jpg'), to, { options: { colorSpace: 'srgb' } })
      assert.equal((await sharp(plain.path).metadata()).icc, undefined)
      near(await numbers(plain.path), [255, 0, 0], 8)
      const adobe = await convert(imagemagick, await wide('jpg'), to, {
        options: { colorSpace: 'adobe-rgb' },
      })
      assert.match((await sharp(adobe.path).metadata()).icc?.toString('latin1') ?? '', /Adobe/)
      near(await numbers(adobe.path), [219, 0, 0], 12)
    }
  })

  test('the color profile of a CMYK JPEG is not inverted in a PDF, with or without Adobe marker', async () => {
    const marked = await readFile(fixture('cmyk.jpg'))
    const mark = marked.indexOf(Buffer.from('ffee000e41646f6265', 'hex'))
    assert.ok(mark > 0)
    const path = join(await folder(), 'unmarked.jpg')
    await writeFile(path, Buffer.concat([marked.subarray(0, mark), marked.subarray(mark + 16)]))
    const pages: number[][] = []
    for (const source of [fixture('cmyk.jpg'), path]) {
      const { path: pdf } = await convert(vips, source, 'pdf')
      await readStdout('pdftoppm', '-png', '-singlefile', pdf, `${pdf}-page`)
      pages.push(await numbers(`${pdf}-page.png`))
    }
    near(pages[1] ?? [], pages[0] ?? [], 60)
  })

  test('the color profile of a CMYK image is applied, and without one a default is used', async () => {
    const printed = join(await folder(), 'printed.jpg')
    await sharp(fixture('corners.png'))
      .flatten()
      .withIccProfile('cmyk')
      .toColourspace('cmyk')
      .jpeg({ quality: 95 })
      .toFile(printed)
    assert.ok((await sharp(printed).metadata()).icc)
    for (const engine of [vips, imagemagick]) {
      for (const source of [printed, fixture('cmyk.jpg')]) {
        const { path } = await convert(engine, source, 'png')
        assert.equal((await sharp(path).metadata()).space, 'srgb')
        const [red = 0, green = 0, blue = 0] = await numbers(path)
        assert.ok(red > 200 && green < 90 && blue < 90, `${engine.id} ${red} ${green} ${blue}`)
      }
    }
  })
})

describe('camera metadata', () => {
  after(removeRuns)

  test('camera metadata is removed unless it is to be kept, and the image is rotated either way', async () => {
    const source = join(await folder(), 'noted.jpg')
    const noted = sharp(fixture('orientation-6.jpg'))
      .keepMetadata()
      .withExifMerge({ IFD0: { Artist: 'markerword' } })
    await noted.toFile(source)
    for (const engine of [vips, imagemagick]) {
      for (const to of ['jpg', 'webp'] as const) {
        const left = await convert(engine, source, to)
        assert.doesNotMatch(await readFile(left.path, 'latin1'), /markerword/)
        const kept = await convert(engine, source, to, { options: { metadata: 'keep' } })
        assert.match(await readFile(kept.path, 'latin1'), /markerword/, `${engine.id} ${to}`)
        for (const { path } of [left, kept]) {
          assert.deepEqual(await readImageSize(path, to), { width: 30, height: 40 })
          assert.equal((await sharp(path).metadata()).orientation ?? 1, 1, `${engine.id} ${to}`)
        }
      }
    }
  })
})

describe('image options', () => {
  after(removeRuns)

  test('image options rotate an image', async () => {
    for (const engine of [vips, imagemagick]) {
      const { path } = await convert(engine, fixture('corners.png'), 'png', { options: { rotate: '90' } })
      assert.deepEqual(await readImageSize(path, 'png'), { width: 30, height: 40 })
      near(await numbers(path), [0, 0, 255])
      assert.equal(engine.capabilities[0]?.options.safeParse({ rotate: 45 }).success, false)
    }
  })

  test('image options rotate every frame of an animation', async () => {
    const { path } = await convert(vips, fixture('animated.gif'), 'webp', { options: { rotate: -90 } })
    const { width, pageHeight, pages, delay } = await sharp(path, { animated: true }).metadata()
    assert.deepEqual([width, pageHeight, pages, delay], [30, 40, 3, [100, 200, 300]])
  })

  test('image options set a background for transparent parts', async () => {
    for (const engine of [vips, imagemagick]) {
      for (const to of ['jpg', 'png'] as const) {
        const { path } = await convert(engine, fixture('alpha.png'), to, {
          options: { background: '#00ff00' },
        })
        const middle = sharp(path).removeAlpha().extract({ left: 20, top: 15, width: 1, height: 1 })
        near([...(await middle.raw().toBuffer())], [0, 255, 0], 16)
      }
    }
    const schema = vips.capabilities[0]?.options
    for (const background of ['url(x)', '#12', 'none', '-fill', '@x'])
      assert.equal(schema?.safeParse({ background }).success, false, background)
  })

  test('image options keep the transparency of a HEIC if the target supports it', async () => {
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

  test('limit the longest side without enlarging', async () => {
    const size = async (downscale: number) =>
      readImageSize(
        (await convert(vips, fixture('corners.png'), 'png', { options: { downscale } })).path,
        'png',
      )
    assert.deepEqual(await size(20), { width: 20, height: 15 })
    assert.deepEqual(await size(400), { width: 40, height: 30 })
  })

  test('image options keep the density within the range that JPEG supports', async () => {
    for (const [density, expected] of [
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
      assert.equal((await sharp(path).metadata()).density ?? 72, expected, `${density}`)
    }
  })

  test('image options render vector drawings at the requested resolution', async () => {
    const { path } = await convert(vips, fixture('corners.svg'), 'png', { options: { dpi: 144 } })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 60, height: 45 })
  })

  test('image options include jpegQuality, which takes precedence over quality', async () => {
    const bytes = async (options: Record<string, unknown>) =>
      (await readFile((await convert(vips, fixture('corners.jpg'), 'jpg', { options })).path)).length
    assert.equal(await bytes({ jpegQuality: '20', quality: 'highest' }), await bytes({ quality: 20 }))
  })

  test('image options set the sizes in an icon', async () => {
    const { path } = await convert(imagemagick, fixture('corners.png'), 'ico', {
      options: { sizes: '24, 48' },
    })
    const bytes = await readFile(path)
    assert.deepEqual([bytes.readUInt16LE(4), bytes[6], bytes[22]], [2, 48, 24])
    const schema = imagemagick.capabilities.find(({ to }) => to.includes('ico'))?.options
    for (const sizes of ['0', '257', '16,', 'a'])
      assert.equal(schema?.safeParse({ sizes }).success, false, sizes)
  })

  test('image options write a cursor with the cursor type', async () => {
    const { path } = await convert(imagemagick, fixture('corners.png'), 'cur')
    assert.match(await readStdout('file', path), /cursor/)
    const bytes = await readFile(path)
    assert.deepEqual([...bytes.subarray(0, 6)], [0, 0, 2, 0, 1, 0])
    // The hotspot is the corner; an icon has planes and bits there.
    assert.deepEqual([...bytes.subarray(10, 14)], [0, 0, 0, 0])
  })
})

describe('a camera raw file', () => {
  after(removeRuns)

  async function quarters(path: string): Promise<string> {
    const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    const at = (x: number, y: number) => {
      const start = (Math.floor(info.height * y) * info.width + Math.floor(info.width * x)) * info.channels
      const [red = 0, green = 0, blue = 0] = data.subarray(start, start + 3)
      if (Math.max(red, green, blue) - Math.min(red, green, blue) < 60) return 'x'
      return red > green && red > blue ? 'R' : green > blue ? 'G' : 'B'
    }
    return [at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75), at(0.75, 0.75)].join('')
  }

  for (const from of ['raf', 'rw2', 'mrw'] as const) {
    test(`a camera raw file is converted with the right colors: ${from}`, async () => {
      assert.equal(await quarters((await convert(vips, fixture(`corners.${from}`), 'jpg')).path), 'RGBx')
    })
  }

  test('a camera raw file keeps 16 bits per channel in TIFF', async () => {
    const { path } = await convert(vips, fixture('corners.rw2'), 'tiff')
    assert.match(await readStdout('tiffinfo', path), /Bits\/Sample: 16/)
  })

  test('a camera raw file that is truncated or another kind of TIFF is corrupt', async () => {
    const path = join(await folder(), 'cut.raf')
    await writeFile(path, (await readFile(fixture('corners.raf'))).subarray(0, 4000))
    await assert.rejects(convert(vips, path, 'jpg'), { code: 'CORRUPT_FILE' })
    await assert.rejects(convert(vips, fixture('corners.tiff'), 'jpg', { from: 'nef' }), {
      code: 'CORRUPT_FILE',
    })
  })
})

/** An APNG with partial frames, as other programs write them. */
async function parts(): Promise<string> {
  const [width, height] = [6, 3]
  const pixels = async (color: string, wide: number) => {
    const png = await sharp({ create: { width: wide, height, channels: 4, background: color } })
      .png()
      .toBuffer()
    return Buffer.concat([...readPngChunks(png)].filter(({ type }) => type === 'IDAT').map(({ data }) => data))
  }
  const numbersOf = (...values: number[]) => Buffer.from(values.flatMap((value) => [0, 0, 0, value]))
  const control = (sequence: number, wide: number, left: number, dispose: number, blend: number) => ({
    type: 'fcTL',
    data: Buffer.concat([
      numbersOf(sequence, wide, height, left, 0),
      Buffer.from([0, 1, 0, 10, dispose, blend]),
    ]),
  })
  const more = async (sequence: number, color: string, wide: number) => ({
    type: 'fdAT',
    data: Buffer.concat([numbersOf(sequence), await pixels(color, wide)]),
  })
  const path = join(await folder(), 'parts.apng')
  const file = buildPng([
    { type: 'IHDR', data: Buffer.concat([numbersOf(width, height), Buffer.from([8, 6, 0, 0, 0])]) },
    { type: 'acTL', data: numbersOf(3, 0) },
    control(0, width, 0, 0, 0),
    { type: 'IDAT', data: await pixels('#ff0000', width) },
    control(1, 4, 2, 1, 1),
    await more(2, '#00ff00', 4),
    control(3, 2, 0, 0, 1),
    await more(4, '#0000ff', 2),
    { type: 'IEND', data: Buffer.alloc(0) },
  ])
  await writeFile(path, file)
  return path
}

describe('an animated PNG', () => {
  after(removeRuns)
  const frames = async (source: string, to: FormatId) => {
    const { path, result, warnings } = await convert(vips, source, to)
    return { path, warnings, frames: result.details?.frames }
  }

  test('an animated PNG keeps frames and delays in GIF and WebP, and can be made from both', async () => {
    const { path: moving } = await convert(vips, fixture('animated.gif'), 'apng')
    const times = await readStdout(
      'ffprobe',
      '-v',
      'error',
      '-show_entries',
      'packet=pts_time',
      '-of',
      'csv=p=0',
      moving,
    )
    assert.deepEqual(times.match(/[\d.]+/g)?.map(Number), [0, 0.1, 0.3])
    for (const to of ['gif', 'webp'] as const) {
      const made = await frames(moving, to)
      const { pages, delay } = await sharp(made.path, { animated: true }).metadata()
      assert.deepEqual([pages, delay, made.frames], [3, [100, 200, 300], 3], to)
      assert.equal((await frames(fixture('animated.apng'), to)).frames, 3)
      assert.equal((await frames(made.path, 'apng')).frames, 3)
    }
  })

  test('an animated PNG is rendered with partial frames, blending and disposal', async () => {
    const { path } = await convert(vips, await parts(), 'gif')
    const readPage = async (page: number) => {
      const image = sharp(path, { page }).ensureAlpha().extract({ left: 1, top: 1, width: 3, height: 1 })
      return [...(await image.raw().toBuffer())].map((value) => Math.round(value / 255)).join('')
    }
    // Red; one half green; the green cleared, and blue over the rest.
    assert.deepEqual(
      [await readPage(0), await readPage(1), await readPage(2)],
      ['100110011001', '100101010101', '001100000000'],
    )
  })

  test('an animated PNG becomes its first frame with a warning in other formats', async () => {
    const { path, warnings } = await frames(fixture('animated.apng'), 'jpg')
    assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
    near(await numbers(path), [255, 0, 0])
  })
})

import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readImageSize, readStdout } from '../support/inspect-result.ts'
import { assertProgressRises, convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

const upright = fixture('corners.png')
const portraitImage = fixture('orientation-6.jpg')

async function readPixel(path: string, left: number, top: number): Promise<number[]> {
  return [...(await sharp(path).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer())]
}

describe('merging images', () => {
  after(removeRuns)
  const mergeImages = (to: FormatId, otherPaths: readonly string[], options: RunSettings['options'] = {}) =>
    convert(vips, upright, to, { operation: 'merge', more: otherPaths, options })

  test('images merged in a column are upright and centered', async () => {
    const run = await mergeImages('png', [portraitImage, fixture('corners.bmp')])
    const { path, result } = run
    assertProgressRises(run)
    assert.deepEqual(await readImageSize(path, 'png'), { width: 40, height: 30 + 40 + 30 })
    assert.equal(result.details?.pictures, 3)
    assert.deepEqual(await readPixel(path, 2, 2), [255, 0, 0, 255])
    // The image is 30 pixels wide and centered in 40 pixels.
    for (const [left, alpha] of [
      [4, 0],
      [5, 255],
      [34, 255],
      [35, 0],
    ] as const)
      assert.equal((await readPixel(path, left, 50))[3], alpha, `${left}`)
    assert.deepEqual(await readPixel(path, 38, 72), [0, 255, 0, 255])
  })

  test('JPEGs with extra bytes before the image data are merged completely', async () => {
    const blue = sharp({ create: { width: 20, height: 10, channels: 3, background: '#0000ff' } })
    const latePath = join(scratchFolder('merge-images-test'), 'late.jpg')
    await writeFile(latePath, Buffer.concat([Buffer.from('otters'), await blue.jpeg().toBuffer()]))
    const { path } = await mergeImages('png', [fixture('odd/http-header.jpg'), latePath])
    assert.deepEqual(await readImageSize(path, 'png'), { width: 40, height: 30 + 30 + 10 })
    const [upperRed = 0] = await readPixel(path, 2, 32)
    const [lowerRed = 255, , lowerBlue = 0] = await readPixel(path, 20, 65)
    assert.ok(upperRed > 200 && lowerRed < 50 && lowerBlue > 200)
  })

  test('images are merged in a row or in a grid of equal cells, depending on the layout option', async () => {
    const readSize = async (layout: string, count: number) =>
      readImageSize((await mergeImages('png', Array(count - 1).fill(portraitImage), { layout })).path, 'png')
    // Cells of 40 by 40: the third image in a grid of two columns is the first of the second row.
    const grid = (await mergeImages('png', [portraitImage, portraitImage], { layout: 'grid2x2' })).path
    const edges = [
      [2, 4, 2, 5],
      [2, 35, 2, 34],
      [44, 20, 45, 20],
      [75, 20, 74, 20],
      [4, 60, 5, 60],
      [35, 60, 34, 60],
    ] as const
    for (const [left, top, innerLeft, innerTop] of edges) {
      assert.equal((await readPixel(grid, left, top))[3], 0, `nothing at ${left}, ${top}`)
      assert.equal(
        (await readPixel(grid, innerLeft, innerTop))[3],
        255,
        `an image at ${innerLeft}, ${innerTop}`,
      )
    }
    assert.deepEqual(await readPixel(grid, 2, 7), [255, 0, 0, 255])
    assert.deepEqual(await readSize('horizontal', 3), { width: 40 + 30 + 30, height: 40 })
    assert.deepEqual(await readSize('grid', 5), { width: 3 * 40, height: 2 * 40 })
    assert.deepEqual(await readSize('grid2x2', 3), { width: 2 * 40, height: 2 * 40 })
    assert.deepEqual(await readSize('grid3x3', 4), { width: 3 * 40, height: 3 * 40 })
  })

  test('merging images causes a warning about dropped metadata only with metadata=keep', async () => {
    const options = { metadata: 'keep' }
    assert.deepEqual((await mergeImages('jpg', [portraitImage], options)).warnings, ['METADATA_NOT_KEPT'])
    assert.deepEqual((await mergeImages('jpg', [portraitImage])).warnings, [])
  })

  test('images merged to JPEG are on white or on the requested background color', async () => {
    const { path } = await mergeImages('jpg', [portraitImage])
    const backgroundColor = await readPixel(path, 1, 50)
    assert.ok(
      backgroundColor.every((value) => value > 245),
      `the ground is ${backgroundColor} instead of white`,
    )
    const coloredRun = await mergeImages('jpg', [portraitImage], { background: '0000FF' })
    const [red = 0, , blue = 0] = await readPixel(coloredRun.path, 1, 50)
    assert.ok(blue > 240 && red < 15, `the ground has red ${red}, blue ${blue}`)
    assert.deepEqual(await readImageSize((await mergeImages('webp', [portraitImage])).path, 'webp'), {
      width: 40,
      height: 70,
    })
  })

  test('merging images is refused if there are too many for the layout or the result would be too large', async () => {
    await assert.rejects(mergeImages('png', Array(4).fill(portraitImage), { layout: 'grid2x2' }), {
      code: 'INVALID_INPUT',
      details: { field: 'layout', reason: 'too-many-images', max: 4, got: 5 },
    })
    const { path: wide } = await convert(vips, upright, 'png', {
      options: { width: 20_000, height: 20, fit: 'crop' },
    })
    await assert.rejects(mergeImages('png', [wide, wide], { layout: 'horizontal' }), {
      code: 'FILE_TOO_LARGE',
      details: { width: 20_000 + 20_000 + 40, height: 30, maxSide: 30_000, maxPixels: 16_383 ** 2 },
    })
  })

  test('merging an animated image causes a warning that the animation is dropped', async () => {
    const { warnings } = await mergeImages('png', [fixture('animated.gif')])
    assert.deepEqual(warnings, ['ANIMATION_DROPPED'])
  })

  test('images are merged into a PDF with a page for each image and for each page of a TIFF', async () => {
    const { path, result, warnings } = await mergeImages('pdf', [
      ...[portraitImage, fixture('pages.tiff'), fixture('corners.heic')],
    ])
    assert.equal(await countPdfPages(path), 1 + 1 + 3 + 1)
    assert.deepEqual([result.details, warnings], [{ pages: 6 }, []])
    assert.match(await readStdout('pdfinfo', '-f', '2', '-l', '2', path), /rot:\s+90/)
  })

  test('images merged into a PDF get pages with the requested size and margin', async () => {
    const options = { pageSize: 'A5', margin: '10mm' }
    const { path } = await mergeImages('pdf', [fixture('corners.jpg'), portraitImage], options)
    const sizes = (await readStdout('pdfinfo', '-l', '3', path)).matchAll(/Page +\d size: +(.*) pts/g)
    assert.deepEqual(
      [...sizes].map(([, size]) => size),
      ['595.276 x 419.528', '595.276 x 419.528', '595.276 x 419.528'],
    )
    const [first] = (await readStdout('pdfimages', '-list', path)).split('\n').slice(2)
    // 40 × 30 pixels fill the 128 mm between the margins of the short side.
    assert.equal(Number(first?.trim().split(/\s+/).at(-3)), Math.round(30 / (128 / 25.4)))
    const runWithWideMargin = await mergeImages('pdf', [], { margin: '1in' })
    assert.match(await readStdout('pdfinfo', runWithWideMargin.path), /Page size: +184 x 174 pts/)
  })

  test('merging images with margins that leave no room on the page is refused', async () => {
    const runningMerge = mergeImages('pdf', [], { pageSize: 'A5', margin: '73mm' })
    await assert.rejects(runningMerge, {
      code: 'INVALID_INPUT',
      details: { field: 'margin', reason: 'no-room' },
    })
  })

  test('at most 20 images can be merged into one image, and at most 100 into a PDF', () => {
    const rows = vips.capabilities.filter(({ operation }) => operation === 'merge')
    assert.deepEqual(
      rows.map(({ to, more }) => [to[0], more?.max]),
      [
        ['png', 19],
        ['jpg', 19],
        ['webp', 19],
        ['pdf', 99],
      ],
    )
  })
})

/** Creates a reproducible image with as much detail as a photo. */
async function createDetailedImage(
  format: 'jpg' | 'png' | 'webp' | 'tiff' | 'gif' | 'avif',
): Promise<string> {
  const { workDir } = await convert(vips, upright, 'png')
  const [width, height] = [320, 240]
  const data = Buffer.alloc(width * height * 3)
  let seed = 7
  for (let at = 0; at < data.length; at++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    data[at] = Math.round(128 + 90 * Math.sin(at / 977) + (seed / 2 ** 31) * 30)
  }
  const path = join(workDir, `detailed.${format}`)
  const image = sharp(data, { raw: { width, height, channels: 3 } })
  if (format === 'jpg') await image.jpeg({ quality: 97 }).toFile(path)
  else if (format === 'webp') await image.webp({ quality: 97 }).toFile(path)
  else if (format === 'avif') await image.avif({ quality: 95, effort: 0 }).toFile(path)
  else await image.toFile(path)
  return path
}

describe('image compression', () => {
  after(removeRuns)
  const compressImage = (path: string, options: RunSettings['options'] = {}) => {
    const format = path.slice(path.lastIndexOf('.') + 1) as FormatId // The files of this test are named by their id.
    return convert(vips, path, format, { operation: 'compress', options })
  }
  const readSize = async (path: string) => (await stat(path)).size

  for (const format of ['jpg', 'png', 'webp', 'tiff', 'gif', 'avif'] as const) {
    test(`compressing an image in ${format} reduces its bytes and keeps its dimensions`, async () => {
      const source = await createDetailedImage(format)
      const run = await compressImage(source)
      const { path, result, warnings } = run
      assertProgressRises(run)
      assert.ok(Number(run.progress.at(-2)) > 0.8, 'one try is nearly all of it')
      assert.ok((await readSize(path)) < (await readSize(source)), `${await readSize(path)} bytes`)
      assert.deepEqual(await readImageSize(path, format), { width: 320, height: 240 })
      assert.deepEqual(
        [result.details?.sizeBefore, result.details?.sizeAfter],
        [await readSize(source), await readSize(path)],
      )
      assert.deepEqual(warnings, [])
    })
  }

  test('compressing an image with a lower quality makes it smaller', async () => {
    const source = await createDetailedImage('jpg')
    const readCompressedSize = async (quality: string | number) =>
      readSize((await compressImage(source, { quality })).path)
    const sizes = [
      await readCompressedSize('low'),
      await readCompressedSize('high'),
      await readCompressedSize(10),
      await readCompressedSize('60'),
    ] as const
    assert.ok(sizes[0] < sizes[1] && sizes[2] < sizes[3], `bytes of low, high, 10 and 60: ${sizes}`)
  })

  test('compressing an image to a target size makes it no larger than that size, but not much smaller', async () => {
    const source = await createDetailedImage('jpg')
    // The size is close to the target size, but less close if the image is scaled down, because that has larger steps.
    for (const [targetSize, minRatio] of [
      [20_000, 0.9],
      [8000, 0.9],
      [1200, 0.7],
    ] as const) {
      const run = await compressImage(source, { targetSize })
      const { path, result, warnings } = run
      assertProgressRises(run)
      assert.ok(Number(run.progress[0]) < 0.3, 'the first try is one of several')
      assert.ok(
        (await readSize(path)) <= targetSize && (await readSize(path)) > targetSize * minRatio,
        `${await readSize(path)}`,
      )
      assert.deepEqual([result.details?.reached, warnings], [true, []])
    }
  })

  test('compressing an image gives a warning if the target size cannot be reached', async () => {
    const { result, warnings } = await compressImage(await createDetailedImage('png'), { targetSize: 200 })
    assert.deepEqual([result.details?.reached, warnings], [false, ['TARGET_NOT_REACHED']])
  })

  test('compressing an image that is already below the target size leaves it unchanged', async () => {
    const targetSize = await readSize(fixture('corners.jpg'))
    const { path, result, warnings } = await compressImage(fixture('corners.jpg'), { targetSize })
    assert.deepEqual([result.details?.reached, warnings], [true, []])
    assert.deepEqual(await readFile(path), await readFile(fixture('corners.jpg')))
  })

  test('compressing an image with quality=100 does not make it larger', async () => {
    for (const name of ['corners.jpg', 'animated.gif', 'corners.heic']) {
      const { path, warnings } = await compressImage(fixture(name), { quality: 100 })
      assert.ok((await readSize(path)) <= (await readSize(fixture(name))), name)
      if ((await readSize(path)) === (await readSize(fixture(name))))
        assert.deepEqual(warnings, ['NOT_SMALLER'], name)
    }
  })

  test('compressing an animated image keeps the animation', async () => {
    const frames = [0, 120, 240].map(
      (hue) =>
        ({ create: { width: 300, height: 200, channels: 3, background: `hsl(${hue},100%,50%)` } }) as const,
    )
    const { workDir } = await convert(vips, upright, 'png')
    for (const format of ['gif', 'webp'] as const) {
      const pngs = await Promise.all(frames.map((frame) => sharp(frame).png().toBuffer()))
      const path = join(workDir, `moving.${format}`)
      await writeFile(
        path,
        await sharp(pngs, { join: { animated: true } })
          .toFormat(format, { delay: [100, 200, 300] })
          .toBuffer(),
      )
      const compressedImage = await compressImage(path)
      const { pages, delay } = await sharp(compressedImage.path, { animated: true }).metadata()
      assert.deepEqual([pages, delay], [3, [100, 200, 300]], format)
      assert.ok((await readFile(compressedImage.path)).length > 0)
    }
  })
})

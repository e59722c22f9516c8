import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { planRoute } from '../../plan/with-all-engines.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { assertColor, readPixels } from '../support/inspect-pixels.ts'
import { readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'
import { bands, getPath, readSize, type Target, thumbnail } from '../support/thumbnails.ts'

/** Creates a blank image of this size. */
async function createBlankImage(width: number, height: number): Promise<string> {
  const path = getPath(`${width}x${height}.png`)
  await sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .png()
    .toFile(path)
  return path
}

describe('image thumbnails', () => {
  test('a thumbnail of an image has the size that follows from its width, height and fit options', async () => {
    const widePath = await createBlankImage(1000, 500)
    const square = { width: 100, height: 100 }
    for (const [options, width, height] of [
      [{}, 256, 128],
      [{ width: 100 }, 100, 50],
      [{ height: '100' }, 200, 100],
      [{ width: 100, height: 100 }, 100, 50],
      [{ width: 2000, height: 2000 }, 1000, 500],
      [{ width: 100, height: 100, fit: 'crop' }, 100, 100],
      [{ width: 1200, height: 1100, fit: 'crop' }, 1200, 1100],
      [{ width: 100, height: 100, fit: 'scale' }, 100, 100],
      [{ width: 30, height: 700, fit: 'scale' }, 30, 700],
      [{ width: 100, fit: 'scale' }, 100, 50],
      [{ height: 600, fit: 'crop' }, 1200, 600],
      [{ width: 1, height: 1 }, 1, 1],
    ] as const)
      assert.deepEqual(await readSize(vips, widePath, options), { width, height }, JSON.stringify(options))
    for (const to of ['jpg', 'webp'] as const)
      assert.deepEqual(
        await readSize(vips, widePath, { width: 100, height: 100, fit: 'crop' }, to),
        square,
        to,
      )
    const { options } = planRoute({ from: 'png', to: 'png', operation: 'thumbnail' }).steps[0].capability
    for (const wrongOptions of [
      { width: 0 },
      { width: 8193 },
      { height: 1.5 },
      { fit: 'contain' },
      { width: 'wide' },
    ])
      assert.equal(options.safeParse(wrongOptions).success, false, JSON.stringify(wrongOptions))
  })

  test('a thumbnail of an image is cropped to the center or stretched, depending on the fit option', async () => {
    const croppedThumbnail = await thumbnail(vips, bands, 'png', { width: 50, height: 50, fit: 'crop' })
    const middlePixels = await readPixels(croppedThumbnail.path, 'png')
    for (const at of [2, 25, 47]) assertColor(middlePixels, [at, 25], '#00ff00', 3)
    const squeezedThumbnail = await thumbnail(vips, bands, 'png', { width: 60, height: 90, fit: 'scale' })
    const wholePixels = await readPixels(squeezedThumbnail.path, 'png')
    assertColor(wholePixels, [5, 45], '#ff0000', 3)
    assertColor(wholePixels, [30, 45], '#00ff00', 3)
    assertColor(wholePixels, [55, 45], '#0000ff', 3)
  })

  test('thumbnails can be made of very small and very narrow images', async () => {
    const box = { width: 64, height: 64 }
    const dot = await createBlankImage(1, 1)
    assert.deepEqual(await readSize(vips, dot, box), { width: 1, height: 1 })
    assert.deepEqual(await readSize(vips, dot, { ...box, fit: 'crop' }), box)
    assert.deepEqual(await readSize(vips, dot, { ...box, fit: 'scale' }, 'jpg'), box)
    const line = await createBlankImage(9000, 1)
    assert.deepEqual(await readSize(vips, line, box), { width: 64, height: 1 })
    assert.deepEqual(await readSize(vips, line, { ...box, fit: 'scale' }), box)
    const post = await createBlankImage(1, 9000)
    assert.deepEqual(await readSize(vips, post, box), { width: 1, height: 64 })
    assert.deepEqual(await readSize(vips, post, { width: 8192, fit: 'crop' }), { width: 1, height: 8192 })
    const needle = getPath('needle.svg')
    await writeFile(needle, '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="9000"/>')
    assert.deepEqual(await readSize(vips, needle, { ...box, fit: 'crop' }), box)
    assert.deepEqual(await readSize(vips, needle, box), { width: 1, height: 64 })
  })

  test('a thumbnail of an image is upright and in sRGB', async () => {
    const portraitThumbnail = await thumbnail(vips, fixture('orientation-6.jpg'), 'png', {
      width: 20,
      height: 20,
    })
    assert.deepEqual(await readImageSize(portraitThumbnail.path, 'png'), { width: 15, height: 20 })
    const pixels = await readPixels(portraitThumbnail.path, 'png')
    const uprightPath = (await convert(vips, fixture('orientation-6.jpg'), 'png')).path
    const wholePixels = await readPixels(uprightPath, 'png')
    for (const [x, y] of [
      [3, 4],
      [11, 4],
      [3, 15],
    ] as const) {
      const at = (y * 2 * wholePixels.width + x * 2) * 3
      const color = `#${wholePixels.data.toString('hex', at, at + 3)}`
      assertColor(pixels, [x, y], color, 25)
    }
    const cmykThumbnail = await thumbnail(vips, fixture('cmyk.jpg'), 'jpg', { width: 20 })
    assert.match(
      await readStdout('identify', '-format', '%[colorspace] %w %h', cmykThumbnail.path),
      /sRGB 20 15/,
    )
    const deepThumbnail = await thumbnail(vips, fixture('deep.png'), 'png')
    assert.match(await readStdout('identify', '-format', '%z', deepThumbnail.path), /^8/)
    assertColor(await readPixels(deepThumbnail.path, 'png'), [10, 10], '#123456', 2)
  })

  test('a thumbnail of an image keeps transparency if its format supports it, otherwise transparent parts become white', async () => {
    const readAlpha = async (to: Target) => {
      const { path } = await thumbnail(vips, fixture('alpha.png'), to, { width: 20 })
      return (await sharp(path).metadata()).hasAlpha
    }
    assert.deepEqual(
      [await readAlpha('png'), await readAlpha('webp'), await readAlpha('jpg')],
      [true, true, false],
    )
    const { path } = await thumbnail(vips, fixture('alpha.png'), 'jpg', { width: 20 })
    assertColor(await readPixels(path, 'jpg'), [10, 7], '#ffffff', 20)
  })

  test('a thumbnail of an image with several frames or pages shows the first frame or page', async () => {
    for (const name of ['animated.gif', 'animated.webp', 'animated.apng', 'pages.tiff']) {
      const { path } = await thumbnail(vips, fixture(name), 'webp', { width: 20 })
      assert.deepEqual(await readImageSize(path, 'webp'), { width: 20, height: 15 }, name)
      assert.equal((await sharp(path).metadata()).pages ?? 1, 1, name)
      assertColor(await readPixels(path, 'webp'), [10, 7], '#ff0000', 30)
    }
  })

  test('a thumbnail of a vector drawing is rendered at the requested size', async () => {
    const { path } = await thumbnail(vips, fixture('corners.svg'), 'png', { width: 400, height: 400 })
    assert.deepEqual(await readImageSize(path, 'png'), { width: 400, height: 300 })
    const pixels = await readPixels(path, 'png')
    // The edge is sharp.
    assertColor(pixels, [198, 10], '#ff0000', 2)
    assertColor(pixels, [201, 10], '#00ff00', 2)
  })

  test('a thumbnail can be made of HEIC, camera raw, PSD and DCX images, which libvips cannot read', async () => {
    // thumbnail.slow.ts tests every fixture.
    for (const name of ['corners.heic', 'corners.raf'])
      assert.equal(
        (await readSize(vips, fixture(name), { width: 20, height: 20, fit: 'crop' })).width,
        20,
        name,
      )
    for (const name of ['corners.psd', 'corners.dcx']) {
      const { path } = await thumbnail(imagemagick, fixture(name), 'jpg', { width: 20 })
      assert.deepEqual(await readImageSize(path, 'jpg'), { width: 20, height: 15 }, name)
      assertColor(await readPixels(path, 'jpg'), [4, 3], '#ff0000', 60)
    }
  })

  test('making a thumbnail of a text file that is declared as an image, a video or a PDF is refused as corrupt', async () => {
    for (const [engine, from] of [
      [vips, 'jpg'],
      [imagemagick, 'psd'],
      [ffmpeg, 'mp4'],
      [pdf, 'pdf'],
    ] as const) {
      const run = convert(engine, fixture('plain.txt'), 'png', { operation: 'thumbnail', from })
      await assertRefused(run, 'CORRUPT_FILE', /damaged/, from)
    }
  })
})

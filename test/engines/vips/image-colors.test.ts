import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { assertNear, folder, readNumbers } from '../support/color-images.ts'
import { readImageSize, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

describe('color profiles of images', () => {
  after(removeRuns)

  async function createWideGamutImage(extension: 'jpg' | 'png'): Promise<string> {
    const path = join(await folder(), `wide.${extension}`)
    const red = sharp({ create: { width: 16, height: 16, channels: 3, background: '#ff0000' } })
    await red
      .withIccProfile('p3')
      .toFormat(extension === 'jpg' ? 'jpeg' : 'png', { quality: 100 })
      .toFile(path)
    return path
  }

  test('a color profile wider than sRGB is kept if the target supports profiles', async () => {
    for (const to of ['jpg', 'webp', 'tiff', 'avif', 'png', 'jxl', 'heic'] as const) {
      const source = await createWideGamutImage(to === 'png' ? 'png' : 'jpg')
      const { path } = await convert(vips, source, to)
      const readablePath = to === 'jxl' || to === 'heic' ? (await convert(vips, path, 'tiff')).path : path
      assert.ok((await sharp(readablePath).metadata()).icc, to)
      assertNear(await readNumbers(readablePath), [234, 51, 35])
    }
  })

  test('an image with a wide color profile is converted to sRGB in GIF and TGA, and from JPEG to PNG', async () => {
    for (const [to, from] of [
      ['gif', 'jpg'],
      ['png', 'jpg'],
    ] as const) {
      const { path } = await convert(vips, await createWideGamutImage(from), to)
      assert.equal((await sharp(path).metadata()).icc, undefined)
      assertNear(await readNumbers(path), [255, 0, 0], 8)
    }
    const { path } = await convert(imagemagick, await createWideGamutImage('jpg'), 'tga')
    assertNear(await readNumbers((await convert(imagemagick, path, 'png')).path), [255, 0, 0], 8)
  })

  test('an image causes a warning if its color profile or its transparency is dropped', async () => {
    assert.deepEqual((await convert(vips, await createWideGamutImage('png'), 'gif')).warnings, [
      'COLORS_CONVERTED',
    ])
    assert.deepEqual((await convert(vips, await createWideGamutImage('png'), 'webp')).warnings, [])
    assert.deepEqual((await convert(vips, fixture('alpha.png'), 'jpg')).warnings, ['TRANSPARENCY_DROPPED'])
    const transparentImage = (await convert(imagemagick, fixture('alpha.png'), 'tga')).path
    const fullPath = (await convert(imagemagick, fixture('corners.png'), 'tga')).path
    assert.deepEqual((await convert(imagemagick, transparentImage, 'jpg')).warnings, ['TRANSPARENCY_DROPPED'])
    for (const [engine, transparent, opaque] of [
      [vips, fixture('alpha.png'), fixture('corners.png')],
      [imagemagick, transparentImage, fullPath],
    ] as const) {
      const chosenColor = await convert(engine, transparent, 'jpg', { options: { background: 'red' } })
      assert.deepEqual(chosenColor.warnings, [])
      assert.deepEqual((await convert(engine, opaque, 'jpg')).warnings, [])
    }
  })

  test('an image converted to a format with one-bit alpha causes a warning for partly transparent areas', async () => {
    for (const [level, expectedColor] of [
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
      assert.deepEqual((await convert(vips, path, 'gif')).warnings, expectedColor)
      assert.deepEqual((await convert(vips, path, 'webp')).warnings, [])
      const onRedBackground = await convert(vips, path, 'gif', { options: { background: 'red' } })
      assert.deepEqual(onRedBackground.warnings, [])
    }
  })

  test('an image can be converted to the Adobe RGB color profile or to gray', async () => {
    for (const engine of [vips, imagemagick]) {
      const options = { colorSpace: 'Adobe-RGB' }
      const adobeRgbImage = await convert(engine, fixture('corners.png'), 'jpg', { options })
      assertNear(await readNumbers(adobeRgbImage.path), [219, 0, 0], 12)
      assert.match((await sharp(adobeRgbImage.path).metadata()).icc?.toString('latin1') ?? '', /Adobe/)
    }
    for (const to of ['jpg', 'png', 'tiff'] as const) {
      const gray = await convert(vips, fixture('corners.png'), to, { options: { colorSpace: 'gray' } })
      assert.equal((await sharp(gray.path).metadata()).space, 'b-w', to)
    }
  })

  test('an image with a Display P3 profile is converted to the requested color space, sRGB or Adobe RGB', async () => {
    for (const to of ['jpg', 'png'] as const) {
      const plainImage = await convert(imagemagick, await createWideGamutImage('jpg'), to, {
        options: { colorSpace: 'srgb' },
      })
      assert.equal((await sharp(plainImage.path).metadata()).icc, undefined)
      assertNear(await readNumbers(plainImage.path), [255, 0, 0], 8)
      const adobeRgbImage = await convert(imagemagick, await createWideGamutImage('jpg'), to, {
        options: { colorSpace: 'adobe-rgb' },
      })
      assert.match((await sharp(adobeRgbImage.path).metadata()).icc?.toString('latin1') ?? '', /Adobe/)
      assertNear(await readNumbers(adobeRgbImage.path), [219, 0, 0], 12)
    }
  })

  test('a CMYK JPEG has about the same colors in a PDF with and without its Adobe marker', async () => {
    const markedJpeg = await readFile(fixture('cmyk.jpg'))
    const mark = markedJpeg.indexOf(Buffer.from('ffee000e41646f6265', 'hex'))
    assert.ok(mark > 0)
    const path = join(await folder(), 'unmarked.jpg')
    await writeFile(path, Buffer.concat([markedJpeg.subarray(0, mark), markedJpeg.subarray(mark + 16)]))
    const pages: number[][] = []
    for (const source of [fixture('cmyk.jpg'), path]) {
      const { path: pdf } = await convert(vips, source, 'pdf')
      await readStdout('pdftoppm', '-png', '-singlefile', pdf, `${pdf}-page`)
      pages.push(await readNumbers(`${pdf}-page.png`))
    }
    assertNear(pages[1] ?? [], pages[0] ?? [], 60)
  })

  test('the color profile of a CMYK image is applied, or a default profile if it has none', async () => {
    const cmykPath = join(await folder(), 'printed.jpg')
    await sharp(fixture('corners.png'))
      .flatten()
      .withIccProfile('cmyk')
      .toColourspace('cmyk')
      .jpeg({ quality: 95 })
      .toFile(cmykPath)
    assert.ok((await sharp(cmykPath).metadata()).icc)
    for (const engine of [vips, imagemagick]) {
      for (const source of [cmykPath, fixture('cmyk.jpg')]) {
        const { path } = await convert(engine, source, 'png')
        assert.equal((await sharp(path).metadata()).space, 'srgb')
        const [red = 0, green = 0, blue = 0] = await readNumbers(path)
        assert.ok(red > 200 && green < 90 && blue < 90, `${engine.id} ${red} ${green} ${blue}`)
      }
    }
  })
})

describe('camera metadata', () => {
  after(removeRuns)

  test('camera metadata is removed unless the client asks to keep it, and the photo is upright in both cases', async () => {
    const source = join(await folder(), 'noted.jpg')
    const imageWithMetadata = sharp(fixture('orientation-6.jpg'))
      .keepMetadata()
      .withExifMerge({ IFD0: { Artist: 'markerword' } })
    await imageWithMetadata.toFile(source)
    for (const engine of [vips, imagemagick]) {
      for (const to of ['jpg', 'webp'] as const) {
        const convertedLeft = await convert(engine, source, to)
        assert.doesNotMatch(await readFile(convertedLeft.path, 'latin1'), /markerword/)
        const runKeepingMetadata = await convert(engine, source, to, { options: { metadata: 'keep' } })
        assert.match(await readFile(runKeepingMetadata.path, 'latin1'), /markerword/, `${engine.id} ${to}`)
        for (const { path } of [convertedLeft, runKeepingMetadata]) {
          assert.deepEqual(await readImageSize(path, to), { width: 30, height: 40 })
          assert.equal((await sharp(path).metadata()).orientation ?? 1, 1, `${engine.id} ${to}`)
        }
      }
    }
  })

  test('camera metadata that cannot be kept causes a warning if the client asks to keep it', async () => {
    const source = fixture('orientation-6.jpg')
    for (const to of ['gif', 'tiff', 'bmp', 'jxr', 'djvu', 'icns'] as const) {
      const { warnings } = await convert(vips, source, to, { options: { metadata: 'keep' } })
      assert.deepEqual(warnings, ['METADATA_NOT_KEPT'], to)
      assert.deepEqual((await convert(vips, source, to)).warnings, [], to)
    }
    for (const engine of [vips, imagemagick])
      assert.deepEqual(
        (await convert(engine, source, 'webp', { options: { metadata: 'keep' } })).warnings,
        [],
      )
    for (const to of ['tiff', 'psd', 'tga', 'pcx'] as const) {
      const { warnings } = await convert(imagemagick, source, to, { options: { metadata: 'keep' } })
      assert.deepEqual(warnings, ['METADATA_NOT_KEPT'], to)
      assert.deepEqual((await convert(imagemagick, source, to)).warnings, [], to)
    }
  })

  test('XMP of a GIF or APNG, which is not copied, causes a warning if the client asks to keep it', async () => {
    const options = { metadata: 'keep' }
    for (const id of ['gif', 'apng'] as const) {
      const path = join(await folder(), `noted.${id}`)
      const bare = await convert(vips, fixture(`animated.${id}`), 'webp', { options })
      assert.deepEqual(bare.warnings, [], id)
      await readStdout(
        'exiftool',
        ...['-q', '-api', 'PNGEarlyXMP=1', '-XMP:Creator=Zebra', '-o', path, fixture(`animated.${id}`)],
      )
      const { warnings, messages } = await convert(vips, path, 'webp', { options })
      assert.deepEqual(warnings, ['METADATA_NOT_KEPT'], id)
      assert.match(messages.join(), new RegExp(`metadata of ${id} files cannot be copied`))
    }
  })
})

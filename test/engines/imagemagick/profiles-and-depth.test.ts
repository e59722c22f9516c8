import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { assertNear, readNumbers } from '../support/color-images.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPsd } from '../support/psd-maker.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('profiles-and-depth')

async function write(name: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return path
}

const createSolidImage = (background: string) =>
  sharp({ create: { width: 16, height: 16, channels: 3, background } })

/**
 * Converts a color to CMYK with libvips. Returns the CMYK profile, the ink levels (inverted, as in PSD), and the sRGB
 * color that these inks have.
 */
async function convertToInks(background: string) {
  const printedImage = createSolidImage(background).withIccProfile('cmyk').toColourspace('cmyk')
  const path = await write('printed.tiff', await printedImage.tiff({ compression: 'none' }).toBuffer())
  const { icc: profile } = await sharp(path).metadata()
  assert.ok(profile)
  const inks = await sharp(path, { ignoreIcc: true })
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk')
    .raw()
    .toBuffer()
  const renderedColor = await sharp(path).toColourspace('srgb').raw().toBuffer()
  return {
    profile,
    levels: [...inks.subarray(0, 4)].map((ink) => 255 - ink),
    color: [...renderedColor.subarray(0, 3)],
  }
}

describe('Photoshop documents', () => {
  after(removeRuns)

  test('a CMYK Photoshop document is converted with its color profile, its transparency and its layer masks', async () => {
    const { profile, levels, color } = await convertToInks('#2060c0')
    const paper = [255, 255, 255, 255]
    const layers = [{ levels }]
    const maskedColor = color.map((level) => Math.round((level + 255) / 2))
    for (const [name, document, expected, alpha] of [
      ['flat', { levels }, color, 255],
      ['clear', { levels: [...levels, 128], layers, hasTransparency: true }, color, 128],
      ['selection', { levels: [...levels, 0], layers }, color, 255],
      [
        'unmerged',
        { levels: paper, layers: [{ levels: paper }, { levels, mask: 128 }], lacksMergedImage: true },
        maskedColor,
        255,
      ],
    ] as const) {
      const source = await write(`${name}.psd`, createPsd({ mode: 'cmyk', profile, ...document }))
      for (const to of ['png', 'tiff', 'webp'] as const) {
        const { path, warnings } = await convert(imagemagick, source, to)
        assert.deepEqual(warnings, [], name)
        // ImageMagick mixes inks, not light.
        assertNear(await readNumbers(path), expected, name === 'unmerged' ? 40 : 12)
        const { channels } = await sharp(path).stats()
        assert.equal(channels[3]?.mean ?? 255, alpha, `${name} to ${to}`)
      }
      assertNear(
        await readNumbers((await convert(imagemagick, source, 'jpg')).path),
        alpha === 128 ? maskedColor : expected,
        name === 'unmerged' ? 40 : 12,
      )
    }
  })

  test('a CMYK Photoshop document without a color profile is converted with the default CMYK profile of libvips', async () => {
    const { levels, color } = await convertToInks('#2060c0')
    const source = await write('plain.psd', createPsd({ mode: 'cmyk', levels }))
    for (const to of ['png', 'jpg'] as const)
      assertNear(await readNumbers((await convert(imagemagick, source, to)).path), color, 12)
    const { path } = await convert(imagemagick, source, 'png', { options: { colorSpace: 'adobe-rgb' } })
    assertNear(
      await readNumbers(await write('adobe.png', await sharp(path).toColourspace('srgb').toBuffer())),
      color,
      12,
    )
  })

  test('an RGB Photoshop document keeps its profile if the target stores one, and is converted to sRGB otherwise', async () => {
    const image = await createSolidImage('#ff0000').withIccProfile('p3').png().toBuffer()
    const { icc: profile } = await sharp(image).metadata()
    assert.ok(profile)
    const source = await write('wide.psd', createPsd({ mode: 'rgb', levels: [234, 51, 35], profile }))
    for (const to of ['png', 'jpg', 'tiff', 'webp'] as const) {
      const { path } = await convert(imagemagick, source, to)
      assert.ok((await sharp(path).metadata()).icc, to)
      assertNear(await readNumbers(path), [234, 51, 35])
    }
    const { path } = await convert(imagemagick, source, 'bmp')
    assertNear(await readNumbers((await convert(imagemagick, path, 'png')).path), [255, 0, 0], 8)
  })

  test('a gray Photoshop document is converted with its color profile', async () => {
    const profile = await readFile('/usr/share/color/icc/Gray.icc')
    const source = await write('gray.psd', createPsd({ mode: 'gray', levels: [90], profile }))
    for (const to of ['png', 'jpg', 'webp'] as const) {
      const { path } = await convert(imagemagick, source, to)
      // The values of the profile are proportional to light.
      const { data } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
      assertNear([data[0] ?? 0], [160])
      assert.equal((await sharp(path).metadata()).icc, undefined)
    }
  })
})

describe('bits per channel', () => {
  after(removeRuns)

  const readBitDepth = async (path: string) =>
    Number(await readStdout('identify', '-format', '%z', `${path}[0]`))

  test('an image with 16 bits per channel keeps them if the target can store them, and causes a warning otherwise', async () => {
    const sources: string[] = [fixture('deep.png')]
    for (const format of ['tiff', 'ppm', 'exr'] as const)
      sources.push((await convert(imagemagick, fixture('deep.png'), format)).path)
    const psd = join(folder, 'deep.psd')
    await readStdout('convert', fixture('deep.png'), '-depth', '16', psd)
    for (const source of [...sources, psd]) {
      for (const to of ['png', 'tiff'] as const) {
        const { path, warnings } = await convert(imagemagick, source, to)
        assert.deepEqual([await readBitDepth(path), warnings], [16, []], `${source} to ${to}`)
      }
      for (const to of ['jpg', 'psd', 'tga'] as const) {
        const { path, warnings } = await convert(imagemagick, source, to)
        assert.deepEqual(
          [await readBitDepth(path), warnings],
          [8, ['COLOR_DEPTH_REDUCED']],
          `${source} to ${to}`,
        )
      }
    }
    for (const to of ['jpg', 'webp', 'gif', 'heic'] as const)
      assert.deepEqual((await convert(vips, fixture('deep.png'), to)).warnings, ['COLOR_DEPTH_REDUCED'], to)
    for (const to of ['png', 'tiff', 'jxl'] as const)
      assert.deepEqual((await convert(vips, fixture('deep.png'), to)).warnings, [], to)
  })

  test('an image with 8 bits per channel causes no warning about a reduced color depth', async () => {
    for (const format of ['ras', 'jng', 'viff', 'sgi', 'jp2', 'fits', 'miff', 'tiff'] as const) {
      const { path } = await convert(imagemagick, fixture('corners.png'), format)
      const { warnings } = await convert(imagemagick, path, 'jpg')
      assert.equal(warnings.includes('COLOR_DEPTH_REDUCED'), false, format)
    }
  })
})

describe('metadata in formats of ImageMagick', () => {
  after(removeRuns)

  test('metadata=keep causes a warning only if the source has metadata that the target cannot store', async () => {
    const pathWithoutMetadata = fixture('corners.png')
    const pathWithMetadata = await write(
      'noted.png',
      await sharp(pathWithoutMetadata)
        .withExif({ IFD0: { Artist: 'Zebra' } })
        .toBuffer(),
    )
    const getWarnings = async (source: string, to: FormatId) =>
      (await convert(imagemagick, source, to, { options: { metadata: 'keep' } })).warnings
    for (const to of ['tga', 'psd', 'sgi', 'jng'] as const) {
      assert.deepEqual(await getWarnings(pathWithoutMetadata, to), [], to)
      assert.deepEqual(await getWarnings(pathWithMetadata, to), ['METADATA_NOT_KEPT'], to)
    }
  })

  test('a WebP with XMP metadata is not reported as damaged', async () => {
    const path = await write(
      'noted.webp',
      await createSolidImage('#ff0000').webp({ lossless: true }).toBuffer(),
    )
    await readStdout('exiftool', '-q', '-overwrite_original', '-XMP:Creator=Zebra', path)
    const { path: tga, warnings } = await convert(imagemagick, path, 'tga')
    assert.deepEqual(warnings, [])
    assert.equal((await readStdout('identify', '-format', '%[pixel:p{3,3}]', tga)).trim(), 'srgb(255,0,0)')
  })
})

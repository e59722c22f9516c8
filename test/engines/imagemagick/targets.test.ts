import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createSizeArgs,
  getMagickTarget,
  type MagickTargetId,
  magickTargets,
  parseColorSpace,
  parseIconSides,
} from '../../../lib/engines/imagemagick/targets.ts'

const ids = Object.keys(magickTargets) as MagickTargetId[] // Object.keys widens the keys to string.
const listIdsWhere = (has: (id: MagickTargetId) => boolean) => ids.filter(has).join(' ')

describe('formats that ImageMagick writes', () => {
  test('the formats that ImageMagick writes are exactly the expected ones', () => {
    assert.equal(
      ids.join(' '),
      `png jpg webp gif tiff ptif bmp bmp2 bmp3 psd psb tga ico cur hdr exr dds pcx dcx ppm pgm pbm pnm pam pfm
      xpm xbm xwd sgi ras jp2 j2k pgx jng mng pict sixel viff wbmp otb palm jbig avs aai art cal vicar fits cin
      dpx miff`.replace(/\s+/g, ' '),
    )
  })

  test('ImageMagick writes each format with the coder of the same name, except for JPEG, BMP and CUR', () => {
    const otherIds = ids.flatMap((id) =>
      getMagickTarget(id).coder === id ? [] : [`${id}:${getMagickTarget(id).coder}`],
    )
    assert.equal(otherIds.join(' '), 'jpg:jpeg bmp:bmp3 cur:ico')
  })

  test('exactly the ImageMagick formats without transparency are marked as opaque', () => {
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).isOpaque === true),
      `jpg bmp bmp2 bmp3 hdr pcx dcx ppm pgm pbm pnm pfm xbm xwd ras pgx pict sixel viff wbmp otb palm jbig art
      cal vicar fits cin`.replace(/\s+/g, ' '),
    )
  })

  test('ImageMagick stores several images only in GIF, MNG, TIFF and DCX, and color profiles only in eight formats', () => {
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).stores === 'frames'),
      'gif mng',
    )
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).stores === 'pages'),
      'tiff dcx',
    )
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).supportsProfile === true),
      'png jpg webp tiff ptif psd psb miff',
    )
  })

  test('output formats of ImageMagick get the expected arguments for bit depth, color space and compression', () => {
    const createFileNameArgs = (part: string) => `-define dpx:${part}.filename=output.cin`
    const listIdsWithArgs = (args: string) =>
      listIdsWhere((id) => (getMagickTarget(id).args ?? []).join(' ') === args)
    assert.equal(listIdsWithArgs('-monochrome'), 'pbm xbm wbmp otb jbig art cal')
    assert.equal(
      listIdsWithArgs('-depth 8'),
      'ico cur pcx dcx pam xwd sgi ras jp2 j2k pict viff avs aai fits',
    )
    assert.equal(
      listIdsWithArgs(`-depth 10 ${createFileNameArgs('file')} ${createFileNameArgs('origination')}`),
      'cin',
    )
    assert.equal(listIdsWithArgs('-depth 8 -compress None'), 'psd psb')
    assert.equal(listIdsWithArgs('-depth 8 -orient TopLeft'), 'tga')
    assert.equal(listIdsWithArgs('-compress Zip'), 'tiff ptif')
    assert.equal(listIdsWithArgs('-units PixelsPerInch'), 'png jpg')
    assert.equal(listIdsWithArgs('-colorspace RGB'), 'hdr exr')
    assert.equal(listIdsWithArgs('-colorspace Gray'), 'pgm')
    assert.equal(listIdsWithArgs('-colorspace Gray -depth 8'), 'pgx vicar')
    assert.equal(listIdsWithArgs('-define dds:compression=dxt5'), 'dds')
  })

  test('the costs of ImageMagick formats are lowest for PNG, then JPEG, so that routes prefer these', () => {
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).cost !== 0.35),
      'png jpg',
    )
    assert.ok(magickTargets.png.cost < magickTargets.jpg.cost && magickTargets.jpg.cost < 0.35)
  })
})

describe('arguments of ImageMagick', () => {
  const argsFor = (id: MagickTargetId, options: object) => getMagickTarget(id).quality?.(options).join(' ')

  test('the arguments of ImageMagick for PNG contain compression level, interlacing and color space', () => {
    assert.equal(argsFor('png', {}), '-quality 65 -interlace None')
    assert.equal(argsFor('png', { compressionLevel: 9, progressive: true }), '-quality 95 -interlace PNG')
    assert.equal(argsFor('png', { colorSpace: 'gray' }), '-quality 65 -interlace None -colorspace Gray')
  })

  test('the arguments of ImageMagick for JPEG contain quality and interlacing', () => {
    assert.equal(argsFor('jpg', {}), '-quality 85 -interlace None')
    assert.equal(argsFor('jpg', { quality: 'low', progressive: true }), '-quality 50 -interlace JPEG')
    assert.equal(argsFor('jpg', { quality: 'low', jpegQuality: 7 }), '-quality 7 -interlace None')
    assert.equal(argsFor('jpg', { colorSpace: 'gray' }), '-quality 85 -interlace None -colorspace Gray')
  })

  test('the arguments of ImageMagick for WebP, JPEG 2000 and JNG contain the quality on the scale of the format', () => {
    for (const [id, defaultArgs, low] of [
      ['webp', 80, 45],
      ['jp2', 50, 30],
      ['j2k', 50, 30],
      ['jng', 85, 50],
    ] as const) {
      assert.equal(argsFor(id, {}), `-quality ${defaultArgs}`, id)
      assert.equal(argsFor(id, { quality: 'low' }), `-quality ${low}`, id)
      assert.equal(argsFor(id, { quality: 7 }), `-quality 7`, id)
    }
    assert.equal(
      listIdsWhere((id) => getMagickTarget(id).quality !== undefined),
      'png jpg webp jp2 j2k jng',
    )
    const hasOption = (id: MagickTargetId, name: string) => name in getMagickTarget(id).options.shape
    assert.equal(
      listIdsWhere((id) => hasOption(id, 'quality')),
      'jpg webp jp2 j2k jng',
    )
    assert.equal(
      listIdsWhere((id) => hasOption(id, 'sizes')),
      'ico',
    )
    assert.equal(
      listIdsWhere((id) => hasOption(id, 'width')),
      ids.join(' '),
    )
    assert.equal(parseColorSpace({ colorSpace: 'gray' }), 'gray')
  })

  test('the resize arguments of ImageMagick follow the fit option: max never enlarges, crop fills the box, scale may enlarge', () => {
    const joinSizeArgs = (options: object) => createSizeArgs(options).join(' ')
    assert.equal(joinSizeArgs({}), '')
    assert.equal(joinSizeArgs({ width: 5 }), '-resize 5x>')
    assert.equal(joinSizeArgs({ height: 6 }), '-resize x6>')
    assert.equal(joinSizeArgs({ width: 5, height: 6 }), '-resize 5x6>')
    assert.equal(joinSizeArgs({ width: 5, height: 6, fit: 'scale' }), '-resize 5x6')
    assert.equal(joinSizeArgs({ width: 5, fit: 'crop' }), '-resize 5x')
    assert.equal(joinSizeArgs({ height: 6, fit: 'crop' }), '-resize x6')
    assert.equal(
      joinSizeArgs({ width: 5, height: 6, fit: 'crop' }),
      '-resize 5x6^ -gravity center -extent 5x6 +repage',
    )
  })

  test('the sizes option of an icon is sorted with the largest size first, and invalid sizes are refused', () => {
    assert.deepEqual(parseIconSides({ sizes: '16, 256,1' }), [256, 16, 1])
    assert.equal(parseIconSides({}), undefined)
    const acceptsSizes = (sizes: string) => magickTargets.ico.options.safeParse({ sizes }).success
    for (const wrongSizes of ['0', '257', '1.5', '16,', 'x', '16,257', Array(60).fill('1').join()])
      assert.equal(acceptsSizes(wrongSizes), false, wrongSizes)
    assert.ok(acceptsSizes(Array(50).fill('1').join()) && acceptsSizes('1,256'))
  })
})

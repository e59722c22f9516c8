import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  colorSpaceOf,
  iconSides,
  type MagickTargetId,
  magickTarget,
  magickTargets,
  sizeArgs,
} from '../../lib/engines/imagemagick/targets.ts'

const ids = Object.keys(magickTargets) as MagickTargetId[] // Object.keys forgets the names.
const those = (has: (id: MagickTargetId) => boolean) => ids.filter(has).join(' ')

describe('a format that ImageMagick writes', () => {
  test('is one of these', () => {
    assert.equal(
      ids.join(' '),
      `png jpg webp gif tiff ptif bmp bmp2 bmp3 psd psb tga ico cur hdr exr dds pcx dcx ppm pgm pbm pnm pam pfm
      xpm xbm xwd sgi ras jp2 j2k pgx jng mng pict sixel viff wbmp otb palm jbig avs aai art cal vicar fits cin
      dpx miff`.replace(/\s+/g, ' '),
    )
  })

  test('goes by the name of its own, but for these', () => {
    const others = ids.flatMap((id) =>
      magickTarget(id).coder === id ? [] : [`${id}:${magickTarget(id).coder}`],
    )
    assert.equal(others.join(' '), 'jpg:jpeg bmp:bmp3 cur:ico')
  })

  test('has white below what is transparent where it has no transparency', () => {
    assert.equal(
      those((id) => magickTarget(id).isOpaque === true),
      `jpg bmp bmp2 bmp3 hdr pcx dcx ppm pgm pbm pnm pfm xbm xwd ras pgx pict sixel viff wbmp otb palm jbig art
      cal vicar fits cin`.replace(/\s+/g, ' '),
    )
  })

  test('holds several pictures, or a profile of colors', () => {
    assert.equal(
      those((id) => magickTarget(id).stores === 'frames'),
      'gif mng',
    )
    assert.equal(
      those((id) => magickTarget(id).stores === 'pages'),
      'tiff dcx',
    )
    assert.equal(
      those((id) => magickTarget(id).supportsProfile === true),
      'png jpg webp tiff ptif psd psb miff',
    )
  })

  test('is told so much of its samples', () => {
    const names = (part: string) => `-define dpx:${part}.filename=output.cin`
    const told = (args: string) => those((id) => (magickTarget(id).args ?? []).join(' ') === args)
    assert.equal(told('-monochrome'), 'pbm xbm wbmp otb jbig art cal')
    assert.equal(told('-depth 8'), 'ico cur pcx dcx pam xwd sgi ras jp2 j2k pict viff avs aai fits')
    assert.equal(told(`-depth 10 ${names('file')} ${names('origination')}`), 'cin')
    assert.equal(told('-depth 8 -compress None'), 'psd psb')
    assert.equal(told('-depth 8 -orient TopLeft'), 'tga')
    assert.equal(told('-compress Zip'), 'tiff ptif')
    assert.equal(told('-units PixelsPerInch'), 'png jpg')
    assert.equal(told('-colorspace RGB'), 'hdr exr')
    assert.equal(told('-colorspace Gray'), 'pgm')
    assert.equal(told('-colorspace Gray -depth 8'), 'pgx vicar')
    assert.equal(told('-define dds:compression=dxt5'), 'dds')
  })

  test('costs less on the ways to others: PNG before JPEG before the rest', () => {
    assert.equal(
      those((id) => magickTarget(id).cost !== 0.35),
      'png jpg',
    )
    assert.ok(magickTargets.png.cost < magickTargets.jpg.cost && magickTargets.jpg.cost < 0.35)
  })
})

describe('what is asked of a picture', () => {
  const told = (id: MagickTargetId, options: object) => magickTarget(id).quality?.(options).join(' ')

  test('is told of a PNG', () => {
    assert.equal(told('png', {}), '-quality 65 -interlace None')
    assert.equal(told('png', { compressionLevel: 9, progressive: true }), '-quality 95 -interlace PNG')
    const few = '-quality 65 -interlace None -colors 256 -define png:color-type=3'
    assert.equal(told('png', { palette: 'true' }), few)
    assert.equal(told('png', { colorSpace: 'gray' }), '-quality 65 -interlace None -colorspace Gray')
  })

  test('is told of a JPEG', () => {
    assert.equal(told('jpg', {}), '-quality 85 -interlace None')
    assert.equal(told('jpg', { quality: 'low', progressive: true }), '-quality 50 -interlace JPEG')
    assert.equal(told('jpg', { quality: 'low', jpegQuality: 7 }), '-quality 7 -interlace None')
    assert.equal(told('jpg', { colorSpace: 'gray' }), '-quality 85 -interlace None -colorspace Gray')
  })

  test('is told of others that lose something, on their own scales', () => {
    for (const [id, usual, low] of [
      ['webp', 80, 45],
      ['jp2', 50, 30],
      ['j2k', 50, 30],
      ['jng', 85, 50],
    ] as const) {
      assert.equal(told(id, {}), `-quality ${usual}`, id)
      assert.equal(told(id, { quality: 'low' }), `-quality ${low}`, id)
      assert.equal(told(id, { quality: 7 }), `-quality 7`, id)
    }
    assert.equal(
      those((id) => magickTarget(id).quality !== undefined),
      'png jpg webp jp2 j2k jng',
    )
    const named = (id: MagickTargetId, name: string) => name in magickTarget(id).options.shape
    assert.equal(
      those((id) => named(id, 'quality')),
      'jpg webp jp2 j2k jng',
    )
    assert.equal(
      those((id) => named(id, 'sizes')),
      'ico',
    )
    assert.equal(
      those((id) => named(id, 'width')),
      ids.join(' '),
    )
    assert.equal(colorSpaceOf({ colorSpace: 'gray' }), 'gray')
  })

  test('is a size: never enlarged, filled, or enlarged into it', () => {
    const sized = (options: object) => sizeArgs(options).join(' ')
    assert.equal(sized({}), '')
    assert.equal(sized({ width: 5 }), '-resize 5x>')
    assert.equal(sized({ height: 6 }), '-resize x6>')
    assert.equal(sized({ width: 5, height: 6 }), '-resize 5x6>')
    assert.equal(sized({ width: 5, height: 6, fit: 'scale' }), '-resize 5x6')
    assert.equal(sized({ width: 5, fit: 'crop' }), '-resize 5x')
    assert.equal(sized({ height: 6, fit: 'crop' }), '-resize x6')
    assert.equal(
      sized({ width: 5, height: 6, fit: 'crop' }),
      '-resize 5x6^ -gravity center -extent 5x6 +repage',
    )
  })

  test('are the sides of an icon, the largest first', () => {
    assert.deepEqual(iconSides({ sizes: '16, 256,1' }), [256, 16, 1])
    assert.equal(iconSides({}), undefined)
    const takes = (sizes: string) => magickTargets.ico.options.safeParse({ sizes }).success
    for (const wrong of ['0', '257', '1.5', '16,', 'x', '16,257', Array(60).fill('1').join()])
      assert.equal(takes(wrong), false, wrong)
    assert.ok(takes(Array(50).fill('1').join()) && takes('1,256'))
  })
})

// Run by `npm run test:slow`: checks the pixels of every format that ImageMagick reads or writes.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { imagemagick } from '../../../lib/engines/imagemagick.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { cornersFixture, readQuarterColors } from '../support/corner-colors.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('imagemagick-colors')

describe('ImageMagick formats', () => {
  after(removeRuns)

  test('a TGA image without an alpha channel in its header is opaque if its alpha values are all zero', async () => {
    // Creates a compressed, top-down TGA of two equal pixels. The last 8 of the 32 bits of a pixel are its alpha.
    const createTga = (alphaBits: number, alpha: number) => {
      const header = Buffer.alloc(18)
      header.set([0, 0, 10])
      header.set([2, 0, 1, 0, 32, 0x20 | alphaBits], 12)
      return Buffer.concat([header, Buffer.from([0x81, 0, 0, 250, alpha])])
    }
    for (const [alphaBits, alpha, shown] of [
      [8, 0, 0],
      [8, 128, 128],
      [0, 128, 128],
      [0, 0, 255],
    ] as const) {
      const path = join(folder, 'dots.tga')
      await writeFile(path, createTga(alphaBits, alpha))
      const png = (await convert(imagemagick, path, 'png')).path
      const { data } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
      assert.equal(data[3], shown, `${alphaBits} bits, alpha ${alpha}`)
    }
  })

  test('a PFM image has the same shades whatever the scale factor in its header', async () => {
    for (const [scale, maxValue] of [
      ['-1.0', 1],
      ['1.0', 1],
      ['-0.00392157', 255],
      ['-255', 255],
      ['-255', 1],
      ['-1', 255],
    ] as const) {
      const values = Buffer.alloc(16)
      for (const [at, share] of [0, 0.25, 0.5, 1].entries())
        if (scale.startsWith('-')) values.writeFloatLE(share * maxValue, 4 * at)
        else values.writeFloatBE(share * maxValue, 4 * at)
      const path = join(folder, 'shades.pfm')
      await writeFile(path, Buffer.concat([Buffer.from(`Pf\n4 1\n${scale}\n`), values]))
      const png = (await convert(imagemagick, path, 'png')).path
      const pixels = await sharp(png)
        .toColourspace('b-w')
        .extractChannel(0)
        .raw({ depth: 'uchar' })
        .toBuffer()
      assert.deepEqual(
        [...pixels].map((dot) => Math.round(dot / 8)),
        [0, 8, 16, 32],
        `${scale}, up to ${maxValue}`,
      )
    }
  })

  for (const from of [
    'psd',
    'tga',
    'hdr',
    'exr',
    'dds',
    'pcx',
    'ppm',
    'pnm',
    'xpm',
    'sgi',
    'jp2',
    'cin',
    'dpx',
    'miff',
    'bmp',
    'ico',
    'psb',
    'xcf',
    'pict',
    'j2k',
    'xwd',
    'sixel',
    'ras',
  ] as const) {
    test(`an image in ${from} is read upright and with the right colors`, async () => {
      assert.equal(
        await readQuarterColors((await convert(imagemagick, cornersFixture(from), 'png')).path),
        'RGBx',
      )
    })
  }

  for (const to of [
    'psd',
    'tga',
    'exr',
    'dds',
    'pcx',
    'ppm',
    'pnm',
    'xpm',
    'sgi',
    'jp2',
    'dpx',
    'bmp',
    'ico',
    'pam',
    'ras',
    'xwd',
    'j2k',
    'ptif',
  ] as const) {
    test(`an image in ${to} is written upright and with the right colors`, async () => {
      const { path } = await convert(imagemagick, fixture('corners.png'), to)
      // OpenEXR contains linear light, not sRGB values.
      const transferArgs = to === 'exr' ? ['-apply_trc', 'iec61966_2_1'] : []
      assert.equal(await readQuarterColors(path, ...transferArgs), 'RGBx')
    })
  }
})

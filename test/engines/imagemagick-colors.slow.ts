// Run by `npm run test:slow`: each format that ImageMagick reads or writes, looked at.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { imagemagick } from '../../lib/engines/imagemagick.ts'
import { corners, quarters } from './imagemagick-corners.ts'
import { convert, fixture, removeRuns } from './run-engine.ts'

describe('a picture of another program', () => {
  after(removeRuns)

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
    test(`in ${from} is read upright and in its colors`, async () => {
      assert.equal(await quarters((await convert(imagemagick, corners(from), 'png')).path), 'RGBx')
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
    test(`in ${to} is written upright and in its colors`, async () => {
      const { path } = await convert(imagemagick, fixture('corners.png'), to)
      // Values of light, not of a screen.
      const linear = to === 'exr' ? ['-apply_trc', 'iec61966_2_1'] : []
      assert.equal(await quarters(path, ...linear), 'RGBx')
    })
  }
})

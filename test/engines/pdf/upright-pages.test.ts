import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const white = { r: 255, g: 255, b: 255 }

describe('images on PDF pages', () => {
  const folder = scratchFolder('upright-pages')
  after(removeRuns)

  /** Returns the position of the dark quarter, as rendered by poppler. */
  async function findDarkCorner(pdf: string): Promise<string> {
    await readStdout('pdftoppm', '-png', '-singlefile', pdf, `${pdf}-page`)
    const brightnesses: { name: string; brightness: number }[] = []
    const { data, info } = await sharp(`${pdf}-page.png`)
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true })
    for (const [y, row] of ['top', 'bottom'].entries())
      for (const [x, column] of ['left', 'right'].entries()) {
        const at =
          Math.floor(info.height * (0.25 + y / 2)) * info.width + Math.floor(info.width * (0.25 + x / 2))
        brightnesses.push({ name: `${row} ${column}`, brightness: data[at * info.channels] ?? 0 })
      }
    const [darkest] = brightnesses.sort((a, other) => a.brightness - other.brightness)
    return darkest?.name ?? ''
  }

  /** Creates an image whose stored pixels are dark at the top left. */
  async function createRotated(orientation: number, to: 'jpeg' | 'tiff'): Promise<string> {
    const path = join(folder, `${orientation}.${to === 'jpeg' ? 'jpg' : 'tiff'}`)
    const quarter = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#202020' } })
      .png()
      .toBuffer()
    await sharp({ create: { width: 80, height: 40, channels: 3, background: white } })
      .composite([{ input: quarter, left: 0, top: 0 }])
      .withMetadata({ orientation })
      .toFormat(to)
      .toFile(path)
    return path
  }

  // EXIF 2.3, table 6: where the first row and the first column are displayed.
  const corners = [
    'top left',
    'top right',
    'bottom right',
    'bottom left',
    'top left',
    'top right',
    'bottom right',
  ]
  for (const to of ['jpeg', 'tiff'] as const)
    test(`an image with any EXIF orientation is displayed on a PDF page as in image viewers: ${to}`, async () => {
      for (const [index, corner] of [...corners, 'bottom left'].entries()) {
        const { path } = await convert(vips, await createRotated(index + 1, to), 'pdf')
        assert.equal(await findDarkCorner(path), corner, `orientation ${index + 1}`)
      }
    })
})

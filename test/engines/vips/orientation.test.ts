import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('orientation')

const exiftool = (path: string) =>
  JSON.parse(execFileSync('exiftool', ['-json', '-n', '-Orientation', path], { encoding: 'utf8' }))[0]

/** Returns the colors of the quarters of an image, starting at the top left. */
async function readQuarters(path: string): Promise<string> {
  const { width, height } = await sharp(path).metadata()
  const { data, info } = await sharp(path).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const readColorAt = (x: number, y: number) => {
    const at = (Math.floor(y * height) * width + Math.floor(x * width)) * info.channels
    return [...data.subarray(at, at + 3)].map((level) => (level > 128 ? '1' : '0')).join('')
  }
  const places = [
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75],
  ] as const
  return `${width}×${height} ${places.map(([x, y]) => readColorAt(x, y)).join(' ')}`
}

describe('orientation and density of photos', () => {
  after(removeRuns)
  const rotatedPath = fixture('odd/heic-irot270-exif6.heic')

  test('a HEIC that is rotated by its container and by its EXIF data is rotated once', async () => {
    for (const to of ['jpg', 'png', 'webp', 'tiff'] as const) {
      const { path } = await convert(vips, rotatedPath, to, { options: { metadata: 'keep' } })
      assert.equal(await readQuarters(path), '80×120 001 100 110 010', to)
      assert.ok([undefined, 1].includes(exiftool(path).Orientation), to)
    }
  })

  test('a HEIC that is rotated by its container and by its EXIF data is upright in a PDF', async () => {
    const { path } = await convert(vips, rotatedPath, 'pdf')
    const image = `${path}.png`
    execFileSync('pdftoppm', ['-png', '-singlefile', '-scale-to', '120', path, path])
    assert.equal(await readQuarters(image), '80×120 001 100 110 010')
  })

  const readPageSize = async (source: string) => {
    const { path } = await convert(vips, source, 'pdf')
    const info = execFileSync('pdfinfo', [path], { encoding: 'utf8' })
    const [, width, height] = /Page size:\s+([\d.]+) x ([\d.]+)/.exec(info) ?? []
    return [width, height].map(Number)
  }

  test('a JPEG with a resolution in dots per centimeter fills a page of the size that it declares', async () => {
    const path = join(folder, 'metric.jpg')
    execFileSync('convert', [
      ...['-size', '300x150', 'xc:#0a0', '-units', 'PixelsPerCentimeter', '-density', '100', path],
    ])
    const declaredSize = [300, 150].map((pixels) => (pixels / 254) * 72)
    const size = await readPageSize(path)
    assert.ok(
      size.every((side, at) => Math.abs(side - (declaredSize[at] ?? 0)) < 0.1),
      String(size),
    )
  })

  test('an image resolution without a unit does not change the size of a PDF page', async () => {
    assert.deepEqual(await readPageSize(fixture('odd/jpg-exif-density-none.jpg')), [90, 60])
    const image = sharp({ create: { width: 300, height: 150, channels: 3, background: '#0a0' } })
    const photo = join(folder, 'unitless.jpg')
    await image
      .withExif({ IFD0: { XResolution: '300', YResolution: '300', ResolutionUnit: '1' } })
      .toFile(photo)
    const paths = ['unitless.png', 'unitless.tif'].map((name) => join(folder, name))
    for (const path of paths)
      execFileSync('convert', ['-size', '300x150', 'xc:#0a0', '-units', 'Undefined', '-density', '300', path])
    for (const path of [photo, ...paths]) assert.deepEqual(await readPageSize(path), [225, 112.5], path)
  })
})

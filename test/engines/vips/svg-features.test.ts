import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp, { type Sharp } from 'sharp'
import { chromium } from '../../../lib/engines/chromium.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { needsBrowser } from '../../../lib/formats/detect/svg-traits.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'
import { drawingsByFeature, renderSvgFeature } from '../support/svg-features.ts'

const folder = scratchFolder('svg-features')
const size = { width: 120, height: 80 }
/** Images per row of the page on which the browser draws all images. */
const columns = 8

after(() => chromium.close?.())

/** Returns the pixels, slightly blurred, because renderers place the edges of shapes differently. */
const readPixels = (image: Sharp) =>
  image
    .resize({ ...size, fit: 'fill' })
    .flatten({ background: '#fff' })
    .blur(0.7)
    .toColourspace('srgb')
    .raw()
    .toBuffer()

/** Returns the share of pixels that differ. */
function measureDifference(a: Buffer, other: Buffer): number {
  let differentPixels = 0
  for (let at = 0; at < a.length; at += 3) {
    const channels = [at, at + 1, at + 2].map((index) => Math.abs((a[index] ?? 0) - (other[index] ?? 0)))
    if (Math.max(...channels) > 48) differentPixels++
  }
  return (3 * differentPixels) / a.length
}

test('an SVG with very many spaces is searched for browser features quickly', () => {
  const startedAt = performance.now()
  assert.equal(needsBrowser(`<text word-spacing="1"/>`), true)
  assert.equal(needsBrowser(`<text style="word-spacing: normal"/>`), false)
  assert.equal(needsBrowser(`<text style="word-spacing ${' '.repeat(200_000)}"/>`), false)
  needsBrowser(`<text style="word-spacing:${' '.repeat(200_000)}normal"/>`)
  assert.ok(performance.now() - startedAt < 1000)
})

test('an SVG that is rendered without a browser looks the same as in Chromium', async () => {
  const drawings = Object.entries(drawingsByFeature).map(([name, drawing]) => ({
    name,
    svg: renderSvgFeature(drawing),
  }))
  const drawingsWithoutBrowser = drawings.filter(
    ({ svg }) => !needsBrowser(Buffer.from(svg).toString('latin1')),
  )
  assert.ok(drawings.length > 70 && drawingsWithoutBrowser.length > 40)
  const images = drawingsWithoutBrowser.map(
    ({ svg }) => `<img src="data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}">`,
  )
  const style = `body{margin:0;width:${columns * size.width}px;line-height:0}img{width:120px;height:80px}`
  const source = join(folder, 'all.html')
  await writeFile(source, `<!doctype html><style>${style}</style>${images.join('')}`)
  const { path: sheet } = await convert(chromium, source, 'png', { options: { width: columns * size.width } })
  const wrongFeatures: string[] = []
  for (const [index, { name, svg }] of drawingsWithoutBrowser.entries()) {
    const path = join(folder, `${index}.svg`)
    await writeFile(path, svg)
    const { path: drawn } = await convert(vips, path, 'png')
    const area = {
      left: (index % columns) * size.width,
      top: Math.floor(index / columns) * size.height,
      ...size,
    }
    const expected = sharp(await sharp(sheet).extract(area).png().toBuffer())
    const difference = measureDifference(await readPixels(expected), await readPixels(sharp(drawn)))
    if (difference > 0.02) wrongFeatures.push(`${name}: ${(100 * difference).toFixed(1)} %`)
  }
  assert.deepEqual(wrongFeatures, [])
})

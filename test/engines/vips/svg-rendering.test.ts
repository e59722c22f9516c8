import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { chromium } from '../../../lib/engines/chromium.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convertAndCleanUp } from '../support/convert-and-clean-up.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('svg-rendering')

async function writeDrawing(name: string, attributes: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`)
  return path
}

async function measureInkHeight(path: string): Promise<number> {
  const flatImage = await sharp(path).flatten({ background: '#fff' }).png().toBuffer()
  const { info } = await sharp(flatImage).trim({ background: '#fff' }).toBuffer({ resolveWithObject: true })
  return info.height
}

describe('SVG drawings', () => {
  after(async () => {
    await chromium.close?.()
    await removeRuns()
  })

  test('the font size of an SVG root element applies to its text, whether set as an attribute or as a style', async () => {
    const text = '<text x="5" y="80">H</text>'
    const heights = []
    for (const [index, size] of ['', 'font-size="64"', 'style="font-size:64px"'].entries()) {
      const source = await writeDrawing(`root-${index}.svg`, `width="100" height="100" ${size}`, text)
      heights.push(await measureInkHeight((await convert(vips, source, 'png')).path))
    }
    const [normal = 0, heightByAttribute = 0, heightByStyle] = heights
    assert.equal(heightByAttribute, heightByStyle)
    assert.ok(heightByAttribute > 3 * normal, String(heights))
  })

  test('a WebP image embedded in an SVG is rendered', async () => {
    for (const to of ['png', 'jpg', 'pdf'] as const) {
      const { path } = await convertAndCleanUp(fixture('odd/svg-embeds-webp.svg'), to)
      const image = to === 'pdf' ? `${path}.png` : path
      if (to === 'pdf') execFileSync('pdftoppm', ['-png', '-singlefile', path, path])
      const { channels } = await sharp(image).flatten({ background: '#fff' }).stats()
      assert.ok(
        channels.some(({ stdev, mean }) => stdev > 20 || mean < 200),
        to,
      )
    }
  })

  test('missing files that an SVG refers to are named in a warning', async () => {
    for (const to of ['png', 'pdf'] as const) {
      const { warnings } = await convertAndCleanUp(fixture('odd/svg-missing-image.svg'), to)
      const [warning] = warnings.filter(({ code }) => code === 'LINKS_DROPPED')
      assert.match(warning?.message ?? '', /^A file is missing in the drawing: logo\.png\./, to)
      assert.deepEqual(warning?.details, { count: 1, names: ['logo.png'] })
    }
    const link = await writeDrawing(
      'link.svg',
      'width="9" height="9"',
      '<a href="https://example.com/"><rect width="9" height="9"/></a>',
    )
    assert.deepEqual((await convert(vips, link, 'png')).warnings, [])
  })

  test('missing elements that an SVG refers to are named in a warning', async () => {
    const listWarnings = async (name: string, content: string) => {
      const source = await writeDrawing(name, 'width="9" height="9"', content)
      const { warnings, messages } = await convert(vips, source, 'png')
      assert.deepEqual([...new Set(warnings)], messages.length > 0 ? ['REFERENCES_MISSING'] : [])
      return messages
    }
    const drawingWithMissing =
      '<use href="#nothing"/><rect width="9" height="9" style="fill:url(#gone)"/><!-- <use href="#old"/> -->'
    const [message = ''] = await listWarnings('lacking.svg', drawingWithMissing)
    assert.match(message, /does not contain: #nothing, #gone\./)
    assert.match(
      (await listWarnings('accent.svg', '<use href="#Größe"/>')).join(),
      /does not contain: #Größe\./,
    )
    const completeContent =
      '<defs><rect id="a b" width="9" height="9"/></defs><use href="#a%20b"/><a href="#elsewhere"><text>x</text></a>'
    assert.deepEqual(await listWarnings('complete.svg', completeContent), [])
  })

  test('an SVG is enlarged to the requested width, beyond its own size', async () => {
    const source = await writeDrawing('small.svg', 'width="20" height="10"', '<rect width="20" height="10"/>')
    for (const engine of [vips, chromium]) {
      const readRenderedSize = async (options: Readonly<Record<string, unknown>>) => {
        const { width, height } = await sharp(
          (await convert(engine, source, 'png', { options })).path,
        ).metadata()
        return [width, height]
      }
      assert.deepEqual(await readRenderedSize({ width: 200 }), [200, 100], engine.id)
      assert.deepEqual(await readRenderedSize({ downscale: 200 }), [20, 10], engine.id)
    }
  })
})

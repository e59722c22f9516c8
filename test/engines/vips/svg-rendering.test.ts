import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { chromium } from '../../../lib/engines/chromium.ts'
import { ghostscript } from '../../../lib/engines/ghostscript.ts'
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

  test('missing style sheets and web images of an SVG are named in a warning, and names may contain spaces', async () => {
    const messages = []
    for (const [index, content] of [
      '<?xml-stylesheet href="look.css"?>',
      '<style>@import "theme.css";</style>',
      '<link xmlns="http://www.w3.org/1999/xhtml" rel="stylesheet" href="page.css"/>',
      '<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="photo.jpg"/></foreignObject>',
      '<image width="9" height="9" href="images/my logo.png"/>',
    ].entries()) {
      const source = await writeDrawing(`missing-${index}.svg`, 'width="9" height="9"', content)
      messages.push((await convert(vips, source, 'png')).messages.join())
    }
    assert.deepEqual(
      messages.map((message) => /: ([^:]*\.\w{3})\. Embed/.exec(message)?.[1]),
      ['look.css', 'theme.css', 'page.css', 'photo.jpg', 'my logo.png'],
    )
  })

  test('text without a font size is as large in a PDF as in an image of the SVG', async () => {
    const source = await writeDrawing(
      'default-size.svg',
      'width="100" height="100"',
      '<text x="5" y="80">H</text>',
    )
    const { path } = await convert(ghostscript, source, 'pdf')
    execFileSync('pdftoppm', ['-png', '-singlefile', '-r', '96', path, path])
    const difference =
      (await measureInkHeight(`${path}.png`)) -
      (await measureInkHeight((await convert(vips, source, 'png')).path))
    assert.ok(Math.abs(difference) <= 1, String(difference))
  })

  test('the PDF page of an SVG that only has a viewBox has the size of the viewBox', async () => {
    const content = '<rect width="400" height="200"/><text x="9" y="9" dominant-baseline="middle">a</text>'
    for (const [index, attributes] of ['', 'width="100%"', 'width="400" height="200"'].entries()) {
      const source = await writeDrawing(`box-${index}.svg`, `${attributes} viewBox="0 0 400 200"`, content)
      const { path } = await convert(chromium, source, 'pdf')
      assert.match(
        execFileSync('pdfinfo', [path], { encoding: 'utf8' }),
        /Page size: +300 x 150 pts/,
        attributes,
      )
    }
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

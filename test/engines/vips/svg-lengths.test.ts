import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import sharp from 'sharp'
import { chromium } from '../../../lib/engines/chromium.ts'
import { convertLengthsToPixels } from '../../../lib/engines/vips/svg-lengths.ts'
import { vips } from '../../../lib/engines/vips.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('drawing-lengths')

after(async () => {
  await chromium.close?.()
  await removeRuns()
})

const createSvg = (attributes: string, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`

async function writeSvg(svg: string, name = 'drawing.svg'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, name.endsWith('z') ? gzipSync(svg) : svg)
  return path
}

const readSize = async (path: string) => {
  const { width, height } = await sharp(path).metadata()
  return [width, height]
}

/** Returns the number of columns from the first to the last non-empty one. */
async function measureInkWidth(path: string): Promise<number> {
  const flatImage = await sharp(path).flatten({ background: '#fff' }).png().toBuffer()
  const { info } = await sharp(flatImage).trim({ background: '#fff' }).toBuffer({ resolveWithObject: true })
  return info.width
}

const sheet = createSvg(
  'width="210mm" height="297mm" viewBox="0 0 210 297"',
  '<rect width="100" height="100"/>',
)

test('an SVG with a paper size is rendered at 96 pixels per inch', async () => {
  for (const path of [await writeSvg(sheet), await writeSvg(sheet, 'drawing.svgz')]) {
    assert.deepEqual(await readSize((await convert(vips, path, 'png')).path), [794, 1123])
    const pngAt300Dpi = await convert(vips, path, 'png', { options: { dpi: '300' } })
    assert.deepEqual(await readSize(pngAt300Dpi.path), [2480, 3508])
  }
  assert.deepEqual(await readSize((await convert(chromium, await writeSvg(sheet), 'png')).path), [794, 1123])
})

test('a length in inches scales with the rest of an SVG', async () => {
  const bar = '<rect width="1in" height="20"/>'
  const path = await writeSvg(createSvg('width="300" height="200"', bar))
  assert.equal(await measureInkWidth((await convert(vips, path, 'png')).path), 96)
  const largerSvg = await convert(vips, path, 'png', { options: { width: 900, fit: 'scale' } })
  assert.deepEqual(await readSize(largerSvg.path), [900, 600])
  assert.equal(await measureInkWidth(largerSvg.path), 288)
})

test('SVG text without a font size is as large as text with a font size of 16 pixels', async () => {
  const createText = (style: string) =>
    createSvg('width="300" height="60"', `<text ${style} y="40" font-family="DejaVu Sans">Mutabor</text>`)
  const measureTextWidth = async (style: string) =>
    measureInkWidth((await convert(vips, await writeSvg(createText(style)), 'png')).path)
  const defaultWidth = await measureTextWidth('font-size="16"')
  assert.equal(await measureTextWidth(''), defaultWidth)
  assert.equal(await measureTextWidth('style="font-size:medium"'), defaultWidth)
  assert.equal(await measureTextWidth('font-size="12pt"'), defaultWidth)
  assert.ok((await measureTextWidth('style="font-size: x-large"')) > defaultWidth * 1.4)
})

test('lengths in an SVG are converted to pixels, and everything else stays unchanged', () => {
  const changedSvg = [
    ['<svg width="1in" height=\'2.54cm\'>', '<svg width="96px" height=\'96px\'>'],
    [
      '<rect style="stroke-width:.75pt;stroke-dasharray: 3pt, 6pt">',
      '<rect style="stroke-width:1px;stroke-dasharray: 4px, 8px">',
    ],
    [
      '<style>text { font: italic 9pt serif } .a{font-size:large}</style>',
      '<style>text { font: italic 12px serif } .a{font-size:18px}</style>',
    ],
    ['<text x="-1e1mm 40Q">', '<text x="-37.7952755906px 37.7952755906px">'],
  ] as const
  for (const [from, to] of changedSvg) assert.equal(convertLengthsToPixels(from), to)
  for (const keptSvg of [
    '<text id="12pt" class="4in">width="12pt" font-size: large</text>',
    '<a href="#1in" data-width="12pt"><path d="M1 2"/><use fill="#12cc1pt"/></a>',
    '<rect width="50%" height="2em" x="1.5" y="10px" font-variant="small-caps"/>',
    '<g font-family="medium" aria-label="a font-size of large letters"/>',
  ])
    assert.equal(convertLengthsToPixels(keptSvg), keptSvg)
})

test('an SVG designed to slow down the search for lengths is processed quickly', () => {
  const repeatCount = 300_000
  for (const hostile of [
    `<svg width="${'1'.repeat(repeatCount)}">`,
    '<style>'.repeat(repeatCount / 4),
    `<rect x="${' '.repeat(repeatCount)}1pt">`,
    '<'.repeat(repeatCount),
    `<rect x="${'1pt '.repeat(repeatCount / 4)}">`,
    `<rect ${'x="'.repeat(repeatCount / 4)}1pt">`,
  ]) {
    const { user } = process.cpuUsage()
    convertLengthsToPixels(hostile)
    const tookMs = (process.cpuUsage().user - user) / 1000
    assert.ok(tookMs < 5000, `${tookMs} ms for ${hostile.slice(0, 20)}`)
  }
})

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { createChromium } from '../../lib/engines/chromium.ts'
import { convert } from '../engines/support/run-engine.ts'

/** Colors of the boxes at the top of the page from left to right, each 100 × 100 pixels; the last one is an image. */
export const boxes = ['#e02020', '#20a040', '#2040c0', '#c1a11a'] as const

/** JPEG XL, created with cjxl. */
const imageUrl = 'data:image/jxl;base64,/wpBQEDl3iqCCAIBAGAASxiLFcJJg2G+QAQAB+zvDQAAAAAAAAAA'

/** Each text contains a unique character, so that a missing writing system is noticed. */
const lines: Readonly<Record<string, string>> = {
  Latin: 'Grüße, naïve façade, ﬁnd Ĳ',
  Greek: 'Ωμέγα και άλφα',
  Cyrillic: 'Съешь ещё этих булок',
  Arabic: 'السلام عليكم ١٢٣',
  Hebrew: 'שלום עולם',
  Hindi: 'नमस्ते दुनिया',
  Thai: 'สวัสดีชาวโลก',
  Chinese: '你好，世界。',
  Traditional: '歡迎光臨',
  Japanese: 'こんにちは、世界。カタカナ',
  Korean: '안녕하세요 세계',
  Emoji: '😀 👩‍👩‍👧 🇩🇪 ☃',
  Mathematics: '∑ ∫ √ ≠ ∞',
}

const createFontUrl = () => {
  const bytes = readFileSync('/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf')
  return `data:font/ttf;base64,${bytes.toString('base64')}`
}

/** A page with features that depend on the build of a browser: many writing systems, web fonts, tables, formulas. */
export const createRichPage =
  () => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rich</title><style>
  @font-face { font-family: own; src: url(${createFontUrl()}) }
  body { margin: 0; font-family: sans-serif }
  .boxes { display: flex }
  .boxes * { width: 100px; height: 100px }
  .own { font-family: own }
  .grid { display: grid; grid-template-columns: 1fr 1fr; gap: 1em }
  table { border-collapse: collapse } td { border: 1px solid }
</style>
<div class="boxes">${boxes
    .slice(0, -1)
    .map((color) => `<div style="background:${color}"></div>`)
    .join('')}<img src="${imageUrl}" alt="a picture"></div>
<h1>Heading of the first level</h1>
${Object.entries(lines)
  .map(([name, words]) => `<p>${name}: ${words}</p>`)
  .join('\n')}
<p class="own">In a font of its own: Illjw 0O</p>
<h2>Heading of the second level</h2>
<div class="grid"><p>left cell</p><p>right cell</p></div>
<table><tr><th>Otters<td>12<tr><th>Badgers<td>7</table>
<math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>
<p style="hyphens:auto;width:8em;text-align:justify">Donaudampfschifffahrtsgesellschaft and the incomprehensibilities of words</p>
<ol start="3" style="list-style:upper-roman"><li>third<li>fourth</ol>
<svg width="60" height="20"><text y="15">drawn</text></svg>
<a href="https://host.invalid/">a link</a>`

/** Renders the same page with the browser of this machine, Debian's Chromium. */
export async function renderWithDebian(
  folder: string,
  to: 'pdf' | 'png',
  use: (path: string) => void | Promise<void>,
): Promise<void> {
  const chromium = createChromium()
  try {
    const source = join(folder, 'rich.html')
    writeFileSync(source, createRichPage())
    await use((await convert(chromium, source, to)).path)
  } finally {
    await chromium.close?.()
  }
}

const output = (command: string, ...args: string[]) => execFileSync(command, args, { encoding: 'utf8' })

/** Text, fonts and tags of a PDF. */
export const describePdf = (path: string) => ({
  text: output('pdftotext', path, '-'),
  // The fonts without the random prefix that marks a font subset.
  fonts: output('pdffonts', path)
    .split('\n')
    .map((line) =>
      line
        .slice(0, 54)
        .replace(/^[A-Z]{6}\+/, '')
        .trim(),
    )
    .sort(),
  tags: output('pdfinfo', '-struct', path),
})

const getPixels = (image: Buffer | string) =>
  sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true })

/** Returns the colors at the centers of the boxes. */
export async function readBoxColors(image: Buffer): Promise<string[]> {
  const { data, info } = await getPixels(image)
  return boxes.map((_, box) => {
    const at = (50 * info.width + 100 * box + 50) * info.channels
    return `#${data.subarray(at, at + 3).toString('hex')}`
  })
}

/**
 * Returns the mean color difference of two images, 0 to 255. Compares them scaled down, because a single character from
 * another font moves everything below it by a pixel.
 */
export async function measureImageDifference(imagePath: string, otherImage: string): Promise<number> {
  const scaleDown = (image: string) => sharp(image).resize(64, 64, { fit: 'fill' }).png().toBuffer()
  const { data } = await getPixels(await scaleDown(imagePath))
  const { data: otherPixels } = await getPixels(await scaleDown(otherImage))
  return data.reduce((sum, value, at) => sum + Math.abs(value - (otherPixels[at] ?? 0)), 0) / data.length
}

import assert from 'node:assert/strict'
import { join, parse } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { pdf } from '../../../lib/engines/pdf.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { convert, removeRuns } from '../support/run-engine.ts'

const stream = (content: string, dict = '<< >>') => ({ dict, data: Buffer.from(content) })
const pages = (...numbers: readonly number[]) => ({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${numbers.length} >>`,
})
const createPage = (contentsObject: number) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 500] /Contents ${contentsObject} 0 R
  /Resources << /Font << /F1 5 0 R >> /XObject << /Im 6 0 R >> >> >>`
const helvetica = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const redPixel = stream(
  '\u0064\u0000\u0000',
  '<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceRGB >>',
)
const createLine = (text: string, top: number) => `BT /F1 12 Tf 50 ${top} Td (${text}) Tj ET`
const drawProse = (top: number) =>
  [0, 1, 2, 3]
    .map((at) => createLine(`Line ${at} of a page about rivers and mountains in the north`, top - at * 16))
    .join(' ')

/** A cover with white words on a dark red photo, a page of text, and a photo without words. */
const photosPdf = createPdf({
  ...pages(3, 7, 9),
  3: createPage(4),
  4: stream(`q 400 0 0 500 0 0 cm /Im Do Q 1 g ${drawProse(400)}`),
  5: helvetica,
  6: redPixel,
  7: createPage(8),
  8: stream(drawProse(400)),
  9: createPage(10),
  10: stream('q 400 0 0 500 0 0 cm /Im Do Q'),
})

/** Text on yellow paper with a blue band at its top. */
const yellowPaperPdf = createPdf({
  ...pages(3),
  3: createPage(4),
  4: stream(`1 0.95 0.7 rg 0 0 400 500 re f 0 0 0.6 rg 0 470 400 30 re f 0 g ${drawProse(400)}`),
  5: helvetica,
  6: redPixel,
})

/** A slanted word in a frame with round corners, drawn over the lines of a page. */
const stamp = createPdf({
  ...pages(3),
  3: createPage(4),
  4: stream(`${drawProse(400)} ${drawProse(330)} q 0.94 0.34 -0.34 0.94 200 340 cm 0.8 0 0 rg 0.8 0 0 RG 4 w
    0 0 m 0 -10 100 -10 100 0 c 100 30 l 100 40 0 40 0 30 c h S BT /F1 30 Tf 10 5 Td (PAID) Tj ET Q`),
  5: helvetica,
  6: redPixel,
})

/** A photo in which OCR has recognized dashes along a vertical edge. */
const photoWithDashes = createPdf({
  ...pages(3),
  3: createPage(4),
  4: stream('q 400 0 0 500 0 0 cm /Im Do Q BT 3 Tr /F1 12 Tf 0 1 -1 0 100 100 Tm (- -- -) Tj ET'),
  5: helvetica,
  6: redPixel,
})

/** A photo of text that is too blurred to be read. */
async function createBlurredPhoto(): Promise<Buffer> {
  const lines = Array.from({ length: 10 }, (_, at) => {
    const [y, angle] = [30 + at * 48, (at % 5) * 9 - 18]
    return `<text x="30" y="${y}" transform="skewX(${angle})">Lantern ${at * 37} harbor boats quiet pines</text>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" font-family="DejaVu Serif"
    font-style="italic" font-size="30"><rect width="640" height="480" fill="#9ab"/>${lines.join('')}</svg>`
  return sharp(Buffer.from(svg)).blur(5).withMetadata({ density: 300 }).png().toBuffer()
}

const getPath = await writeFiles({
  'photos.pdf': photosPdf,
  'paper.pdf': yellowPaperPdf,
  'stamp.pdf': stamp,
  'dashes.pdf': photoWithDashes,
  'blurred.png': await createBlurredPhoto(),
})

/** Converts a PDF to Word and prints the Word document with LibreOffice. Returns the paths of both results. */
async function toWordAndBack(name: string) {
  const { path, warnings } = await convert(pdf, getPath(name), 'docx', { options: { mode: 'fast' } })
  const folder = scratchFolder('printed')
  const profile = createOfficeProfile(folder)
  await readStdout('soffice', profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, path)
  const printedPath = join(folder, `${parse(path).name}.pdf`)
  return {
    path,
    printed: printedPath,
    warnings,
    text: await readStdout('pandoc', '--from=docx', '--to=plain', path),
  }
}

/** Returns the color at a position on a page. The position is in points from the top left corner. */
async function readColor(file: string, number: number, [x, y]: readonly [number, number]) {
  const prefix = join(scratchFolder('pixels'), 'page')
  const page = ['-f', String(number), '-l', String(number), '-singlefile']
  await readStdout('pdftoppm', '-r', '72', '-png', ...page, file, prefix)
  const area = { left: x, top: y, width: 1, height: 1 }
  const [red = 0, green = 0, blue = 0] = await sharp(`${prefix}.png`)
    .extract(area)
    .removeAlpha()
    .raw()
    .toBuffer()
  return { red, green, blue }
}

describe('PDF backgrounds and stamps to Word', () => {
  after(removeRuns)

  test('a PDF photo that fills the page becomes a Word page background, and white text on it stays white', async () => {
    const { path, printed, text } = await toWordAndBack('photos.pdf')
    assert.equal(await countPdfPages(printed), 3)
    for (const corner of [
      [5, 5],
      [395, 495],
    ] as const)
      for (const number of [1, 3]) {
        const { red, green, blue } = await readColor(printed, number, corner)
        assert.ok(
          red > 80 && red < 120 && green < 30 && blue < 30,
          `page ${number} has ${red} ${green} ${blue}`,
        )
      }
    assert.equal((await readColor(printed, 2, [5, 5])).green, 255)
    assert.match(text, /Line 0 of a page[\s\S]*Line 3 of a page[\s\S]*Line 0 of a page/)
    const xml = await readStdout('unzip', '-p', path, 'word/document.xml')
    assert.match(xml, /<w:color w:val="FFFFFF"\/>/i)
    assert.doesNotMatch(xml, /<w:framePr|<w:txbxContent/)
  })

  test('a PDF photo in which OCR has recognized only dashes becomes a Word image', async () => {
    const { printed } = await toWordAndBack('dashes.pdf')
    const { red, green } = await readColor(printed, 1, [200, 200])
    assert.ok(red > 80 && green < 30, `${red} ${green}`)
  })

  test('a photo whose words OCR cannot read with confidence stays an image in the Word document', async () => {
    const { path, warnings } = await convert(pdf, getPath('blurred.png'), 'docx')
    assert.ok(warnings.includes('OCR_UNCERTAIN'), `${warnings}`)
    assert.match(await readStdout('unzip', '-l', path), /word\/media\/image/)
  })

  test('the paper color and the colored band of a PDF page stay behind the text in Word', async () => {
    const { printed, text } = await toWordAndBack('paper.pdf')
    assert.equal(await countPdfPages(printed), 1)
    const [paperColor, bandColor] = [
      await readColor(printed, 1, [200, 450]),
      await readColor(printed, 1, [200, 10]),
    ]
    assert.ok(paperColor.red > 245 && paperColor.blue < 190, JSON.stringify(paperColor))
    assert.ok(bandColor.blue > 140 && bandColor.red < 20, JSON.stringify(bandColor))
    assert.match(text, /Line 3 of a page/)
  })

  test('a stamp on a PDF page becomes an image at the same position, with its words as alternative text', async () => {
    const { path, printed, text } = await toWordAndBack('stamp.pdf')
    assert.match(text, /Line 3 of a page[\s\S]*Line 3 of a page/)
    assert.doesNotMatch(text, /PAID/)
    const xml = await readStdout('unzip', '-p', path, 'word/document.xml')
    assert.match(xml, /<wp:docPr [^>]*descr="PAID"/)
    assert.match(xml, /<wp:anchor [^>]*behindDoc="1"/)
    // This point is on the lower edge of the frame, 50 points to the right of its corner.
    const { red, green } = await readColor(printed, 1, [250, 150])
    assert.ok(red > green + 60, `${red} ${green}`)
  })
})

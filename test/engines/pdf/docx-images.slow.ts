// Run by `npm run test:slow`: tests OCR of PDF pages whose text is only in an image.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { pdf } from '../../../lib/engines/pdf.ts'
import { readStdout } from '../support/inspect-result.ts'
import { createPdf, type PdfFileObjects, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'

const stream = (content: string) => ({ dict: '<< >>', data: Buffer.from(content) })

async function createScan(lines: readonly string[]): Promise<PdfFileObjects[number]> {
  const words = lines.map((line, at) => `<text x="100" y="${160 + at * 90}">${line}</text>`).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="1754" font-family="DejaVu Sans" font-size="52"><rect width="1240" height="1754" fill="#fff"/>${words}</svg>`
  const data = await sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer()
  const dict =
    '<< /Type /XObject /Subtype /Image /Width 1240 /Height 1754 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode >>'
  return { dict, data }
}

const createPage = (contentsObject: number, resources: string) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${contentsObject} 0 R /Resources << ${resources} >> >>`
const imageContent = stream('q 595 0 0 842 0 0 cm /Im Do Q')
const prose = Array.from(
  { length: 10 },
  (_, at) => `(Line ${at} is read without an image of it.) Tj T*`,
).join(' ')

/** A scan with too few characters to count as a page of text. */
const pdfWithFewWords = createPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
  3: createPage(4, '/XObject << /Im 5 0 R >>'),
  4: imageContent,
  5: await createScan(['Invoice 42 Oslo']),
})

const mixedPdf = createPdf({
  1: '<< /Type /Catalog /Pages 2 0 R >>',
  2: '<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 >>',
  3: createPage(4, '/Font << /F1 7 0 R >>'),
  4: stream(`BT /F1 12 Tf 14 TL 60 700 Td ${prose} ET`),
  5: await createScan(['Scanned words of rivers', 'and of mountains']),
  6: createPage(8, '/XObject << /Im 5 0 R >>'),
  7: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  8: imageContent,
})

const getPath = await writeFiles({ 'few.pdf': pdfWithFewWords, 'mixed.pdf': mixedPdf })
const convertToText = async (name: string, options = {}) => {
  const run = await convert(pdf, getPath(name), 'docx', { options })
  return { ...run, text: await readStdout('pandoc', '--from=docx', '--to=plain', '--wrap=none', run.path) }
}

test('a PDF scan of only a few words becomes a Word document with these words', async () => {
  const { text } = await convertToText('few.pdf')
  assert.match(text, /Invoice 42 Oslo/)
})

test('a scanned page among text pages of a PDF is read by OCR when converting to Word', async () => {
  const { text, result, warnings } = await convertToText('mixed.pdf')
  assert.match(text, /Line 9 is read without[\s\S]*Scanned words of rivers[\s\S]*mountains/)
  assert.equal(result.details?.pagesRecognized, 1)
  assert.deepEqual(warnings, ['OCR_USED'])
})

test('a scanned page among text pages of a PDF is reported but not read in fast mode', async () => {
  const { text, warnings } = await convertToText('mixed.pdf', { mode: 'fast' })
  assert.doesNotMatch(text, /Scanned words/)
  assert.deepEqual(warnings, ['TEXT_MAY_BE_MISSING'])
})

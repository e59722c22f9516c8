import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import type { Tools } from '../../../lib/engines/engine.ts'
import { countWords, warnAboutUncertainWords } from '../../../lib/engines/pdf/ocr/tesseract-output.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'

const folder = scratchFolder('ocr-orientation')

/** A page of few words, such as a receipt. By default, OCRmyPDF would turn only pages full of text upright. */
const lines = [
  'Shopping list for the weekend      party',
  'Two   bottles of milk and     one    bread',
  'Please call the plumber on Monday',
  'Meeting   moved to half past nine',
]

async function createScan(name: string, degrees: number): Promise<{ image: string; pdf: string }> {
  const spans = lines.map((line, index) => `<text x="90" y="${150 + index * 90}">${line}</text>`)
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="700" xml:space="preserve">
    <rect width="1000" height="700" fill="white"/><g font-family="DejaVu Sans" font-size="32">${spans.join('')}</g></svg>`
  const image = join(folder, `${name}.png`)
  await sharp(Buffer.from(svg))
    .rotate(degrees, { background: 'white' })
    .flatten()
    .greyscale()
    .png()
    .toFile(image)
  const path = join(folder, `${name}.pdf`)
  await readStdout('img2pdf', '--imgsize', '150dpix150dpi', '--output', path, image)
  return { image, pdf: path }
}

const recognize = (source: string, to: FormatId) => convert(pdf, source, to, { operation: 'ocr-pdf' })
const splitWords = (text: string) => text.match(/[a-z]+/gi) ?? []
const allWords = splitWords(lines.join(' '))

describe('orientation and lines of scans', () => {
  for (const degrees of [90, 180])
    test(`a scanned page with few words is turned upright before OCR: ${degrees} degrees`, async () => {
      const { pdf } = await createScan(`turned-${degrees}`, degrees)
      const { path, warnings } = await recognize(pdf, 'pdf')
      assert.deepEqual(warnings, [])
      assert.deepEqual(splitWords(await readPdfText(path)).sort(), [...allWords].sort())
    })

  test('lines of an image stay whole in the OCR text even if they contain wide gaps', async () => {
    const { image } = await createScan('photo', 0)
    const { path } = await recognize(image, 'txt')
    const foundLines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.trim() !== '')
    assert.deepEqual(
      foundLines.map((line) => splitWords(line).join(' ')),
      lines.map((line) => splitWords(line).join(' ')),
    )
  })

  test('words of a scanned page that is skewed by four degrees stay whole and in order', async () => {
    const { pdf } = await createScan('skewed', 4)
    const { path } = await recognize(pdf, 'txt')
    const searchablePdf = await recognize(pdf, 'pdf')
    // OCR of skewed lines may read lowercase as uppercase.
    const splitLowerCase = (text: string) => splitWords(text.toLowerCase())
    const expectedWords = splitLowerCase(lines.join(' '))
    assert.deepEqual(splitLowerCase(await readFile(path, 'utf8')), expectedWords)
    // Poppler takes the words after wide gaps for a column of their own.
    const searchableWords = splitLowerCase(await readPdfText(searchablePdf.path))
    assert.deepEqual(searchableWords.sort(), expectedWords.toSorted())
  })
})

test('the OCR_UNCERTAIN warning lists the scanned pages on which many words are uncertain', () => {
  const createRow = (confidence: number, text: string) =>
    `5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t${confidence}\t${text}`
  const tsv = [
    createRow(95, 'sure'),
    createRow(12, 'uns?re'),
    createRow(93, 'again'),
    createRow(-1, ''),
    createRow(10, '—'),
  ].join('\n')
  const counts = countWords(tsv)
  assert.deepEqual(counts, { words: 3, uncertainWords: 1 })
  const warnings: Parameters<Tools['warn']>[] = []
  const tools: Pick<Tools, 'warn'> = { warn: (...warning) => void warnings.push(warning) }
  const createReading = (page: number, uncertainWords: number) => ({
    page,
    text: undefined,
    words: 10,
    uncertainWords,
  })
  warnAboutUncertainWords([createReading(1, 1), createReading(2, 4), createReading(3, 6)], [7, 8, 9], tools)
  assert.deepEqual(warnings, [
    [
      'OCR_UNCERTAIN',
      '50 % of the words on pages 8-9 could not be read with confidence. Check these pages, or send a sharper scan.',
      { share: 0.5, count: 2, pages: '8-9' },
    ],
  ])
})

import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Operation } from '../../lib/engines/engine.ts'
import { ocrLanguage, ocrLanguages, tesseractLanguages } from '../../lib/engines/pdf/ocr/languages.ts'
import { pdf } from '../../lib/engines/pdf.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { output, pdfPages, pdfText } from './judge.ts'
import { convert, fixture, type RunSettings } from './run-engine.ts'

const report = fixture('report.pdf')
/** A scan of the first page of the report, a PDF of its upper part, and one of the page as text and as that picture. */
const folder = scratchFolder('ocr-test')
const scan = join(folder, 'scan-1.png')
const scanned = join(folder, 'scanned.pdf')
const mixed = join(folder, 'mixed.pdf')

const read = (
  source: string,
  to: FormatId,
  operation: Operation = 'ocr-pdf',
  options: RunSettings['options'] = {},
) => convert(pdf, source, to, { operation, options })

/** The part of the words of one text that another has. */
function recall(wanted: string, found: string): number {
  const words = (text: string) => text.toLowerCase().match(/[a-z]{2,}|\d+/g) ?? []
  const there = new Set(words(found))
  const asked = words(wanted)
  return asked.filter((word) => there.has(word)).length / asked.length
}

describe('text in pictures', () => {
  before(async () => {
    await output('pdftoppm', '-r', '150', '-gray', '-png', '-l', '1', report, join(folder, 'scan'))
    const upper = ['-x', '0', '-y', '0', '-W', '1241', '-H', '600']
    await output('pdftoppm', '-r', '150', '-gray', '-png', '-l', '1', ...upper, report, join(folder, 'upper'))
    const picture = join(folder, 'upper-1.png')
    await output('img2pdf', '--imgsize', '150dpix150dpi', '--output', scanned, picture)
    await output('qpdf', '--empty', '--pages', report, '1', scanned, '1', '--', mixed)
  })

  test('is read from a clean page with at least 95 % of its words', async () => {
    const { path, result, lines } = await read(scan, 'txt')
    // A picture of few dots is enlarged, and what is straight stays as it is.
    const call = lines.find((line) => line.startsWith('ocrmypdf')) ?? ''
    assert.match(call, / --oversample 300 /)
    assert.doesNotMatch(call, /--deskew|--force-ocr/)
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 1 })
    const share = recall((await pdfText(report)).split('\f')[0] ?? '', await readFile(path, 'utf8'))
    assert.ok(share >= 0.95, `${Math.round(share * 100)} %`)
  })

  test('is put behind the pages of a PDF that have none, and no others', async () => {
    const options = { language: 'eng+deu', deskew: true }
    const { path, result, progress, lines } = await read(mixed, 'pdf', 'ocr-pdf', options)
    const call = lines.find((line) => line.startsWith('ocrmypdf'))
    assert.match(call ?? '', / --deskew .* --language eng\+deu --pages 2 /)
    assert.deepEqual(result.details, { pages: 2, pagesRecognized: 1 })
    assert.equal(await pdfPages(path), 2)
    const [first = '', second = ''] = (await pdfText(path)).split('\f')
    assert.equal(first.match(/lighthouse/g)?.length, 1)
    assert.match(second, /Annual report of the lighthouse/)
    assert.equal(progress.at(-1), 1)
  })

  test('of a scan becomes a Word document that flows', async () => {
    const { path, result, lines } = await read(scanned, 'docx', 'convert', { ocrLanguage: 'eng' })
    // Pages lie askew on many scanners, and words of a line that rises are taken for several lines.
    assert.match(lines.find((line) => line.startsWith('ocrmypdf')) ?? '', / --deskew .* --language eng /)
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 1 })
    const page = await output('pandoc', '--from=docx', '--to=html', '--wrap=none', path)
    assert.match(page, /<h1[^>]*>Annual report of the lighthouse<\/h1>/)
    assert.match(page, /wraps over more than one line of the page, so that joining lines is tried/)
  })

  test('is not read where that is not wanted, which a warning says', async () => {
    const { warnings, result } = await read(scanned, 'docx', 'convert', { mode: 'fast' })
    assert.deepEqual(warnings, ['TEXT_MAY_BE_MISSING'])
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 0 })
  })

  test('of a scan of more than 50 pages is not read before it becomes a Word document', async () => {
    const long = join(folder, 'long.pdf')
    const pages = Array.from({ length: 51 }, () => fixture('corners.jpg'))
    await output('img2pdf', '--output', long, ...pages)
    const { warnings, result } = await read(long, 'docx', 'convert')
    assert.deepEqual(warnings, ['TEXT_MAY_BE_MISSING'])
    assert.deepEqual(result.details, { pages: 51, pagesRecognized: 0 })
  })

  test('is left alone where every page has text', async () => {
    const { path, warnings, result } = await read(report, 'pdf')
    assert.deepEqual(warnings, ['TEXT_PRESENT'])
    assert.deepEqual(result.details, { pages: 2, pagesRecognized: 0 })
    assert.equal((await stat(path)).size, (await stat(report)).size)
  })

  test('of a protected PDF is read with its password', async () => {
    const locked = fixture('needs-password.pdf')
    const { warnings, path } = await read(locked, 'txt', 'ocr-pdf', { password: 'secret' })
    assert.ok(warnings.includes('ENCRYPTION_REMOVED'), `told was ${warnings}`)
    assert.match(await readFile(path, 'utf8'), /alphamarker/)
    await assert.rejects(read(locked, 'txt'), { code: 'PDF_ENCRYPTED' })
  })
})

describe('languages of text in pictures', () => {
  test('are seventeen, by the names of their packs', async () => {
    assert.equal(Object.keys(ocrLanguages).length, 17)
    const installed = (await output('tesseract', '--list-langs')).split('\n')
    for (const name of Object.keys(ocrLanguages))
      assert.ok(installed.includes(tesseractLanguages(name)), name)
  })

  test('can be joined, and spelled as Tesseract spells them', () => {
    assert.equal(tesseractLanguages(ocrLanguage.parse('chi_sim+ENG')), 'chi_sim+eng')
    assert.equal(ocrLanguage.parse('eng deu'), 'eng+deu')
  })

  test('that are not known are refused with the list of those that are', () => {
    for (const name of ['klingon', 'eng+', '', 'eng;rm', '../eng', 'eng+deu+fra+spa+ita+por']) {
      const { success, error } = ocrLanguage.safeParse(name)
      assert.equal(success, false, name)
      for (const known of Object.keys(ocrLanguages)) assert.ok(error?.message.includes(known), known)
    }
  })
})

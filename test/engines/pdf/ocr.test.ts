import assert from 'node:assert/strict'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { ocrLanguage, ocrLanguages, toTesseractLanguages } from '../../../lib/engines/pdf/ocr/languages.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import type { Operation } from '../../../lib/model/operations.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const report = fixture('report.pdf')
/**
 * Files that are created before the tests: a scan of the first page of the report, a PDF with a scan of the upper part
 * of that page, and a PDF with both a page of text and that scan.
 */
const folder = scratchFolder('ocr-test')
const scan = join(folder, 'scan-1.png')
const scannedPdf = join(folder, 'scanned.pdf')
const mixedPdf = join(folder, 'mixed.pdf')

const recognizeTo = (
  source: string,
  to: FormatId,
  operation: Operation = 'ocr-pdf',
  options: RunSettings['options'] = {},
) => convert(pdf, source, to, { operation, options })

/** Returns the share of the words of the wanted text that the found text contains. */
function computeRecall(wantedText: string, foundText: string): number {
  const splitWords = (text: string) => text.toLowerCase().match(/[a-z]{2,}|\d+/g) ?? []
  const foundWords = new Set(splitWords(foundText))
  const wantedWords = splitWords(wantedText)
  return wantedWords.filter((word) => foundWords.has(word)).length / wantedWords.length
}

describe('OCR', () => {
  before(async () => {
    await readStdout('pdftoppm', '-r', '150', '-gray', '-png', '-l', '1', report, join(folder, 'scan'))
    const upperPartArgs = ['-x', '0', '-y', '0', '-W', '1241', '-H', '600']
    await readStdout(
      'pdftoppm',
      '-r',
      '150',
      '-gray',
      '-png',
      '-l',
      '1',
      ...upperPartArgs,
      report,
      join(folder, 'upper'),
    )
    const image = join(folder, 'upper-1.png')
    await readStdout('img2pdf', '--imgsize', '150dpix150dpi', '--output', scannedPdf, image)
    await readStdout('qpdf', '--empty', '--pages', report, '1', scannedPdf, '1', '--', mixedPdf)
  })

  test('OCR reads at least 95 % of the words of a clean page', async () => {
    const { path, result, lines } = await recognizeTo(scan, 'txt')
    // A low-resolution image is enlarged, and a page is straightened only with the option `deskew`.
    const call = lines.find((line) => line.startsWith('ocrmypdf')) ?? ''
    assert.match(call, / --oversample 300 /)
    assert.doesNotMatch(call, /--deskew|--force-ocr/)
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 1 })
    const ratio = computeRecall(
      (await readPdfText(report)).split('\f')[0] ?? '',
      await readFile(path, 'utf8'),
    )
    assert.ok(ratio >= 0.95, `${Math.round(ratio * 100)} %`)
  })

  test('OCR adds a text layer only to pages without text', async () => {
    const options = { language: 'eng+deu', deskew: true }
    const { path, result, progress, lines } = await recognizeTo(mixedPdf, 'pdf', 'ocr-pdf', options)
    const call = lines.find((line) => line.startsWith('ocrmypdf'))
    assert.match(call ?? '', / --deskew .* --language eng\+deu --pages 2 /)
    assert.deepEqual(result.details, { pages: 2, pagesRecognized: 1 })
    assert.equal(await countPdfPages(path), 2)
    const [firstPage = '', secondPage = ''] = (await readPdfText(path)).split('\f')
    assert.equal(firstPage.match(/lighthouse/g)?.length, 1)
    assert.match(secondPage, /Annual report of the lighthouse/)
    assert.equal(progress.at(-1), 1)
  })

  test('a scan becomes a Word document with flowing text', async () => {
    const { path, result, lines } = await recognizeTo(scannedPdf, 'docx', 'convert', { ocrLanguage: 'eng' })
    // Many scans are skewed, and a sloping line would be split into several lines.
    assert.match(lines.find((line) => line.startsWith('ocrmypdf')) ?? '', / --deskew .* --language eng /)
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 1 })
    const page = await readStdout('pandoc', '--from=docx', '--to=html', '--wrap=none', path)
    assert.match(page, /<h1[^>]*>Annual report of the lighthouse<\/h1>/)
    assert.match(page, /wraps over more than one line of the page, so that joining lines is tried/)
  })

  test('a scan is not read by OCR in fast mode, and a warning says so', async () => {
    const { warnings, result } = await recognizeTo(scannedPdf, 'docx', 'convert', { mode: 'fast' })
    assert.deepEqual(warnings, ['TEXT_MAY_BE_MISSING'])
    assert.deepEqual(result.details, { pages: 1, pagesRecognized: 0 })
  })

  test('a scan of more than 50 pages becomes a Word document without OCR', async () => {
    const longPdf = join(folder, 'long.pdf')
    const pages = Array.from({ length: 51 }, () => fixture('corners.jpg'))
    await readStdout('img2pdf', '--output', longPdf, ...pages)
    const { warnings, result } = await recognizeTo(longPdf, 'docx', 'convert')
    assert.deepEqual(warnings, ['TEXT_MAY_BE_MISSING'])
    assert.deepEqual(result.details, { pages: 51, pagesRecognized: 0 })
  })

  test('OCR returns a PDF unchanged if every page has text', async () => {
    const { path, warnings, result } = await recognizeTo(report, 'pdf')
    assert.deepEqual(warnings, ['TEXT_PRESENT'])
    assert.deepEqual(result.details, { pages: 2, pagesRecognized: 0 })
    assert.equal((await stat(path)).size, (await stat(report)).size)
  })

  test('OCR of an encrypted PDF requires its password', async () => {
    const lockedPath = fixture('needs-password.pdf')
    const { warnings, path } = await recognizeTo(lockedPath, 'txt', 'ocr-pdf', { password: 'secret' })
    assert.ok(warnings.includes('ENCRYPTION_REMOVED'), `warnings were ${warnings}`)
    assert.match(await readFile(path, 'utf8'), /alphamarker/)
    await assert.rejects(recognizeTo(lockedPath, 'txt'), { code: 'PDF_ENCRYPTED' })
  })
})

describe('OCR languages', () => {
  test('all seventeen OCR languages have an installed Tesseract language pack', async () => {
    assert.equal(Object.keys(ocrLanguages).length, 17)
    const installedLanguages = (await readStdout('tesseract', '--list-langs')).split('\n')
    for (const name of Object.keys(ocrLanguages))
      assert.ok(installedLanguages.includes(toTesseractLanguages(name)), name)
  })

  test('several OCR languages can be combined, separated by spaces or in Tesseract notation', () => {
    assert.equal(toTesseractLanguages(ocrLanguage.parse('chi_sim+ENG')), 'chi_sim+eng')
    assert.equal(ocrLanguage.parse('eng deu'), 'eng+deu')
  })

  test('unknown OCR languages are refused with a list of the known ones', () => {
    for (const name of ['klingon', 'eng+', '', 'eng;rm', '../eng', 'eng+deu+fra+spa+ita+por']) {
      const { success, error } = ocrLanguage.safeParse(name)
      assert.equal(success, false, name)
      for (const knownLanguage of Object.keys(ocrLanguages))
        assert.ok(error?.message.includes(knownLanguage), knownLanguage)
    }
  })
})

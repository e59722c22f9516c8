import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Tools } from '../../../lib/engines/engine.ts'
import { buildDocx } from '../../../lib/engines/pdf/docx/build-docx.ts'
import { pdf } from '../../../lib/engines/pdf.ts'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import { AppError } from '../../../lib/errors.ts'
import { createOfficeProfile } from '../../support/office-profile.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, listZipNames, readPdfText, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

const report = fixture('report.pdf')
const toDocx = (options: RunSettings['options'] = {}, source = report) =>
  convert(pdf, source, 'docx', { options })

/** Converts a Word document to HTML with Pandoc. */
const toHtml = (path: string) => readStdout('pandoc', '--from=docx', '--to=html', '--wrap=none', path)

/** Converts a Word document back to PDF with LibreOffice, which was not involved in creating it. */
async function printToPdf(path: string): Promise<string> {
  const folder = scratchFolder('reopened')
  const profile = createOfficeProfile(folder)
  await readStdout('soffice', profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, path)
  return join(folder, `${parse(path).name}.pdf`)
}

describe('PDF to Word', () => {
  after(removeRuns)

  test('headings, lists, tables, images and links of a PDF are kept in the Word document', async () => {
    const { path, result, warnings } = await toDocx()
    assert.deepEqual(warnings, [])
    assert.deepEqual(result.details, { pages: 2, pagesRecognized: 0 })
    const page = (await toHtml(path)).replaceAll(/<\/?strong>/g, '')
    assert.match(page, /<h1[^>]*>Annual report of the lighthouse<\/h1>/)
    assert.match(page, /<h2[^>]*>Lists of things<\/h2>/)
    assert.match(page, /<h3[^>]*>A picture<\/h3>/)
    assert.match(page, /<h1[^>]*>Second chapter<\/h1>/)
    assert.match(page, /<ul>\s*<li><p>apples from the garden<\/p><\/li>\s*<li><p>pears .* does it<\/p><\/li>/)
    assert.match(page, /<ol[^>]*>\s*<li><p>first step<\/p><\/li>\s*<li><p>second step<\/p><\/li>/)
    assert.match(page, /<th[^>]*>Year<\/th>\s*<th[^>]*>Ships<\/th>\s*<th[^>]*>Keeper<\/th>/)
    assert.match(page, /<td[^>]*>1902<\/td>\s*<td[^>]*>311<\/td>\s*<td[^>]*>Jonas Pike<\/td>/)
    assert.match(page, /<img src="media\//)
    assert.match(page, /<a href="https:\/\/example\.com\/page">/)
  })

  test('PDF text flows in the Word document and keeps its character formatting', async () => {
    const page = await toHtml((await toDocx()).path)
    assert.match(
      page,
      /<strong>bold words<\/strong>, <em>italic words<\/em> and red words, and goes on for long/,
    )
    assert.match(
      page,
      /goes on for long enough that it wraps over more than one line of the page, so that joining/,
    )
    assert.match(page, /<span dir="rtl">مرحبا بالعالم<\/span>/)
    assert.match(page, /<p>日本語の段落です。<\/p>/)
    const xml = await readStdout('unzip', '-p', (await toDocx()).path, 'word/document.xml')
    assert.match(xml, /<w:color w:val="C00000"\/>/i)
    assert.match(xml, /<w:jc w:val="center"\/>/)
    assert.doesNotMatch(xml, /<w:framePr|<w:txbxContent/)
  })

  test('the Word document of a PDF is printed with the same pages as the PDF', async () => {
    const reprintedPdf = await printToPdf((await toDocx()).path)
    assert.equal(await countPdfPages(reprintedPdf), 2)
    const lastPage = (await readPdfText(reprintedPdf)).split('\f')[1] ?? ''
    assert.match(lastPage, /Second chapter\s+Text of the second page, which ends the report\./)
  })

  test('the options pages and pageRange both select the pages of a PDF for Word', async () => {
    for (const options of [{ pages: '2' }, { pageRange: '2' }]) {
      const { path, result } = await toDocx(options)
      assert.deepEqual(result.details, { pages: 1, pagesRecognized: 0 })
      assert.doesNotMatch(await toHtml(path), /lighthouse/)
    }
  })

  test('layout=exact puts the text of a PDF into positioned frames in Word and keeps the number of pages', async () => {
    const { path } = await toDocx({ layout: 'exact' })
    assert.match(await readStdout('unzip', '-p', path, 'word/document.xml'), /<w:framePr/)
    const reprintedPdf = await printToPdf(path)
    assert.equal(await countPdfPages(reprintedPdf), 2)
    assert.match(await readPdfText(reprintedPdf), /Annual report of the lighthouse/)
  })

  test('PDF to Word falls back to text lines over page images, and then to page images alone', async () => {
    const workDir = scratchFolder('rebuild')
    const warnings: string[] = []
    const tools = createTools({
      workDir,
      signal: new AbortController().signal,
      limits: pdf.limits,
      onWarning: (code) => warnings.push(code),
    })
    const withBrokenPrograms = (...programs: readonly string[]): Tools => ({
      ...tools,
      exec: (bin, args, options) =>
        programs.includes(bin)
          ? Promise.reject(new EngineCrash(bin, 'SIGSEGV', ''))
          : tools.exec(bin, args, options),
    })
    const source = join(workDir, 'in.pdf')
    await copyFile(report, source)
    const sourceForParse = {
      path: source,
      pages: [1, 2],
      characterCounts: [],
      pagesTried: [],
      uncertainPages: new Set<number>(),
      language: undefined,
      maxRecognized: 0,
    }
    const countImages = async (file: string) =>
      (await listZipNames(file)).filter((name) => name.startsWith('word/media/') && name.endsWith('.jpg'))
        .length
    const request = { ...sourceForParse, documentInfo: {}, outDir: workDir, isFixedLayout: false }
    const { file } = await buildDocx(request, withBrokenPrograms(process.execPath))
    assert.deepEqual(warnings.splice(0), ['LAYOUT_NOT_REBUILT'])
    assert.equal(await countImages(file), 2)
    assert.match(await toHtml(file), /Annual report of the lighthouse/)
    const imagesOnly = await buildDocx(request, withBrokenPrograms(process.execPath, 'pdftotext'))
    assert.deepEqual(warnings, ['LAYOUT_NOT_REBUILT'])
    assert.equal(await countImages(imagesOnly.file), 2)
    assert.doesNotMatch(await toHtml(imagesOnly.file), /lighthouse/)
  })

  test('PDF to Word refuses a PDF with a password and points to decrypt-pdf', async () => {
    await assert.rejects(toDocx({}, fixture('needs-password.pdf')), (error) => {
      assert.ok(error instanceof AppError)
      assert.equal(error.code, 'PDF_ENCRYPTED')
      assert.match(error.message, /toolOperation=decrypt-pdf/)
      return true
    })
    assert.match(await toHtml((await toDocx({}, fixture('owner-password.pdf'))).path), /alphamarker/)
  })
})

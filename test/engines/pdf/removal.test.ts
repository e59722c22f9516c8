import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { pdf } from '../../../lib/engines/pdf.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { isWhite, readUncompressed, renderPage } from '../support/inspect-pdf.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { createBook, createPdf, createPhotoPage, writeFiles } from '../support/pdf-maker.ts'
import { convert } from '../support/run-engine.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const getPath = await writeFiles({
  'book.pdf': createBook('Alpha'),
  'photo.pdf': await createPhotoPage(),
})
const run = createToolRunner(getPath('book.pdf'))

test('flatten-pdf turns form fields into page content, even fields without an appearance stream', async () => {
  const { path } = await run('flatten-pdf')
  assert.match(await readPdfText(path), /Alpha-name-value[\s\S]*Alpha-city-value/)
  assert.match(await readStdout('pdfinfo', path), /Form:\s+none/)
  assert.match(await readUncompressed(path), /https:\/\/example\.com/)
})

test('flatten-pdf keeps comments without an appearance stream', async () => {
  const createPage = (annotation: string) =>
    createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [4 0 R] >>',
      4: `<< /Type /Annot /Rect [10 40 190 70] /F 4 ${annotation} >>`,
    })
  const notes = await writeFiles({
    'text.pdf': createPage('/Subtype /FreeText /Contents (spoken words) /DA (/Helv 12 Tf 0 g)'),
    'box.pdf': createPage('/Subtype /Square /C [1 0 0] /IC [1 0 0]'),
  })
  const flatten = (name: string) => convert(pdf, notes(name), 'pdf', { operation: 'flatten-pdf' })
  const text = await flatten('text.pdf')
  assert.match(await readPdfText(text.path), /spoken words/)
  assert.doesNotMatch(await readUncompressed(text.path), /FreeText/)
  const [red = 0, green = 255] = await (await renderPage((await flatten('box.pdf')).path)).color(1, 1)
  assert.ok(red > 240 && green < 150, `${red} ${green}`)
})

test('flatten-pdf and to-pdfa draw form fields that have no appearance stream, and leave no field to fill in', async () => {
  const createField = (left: number, entries: string) =>
    `<< /Type /Annot /Subtype /Widget /Rect [${left} 40 ${left + 60} 60] /P 3 0 R /F 4 ${entries} >>`
  const form = await writeFiles({
    'form.pdf': createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R /AcroForm << /NeedAppearances true /Fields [4 0 R 5 0 R 6 0 R 7 0 R] /DA (/Helv 12 Tf 0 g) >> >>',
      2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Annots [4 0 R 5 0 R 6 0 R 7 0 R] >>',
      4: createField(10, '/FT /Tx /T (name) /V (Ada) /DA (/Helv 12 Tf 0 g)'),
      5: createField(80, '/FT /Btn /T (ok) /V /Yes /AS /Yes'),
      6: createField(
        150,
        '/FT /Ch /Ff 131072 /T (land) /Opt [(Sweden) (Norway)] /V (Norway) /DA (/Helv 12 Tf 0 g)',
      ),
      7: createField(220, '/FT /Btn /T (no) /V /Off /AS /Off'),
    }),
  })
  for (const operation of ['flatten-pdf', 'to-pdfa'] as const) {
    const { path } = await run(operation, {}, form('form.pdf'))
    assert.match(await readPdfText(path), /Ada\s+[✔4]\s+Norway\s*$/, operation)
    assert.doesNotMatch(await readUncompressed(path), /Widget|AcroForm/, operation)
    const page = await renderPage(path)
    assert.ok(!isWhite(await page.color(1, 1)), `${operation}: the check mark must be visible`)
  }
})

describe('PDF redaction', () => {
  test('redact-pdf finds a term that is hyphenated at the end of a line', async () => {
    const getPath = await writeFiles({
      'memo.pdf': createPdf({
        1: '<< /Type /Catalog /Pages 2 0 R >>',
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
        4: {
          dict: '<< >>',
          data: Buffer.from(
            'BT /F1 12 Tf 14 TL 10 80 Td (All of it is confi-) Tj T* (dential for now) Tj ET',
          ),
        },
        5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      }),
    })
    const { path, result } = await run('redact-pdf', { terms: 'Confidential' }, getPath('memo.pdf'))
    assert.equal(result.details?.['redactions'], 1)
    assert.match(await readPdfText(path), /All of it is\s+for now/)
  })

  test('redact-pdf permanently removes terms from pages, form fields, outline and title', async () => {
    const { path, result, warnings } = await run('redact-pdf', {
      terms: '["alpha page2", "city-value", "alpha BOOK"]',
    })
    assert.deepEqual(result.details, { pages: 4, redactions: 2, redactedPages: [2, 3] })
    assert.deepEqual(warnings, [])
    const content = await readUncompressed(path)
    assert.match(content, /Alpha page1/)
    assert.doesNotMatch(content, /Alpha page2|city-value|Alpha book|attached words/i)
    const [red = 255] = await (await renderPage(path, 2)).color(1, 0)
    assert.ok(red < 240, 'the redacted area must be black')
  })

  test('redact-pdf also removes terms from hidden layers', async () => {
    const content =
      'BT /F 20 Tf 20 150 Td (Shown) Tj ET /OC /Hidden BDC BT /F 20 Tf 20 100 Td (Secret kept) Tj ET EMC'
    const source = await writeFiles({
      'layer.pdf': createPdf({
        1: '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >> >>',
        2: '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        3: '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /Properties << /Hidden 6 0 R >> >> >>',
        4: { dict: '<< >>', data: Buffer.from(content) },
        5: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
        6: '<< /Type /OCG /Name (Notes) >>',
      }),
    })
    const { path, result } = await run('redact-pdf', { terms: 'Secret' }, source('layer.pdf'))
    assert.equal(result.details?.['redactions'], 1)
    assert.doesNotMatch(await readUncompressed(path), /Secret/)
    assert.match(await readUncompressed(path), /\/OFF/)
  })

  test('redact-pdf removes the image pixels behind a redacted term', async () => {
    const scan = await run('merge', {}, getPath('photo.pdf'), { more: [getPath('photo.pdf')] })
    const page = await convert(pdf, scan.path, 'pdf', {
      operation: 'add-watermark-pdf',
      options: { watermarkText: 'SECRET', watermarkPosition: 'center', watermarkOpacity: 1 },
    })
    const { path } = await convert(pdf, page.path, 'pdf', {
      operation: 'redact-pdf',
      options: { terms: ['secret'] },
    })
    const folder = (await run('rotate-pdf')).workDir
    execFileSync('pdfimages', ['-png', '-l', '1', path, join(folder, 'left')])
    const place = await sharp(join(folder, 'left-000.png'))
      .extract({ left: 200, top: 380, width: 200, height: 40 })
      .raw()
      .toBuffer()
    assert.deepEqual([...new Set(place)], [255])
  })

  test('redact-pdf warns when no term was found', async () => {
    assert.deepEqual((await run('redact-pdf', { terms: 'nowhere' })).warnings, ['NOTHING_TO_DO'])
    assert.deepEqual((await run('redact-pdf', { terms: 'x' }, getPath('photo.pdf'))).warnings, [
      'NOTHING_TO_DO',
    ])
  })
})

test('sanitize-pdf removes actions, links and attachments and keeps the page content', async () => {
  const { path, result } = await run('sanitize-pdf')
  assert.deepEqual(result.details?.removed, { actions: 2, links: 1, attachments: 2 })
  const content = await readUncompressed(path)
  assert.doesNotMatch(
    content,
    /JavaScript|app\.alert|Launch|calc\.exe|EmbeddedFiles|attached words|example\.com/,
  )
  assert.match(await readPdfText(path), /Alpha page1/)
  assert.match(content, /Alpha book/)
  const runKeepingLinks = await run('sanitize-pdf', { removeLinks: 'false', removeMetadata: 'true' })
  assert.match(await readUncompressed(runKeepingLinks.path), /example\.com/)
  assert.doesNotMatch(await readUncompressed(runKeepingLinks.path), /Alpha book|Ada Author/)
})

test('edit-pdf-metadata sets fields in the information dictionary and XMP, and removes emptied fields completely', async () => {
  const { path } = await run('edit-pdf-metadata', {
    title: 'Grüße "機密" <x> -all=',
    author: '',
    keywords: 'one, two',
  })
  const info = await readStdout('pdfinfo', path)
  assert.match(info, /Title:\s+Grüße "機密" <x> -all=\n/)
  assert.match(info, /Keywords:\s+one, two/)
  assert.doesNotMatch(info, /Author/)
  assert.match(await readStdout('pdfinfo', '-meta', path), /Grüße &quot;機密&quot; &lt;x&gt; -all=/)
  assert.doesNotMatch(await readUncompressed(path), /Ada Author/)
  const withoutMetadata = await run('edit-pdf-metadata', { removeMetadata: true })
  assert.doesNotMatch(await readStdout('pdfinfo', withoutMetadata.path), /Title|Author/)
  await assertRefused(run('edit-pdf-metadata'), 'INVALID_INPUT', /^title: expected at least one/)
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { readLinkTargets, readUncompressed, renderPage } from '../support/inspect-pdf.ts'
import { readPdfText, readStdout } from '../support/inspect-result.ts'
import { createPdf, writeFiles } from '../support/pdf-maker.ts'
import { createToolRunner } from '../support/run-pdf-tool.ts'

const createLink = (entries: string) =>
  `<< /Type /Annot /Subtype /Link /Rect [10 40 190 70] /Border [0 0 0] ${entries} >>`

const getPath = await writeFiles({
  // A PDF with a language, an attached file, and links without the Print flag, as almost all programs write them.
  'report.pdf': createPdf({
    1: `<< /Type /Catalog /Pages 2 0 R /Lang (de-DE) /Names << /EmbeddedFiles << /Names [(data.xml) 20 0 R] >> >> /AF [20 0 R] >>`,
    2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >>',
    3: '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Annots [10 0 R 11 0 R] /Resources << /Font << /F1 6 0 R >> >> >>',
    4: '<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F1 6 0 R >> >> >>',
    5: { dict: '<< >>', data: Buffer.from('BT /F1 12 Tf 10 50 Td (Bericht) Tj ET') },
    6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    10: createLink('/A << /S /URI /URI (https://example.com/) >>'),
    11: createLink('/Dest [4 0 R /Fit]'),
    20: '<< /Type /Filespec /F (data.xml) /UF (data.xml) /AFRelationship /Alternative /EF << /F 21 0 R >> >>',
    21: { dict: '<< /Type /EmbeddedFile >>', data: Buffer.from('<attached/>') },
  }),
})
const run = createToolRunner(getPath('report.pdf'))

test('to-pdfa keeps the text of transparent pages in PDF/A-1', async () => {
  const createPage = (contentsObject: number) =>
    `<< /Type /Page /Parent 2 0 R /Contents ${contentsObject} 0 R /Group << /S /Transparency /CS /DeviceRGB >> /Resources << /Font << /F1 6 0 R >> /ExtGState << /Half << /ca 0.5 >> >> >> >>`
  const drawing = 'q /Half gs 1 0 0 rg 0 60 100 40 re f Q'
  const getPath = await writeFiles({
    'glass.pdf': createPdf({
      1: '<< /Type /Catalog /Pages 2 0 R >>',
      2: '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >>',
      3: createPage(5),
      4: createPage(7),
      5: { dict: '<< >>', data: Buffer.from('BT /F1 12 Tf 10 50 Td (an opaque first page) Tj ET') },
      6: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      7: { dict: '<< >>', data: Buffer.from(`${drawing} BT /F1 12 Tf 10 50 Td (behind the glass) Tj ET`) },
    }),
  })
  const { path } = await run('to-pdfa', { pdfaVersion: '1b' }, getPath('glass.pdf'))
  const pages = (await readPdfText(path)).split('\f').map((text) => text.trim())
  assert.deepEqual(pages.slice(0, 2), ['an opaque first page', 'behind the glass'])
  assert.ok(!/\/SMask \d|\/ca 0|\/Transparency/.test(await readUncompressed(path)))
  const [red = 0, green = 0] = await (await renderPage(path, 2)).color(0, 0)
  assert.ok(red > 240 && green > 100 && green < 160, `the glass must be drawn: ${red} ${green}`)
  // Ghostscript rounds the levels of its images.
  assert.ok((await (await renderPage(path, 2)).color(2, 0)).every((level) => level > 250))
  const fonts = await readStdout('pdffonts', path)
  assert.doesNotMatch(fonts, / no {1,2}(?:yes|no) /)
})

/** PDF/A requires an end of line before `endstream` (ISO 19005-2, 6.1.7.1). */
const countBareStreamEnds = (file: string) => file.match(/[^\r\n]endstream/g)?.length ?? 0

test('to-pdfa keeps links and the language of the document', async () => {
  for (const pdfaVersion of ['1b', '2b', '3b']) {
    const { path } = await run('to-pdfa', { pdfaVersion })
    const content = await readUncompressed(path)
    assert.match(content, /\/URI \(https:\/\/example\.com\/\)/, pdfaVersion)
    assert.match(content, /\/Lang \(de-DE\)/, pdfaVersion)
    assert.ok((await readLinkTargets(path, 1)).includes(2), `${pdfaVersion}: the link inside the document`)
    assert.match(await readPdfText(path), /Bericht/)
    const bytes = await readFile(path, 'latin1')
    assert.equal(countBareStreamEnds(bytes), 0, pdfaVersion)
    if (pdfaVersion === '1b') assert.doesNotMatch(bytes, /\/ObjStm|\/XRef/)
  }
})

test('PDF tools keep a PDF/A valid, or remove its PDF/A declaration', async () => {
  const claimsPdfa = async (path: string) => /pdfaid:part/.test(await readStdout('pdfinfo', '-meta', path))
  const { path: archive } = await run('to-pdfa', { pdfaVersion: '1b' })
  for (const [operation, options] of [
    ['rotate-pdf', {}],
    ['edit-pdf-metadata', { title: 'Titel' }],
    ['extract-pdf-pages', { pages: '1' }],
  ] as const) {
    const { path, warnings } = await run(operation, options, archive)
    const bytes = await readFile(path, 'latin1')
    assert.deepEqual(warnings, [], operation)
    assert.ok(await claimsPdfa(path), operation)
    assert.equal(countBareStreamEnds(bytes), 0, operation)
    // PDF/A-1 is based on PDF 1.4, which has neither object streams nor cross-reference streams.
    assert.doesNotMatch(bytes, /\/ObjStm|\/XRef/, operation)
  }
  for (const [operation, options] of [
    ['add-watermark-pdf', { watermarkText: 'x' }],
    ['encrypt-pdf', { password: 'x' }],
    ['merge', {}],
  ] as const) {
    const { path, warnings } = await run(operation, options, archive, {
      more: operation === 'merge' ? [getPath('report.pdf')] : [],
    })
    assert.deepEqual(warnings, ['PDFA_CLAIM_REMOVED'], operation)
    const args = operation === 'encrypt-pdf' ? ['-upw', 'x'] : []
    assert.doesNotMatch(await readStdout('pdfinfo', ...args, '-meta', path), /pdfaid:part/, operation)
  }
})

test('to-pdfa keeps attached files with their relationship in PDF/A-3, and removes them in other PDF/A versions', async () => {
  const archive = await run('to-pdfa', { pdfaVersion: '3b' })
  assert.deepEqual(archive.warnings, [])
  assert.match(await readStdout('pdfdetach', '-list', archive.path), /data\.xml/)
  const content = await readUncompressed(archive.path)
  assert.match(content, /\/AFRelationship \/Alternative/)
  assert.match(content, /\/AF \[/)
  const pdfa2Run = await run('to-pdfa', { pdfaVersion: '2b' })
  assert.deepEqual(pdfa2Run.warnings, ['ACTIVE_CONTENT_REMOVED'])
  assert.match(await readStdout('pdfdetach', '-list', pdfa2Run.path), /^0 embedded files/)
})

import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Document, Packer, Paragraph } from 'docx'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { WordCounts } from '../../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { countPdfPages, readPdfText, readStdout } from '../support/inspect-result.ts'
import { refusal, scratch } from '../support/office-results.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const baseDir = scratchFolder('office')
const engine = createLibreOffice({ baseDir })

after(() => engine.close?.())

function convertFixture(name: string, to: FormatId, settings?: RunSettings) {
  return convert(engine, fixture(`office/${name}`), to, settings)
}

async function convertToPdf(name: string, options?: RunSettings['options']): Promise<string> {
  const { path } = await convertFixture(name, 'pdf', options && { options })
  return path
}

/** Returns width and height of each page in points. */
async function readPageSizes(path: string): Promise<string[]> {
  const info = await readStdout('pdfinfo', '-f', '1', '-l', '99', path)
  return [...info.matchAll(/size:\s+([\d.]+) x ([\d.]+)/g)].map(
    ([, width, height]) => `${Math.round(Number(width))}x${Math.round(Number(height))}`,
  )
}

/** Returns the distance of a word from the left and top edge of its page, in points. */
async function findPosition(word: string, path: string): Promise<{ left: number; top: number }> {
  const boxes = await readStdout('pdftotext', '-bbox', path, '-')
  const [, left, top] = new RegExp(`xMin="([\\d.]+)" yMin="([\\d.]+)"[^>]*>${word}<`).exec(boxes) ?? []
  return { left: Number(left), top: Number(top) }
}

test('LibreOffice does not test its graphics when it starts', async () => {
  await convertToPdf('report.docx')
  const folders = await readdir(baseDir)
  assert.ok(folders.length > 0)
  for (const folder of folders) {
    const profile = await readdir(join(baseDir, folder, 'profile', 'user'))
    assert.ok(!profile.includes('GraphicsRenderTests.log'), String(profile))
  }
})

describe('documents to PDF', () => {
  test('a document converted to PDF has its text and pages, tags and embedded fonts', async () => {
    const { path, result } = await convertFixture('report.docx', 'pdf')
    const text = await readPdfText(path)
    for (const words of ['Quarterly report', 'Pangolins àéîõü Ωμέγα', 'Pears', 'Second page ends here']) {
      assert.ok(text.includes(words), words)
    }
    assert.equal(await countPdfPages(path), 2)
    assert.deepEqual(result.details, { pages: 2 })
    assert.match(await readStdout('pdfinfo', path), /Tagged:\s+yes/)
    assert.doesNotMatch(await readStdout('pdfinfo', path), /LibreOffice|Writer/)
    const fonts = (await readStdout('pdffonts', path)).trim().split('\n').slice(2)
    assert.ok(fonts.length > 0, 'the PDF has no font')
    for (const font of fonts) assert.match(font, /yes yes yes\s+\d+\s+\d+$/)
  })

  test('a document converted to PDF has the requested page size', async () => {
    assert.deepEqual(await readPageSizes(await convertToPdf('report.docx')), ['612x792', '612x792'])
    assert.deepEqual(await readPageSizes(await convertToPdf('report.docx', { pageSize: 'a4' })), [
      '595x842',
      '595x842',
    ])
    const landscapePdf = await convertToPdf('report.docx', { pageSize: 'US Letter', landscape: 'true' })
    assert.deepEqual(await readPageSizes(landscapePdf), ['792x612', '792x612'])
    const ownPaper = await convertToPdf('report.docx', { pageSize: '8x5in' })
    assert.deepEqual(new Set(await readPageSizes(ownPaper)), new Set(['576x360']))
  })

  test('a document converted to PDF has the requested margins', async () => {
    const path = await convertToPdf('report.docx', { marginLeft: '2in', marginTop: '10cm' })
    const { left, top } = await findPosition('Quarterly', path)
    assert.ok(Math.abs(left - 144) < 2, `${left}`)
    assert.ok(top >= 283 && top < 300, `${top}`)
  })

  test('a document converted to PDF has the requested header with page numbers and footer with the date', async () => {
    const path = await convertToPdf('report.docx', {
      headerText: 'Head {page}/{pages}',
      footerText: 'Foot {date}',
    })
    const text = await readPdfText(path)
    assert.match(text, /Head 1\/2[\s\S]*Head 2\/2/)
    assert.equal(text.match(/Foot \d{4}-\d\d-\d\d/g)?.length, 2)
  })

  test('converting a document to PDF is refused if the margins leave no room', async () => {
    const options = { pageSize: 'A5', marginLeft: '80mm', marginRight: '80mm' }
    await assert.rejects(
      convertFixture('report.docx', 'pdf', { options }),
      refusal('INVALID_INPUT', /margins leave no room/),
    )
  })

  test('converting a document to PDF is refused for an invalid page size', () => {
    const options = engine.capabilities.find(
      ({ from, to }) => from.includes('docx') && to.includes('pdf'),
    )?.options
    for (const pageSize of ['A44', '210x297', '1x1mm', '9999x9999cm', '-5x5in']) {
      assert.equal(options?.safeParse({ pageSize }).success, false, pageSize)
    }
    for (const marginTop of ['20', '20px', '51cm', '-1mm']) {
      assert.equal(options?.safeParse({ marginTop }).success, false, marginTop)
    }
  })
})

test('an EMF or WMF file converted to PDF becomes a single page that is smaller than A4', async () => {
  for (const kind of ['emf', 'wmf'] as const) {
    const { path } = await convertFixture('drawing.odg', kind)
    const sizes = await readPageSizes((await convert(engine, path, 'pdf', { from: kind })).path)
    const [width = 0, height = 0] = sizes[0]?.split('x').map(Number) ?? []
    assert.equal(sizes.length, 1)
    assert.ok(width > 10 && width < 595 && height > 10 && height < 842, sizes[0])
  }
})

test('a font that is not installed causes a warning that names its substitute', async () => {
  const { path, warnings } = await convertFixture('report.docx', 'pdf')
  assert.deepEqual(warnings, [], await readStdout('pdffonts', path))
  const source = join(scratch, 'fonts.rtf')
  const fontTable =
    '{\\fonttbl{\\f0\\fswiss\\fcharset0 Calibri;}{\\f1\\fnil\\fcharset0 Nowhere Sans;}{\\f2\\fnil\\fcharset0 Unused;}}'
  await writeFile(source, `{\\rtf1\\ansi${fontTable}\\f0 narwhal {\\f1 okapi}\\par}`)
  const result = await convert(engine, source, 'pdf')
  assert.deepEqual(result.warnings, ['FONTS_SUBSTITUTED'])
  assert.deepEqual(result.details, [{ count: 1, names: ['Nowhere Sans'] }])
  // Replacing Calibri by Carlito is not reported: both are equally wide, so lines break in the same places.
  assert.match(result.messages[0] ?? '', /^Fonts that are not installed: Nowhere Sans was replaced by /)
  assert.doesNotMatch(result.messages[0] ?? '', /Calibri/)
  assert.match(await readStdout('pdffonts', result.path), /Carlito/)
  const fontFaces = ['Nowhere Serif', 'Unused Serif'].map(
    (name) => `<style:font-face style:name="${name}" svg:font-family="'${name}'"/>`,
  )
  const flatSource = join(scratch, 'fonts.fodt')
  const namespaces = ['office', 'style', 'text'].map(
    (name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`,
  )
  await writeFile(
    flatSource,
    `<office:document ${namespaces.join(' ')} xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:font-face-decls>${fontFaces.join('')}</office:font-face-decls><office:automatic-styles><style:style style:name="P1" style:family="paragraph"><style:text-properties style:font-name="Nowhere Serif"/></style:style></office:automatic-styles><office:body><office:text><text:p text:style-name="P1">okapi</text:p></office:text></office:body></office:document>`,
  )
  assert.deepEqual((await convert(engine, flatSource, 'pdf')).details, [
    { count: 1, names: ['Nowhere Serif'] },
  ])
  await writeFile(source, `{\\rtf1\\ansi${fontTable}\\f0 narwhal\\par}`)
  assert.deepEqual((await convert(engine, source, 'pdf')).warnings, [])
})

test('right-to-left, Korean and Japanese text of a document is kept in PDF, and no bitmap font is used for emoji', async () => {
  const source = join(scratch, 'scripts.html')
  await writeFile(
    source,
    '<meta charset="utf-8"><p dir="rtl">שלום עולם</p><p dir="rtl">مرحبا</p><p>한국어 日本語 🦔</p>',
  )
  const { path } = await convert(engine, source, 'pdf')
  const text = await readPdfText(path)
  for (const word of ['שלום', 'مرحبا', '한국어', '日本語'])
    assert.ok(text.normalize('NFKC').includes(word), `${word} in ${text}`)
  const fonts = await readStdout('pdffonts', path)
  // For the characters of a bitmap font, LibreOffice would leave blanks.
  assert.doesNotMatch(fonts, /NotoColorEmoji/)
  assert.doesNotMatch(fonts, / no {1,2}(?:yes|no) /)
})

test('emoji families, flags, skin tones and the newest emoji are rendered as one glyph each', async () => {
  const source = join(scratch, 'emoji.html')
  const symbols = [
    '😀',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🇩🇪',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
    '👩🏾‍🚒',
    '🐦‍🔥',
    '\u{1fae9}',
  ]
  const lines = symbols.map((sign, index) => `<p>${sign} behind${index}</p>`)
  await writeFile(source, `<meta charset="utf-8">${lines.join('')}`)
  const { path, warnings } = await convert(engine, source, 'pdf')
  assert.deepEqual(warnings, [])
  const positions = await Promise.all(symbols.map((_, index) => findPosition(`behind${index}`, path)))
  const [firstPosition] = positions
  assert.ok(firstPosition && firstPosition.left > 0)
  for (const [index, { left }] of positions.entries()) assert.equal(left, firstPosition.left, symbols[index])
  const text = await readPdfText(path)
  for (const sign of symbols) assert.ok(text.includes(sign), sign)
})

test('characters that no installed font can show cause a warning with their count', async () => {
  const source = join(scratch, 'signs.docx')
  const text = 'Ein Hügel ☃ 字 \ue123 \u{1e5d0}\u{1e5d0} \u0378 👍🏽 🇩🇪 ✓\ufe0e'
  const document = new Document({ sections: [{ children: [new Paragraph(text)] }] })
  await writeFile(source, await Packer.toBuffer(document))
  const { warnings, messages: result } = await convert(engine, source, 'pdf')
  assert.deepEqual(warnings, ['GLYPHS_MISSING'])
  assert.match(
    result[0] ?? '',
    /has 3 characters of the document: \u{1e5d0} \(U\+1E5D0, 2 times\), \u0378 \(U\+0378\)\./u,
  )
})

/** Writes a sheet with a word in the first cell and one in the last cell of this many rows and columns. */
async function writeSparseSheet(rows: number, columns: number): Promise<string> {
  const path = join(scratch, `${rows}x${columns}.fods`)
  const odf = 'urn:oasis:names:tc:opendocument:xmlns'
  const names = ['office', 'table', 'text'].map((name) => `xmlns:${name}="${odf}:${name}:1.0"`).join(' ')
  const createCell = (word: string) =>
    `<table:table-cell office:value-type="string"><text:p>${word}</text:p></table:table-cell>`
  const emptyCells = columns > 1 ? `<table:table-cell table:number-columns-repeated="${columns - 1}"/>` : ''
  const emptyRows =
    rows > 2
      ? `<table:table-row table:number-rows-repeated="${rows - 2}">${'<table:table-cell/>'}</table:table-row>`
      : ''
  await writeFile(
    path,
    `<office:document ${names} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S"><table:table-row>${createCell('walrus')}</table:table-row>${emptyRows}<table:table-row>${emptyCells}${createCell('edge')}</table:table-row></table:table></office:spreadsheet></office:body></office:document>`,
  )
  return path
}

test('a word in the last column of a sheet is kept, and a sheet with too many cells is refused as too large', async () => {
  const { path } = await convert(engine, await writeSparseSheet(2, 16_384), 'csv')
  assert.deepEqual((await readFile(path, 'utf8')).trim().split(/,+/), ['walrus', '\n', 'edge'])
  const largeSheet = await writeSparseSheet(8192, 16_384)
  for (const to of ['csv', 'html'] as const)
    await assert.rejects(
      convert(engine, largeSheet, to),
      refusal('FILE_TOO_LARGE', /8,192 rows and 16,384 columns up to its last cell/),
    )
  const wideSheet = await writeSparseSheet(1000, 16_384)
  await assert.rejects(
    convert(engine, wideSheet, 'pdf'),
    refusal('FILE_TOO_LARGE', /1,000 rows and 16,384 columns/),
  )
})

test('formulas and Chinese characters of documents are rendered in the PDF', async () => {
  const path = await convertToPdf('formula.docx')
  assert.match(await readPdfText(path), /数学\s+axolotl\s+newt/)
  assert.match(await readStdout('pdffonts', path), /Noto(?:Sans|Serif)CJK/)
})

describe('documents with comments', () => {
  test('the comments of a document are left out of PDF', async () => {
    const text = await readPdfText(await convertToPdf('comments.docx'))
    assert.ok(text.includes('Capybaras') && !text.includes('remark'), text)
  })

  test('the comments of a document are kept in FODT', async () => {
    const { path } = await convertFixture('comments.docx', 'fodt')
    assert.match(await readFile(path, 'utf8'), /<office:annotation[\s\S]*a remark/)
  })
})

describe('documents with tracked changes', async () => {
  const path = join(scratch, 'tracked.rtf')
  const body = String.raw`Pay {\deleted\revauthdel0\revdttmdel0 eleven }{\revised\revauth0\revdttm0 twelve }euros\par`
  await writeFile(path, String.raw`{\rtf1\ansi{\*\revtbl{Ada;}}${body}}`)

  test('a document with tracked changes is converted to PDF and HTML with all changes accepted', async () => {
    const pdf = await convert(engine, path, 'pdf')
    assert.equal((await readPdfText(pdf.path)).trim(), 'Pay twelve euros')
    const page = await convert(engine, path, 'html')
    assert.match(await readFile(page.path, 'utf8'), /Pay\s+twelve\s+euros/)
  })

  test('the tracked changes of a document are kept in FODT', async () => {
    const convertedRun = await convert(engine, path, 'fodt')
    assert.match(await readFile(convertedRun.path, 'utf8'), /<text:deletion>[\s\S]*eleven/)
  })

  test('the content summary of a document with tracked changes counts only the visible words', async () => {
    const summary = await readSummary(path, 'rtf', { isResult: false })
    assert.deepEqual([summary?.words?.total, summary?.features], [3, ['changes', 'selectableText']])
  })
})

describe('sheets to PDF', () => {
  test('a sheet converted to PDF has all columns of a row on one page', async () => {
    const path = await convertToPdf('workbook.xlsx')
    assert.deepEqual(await readPageSizes(path), ['595x842', '842x595'])
    assert.match(
      await readStdout('pdftotext', '-f', '2', '-l', '2', '-layout', path, '-'),
      /Column00.*Column29/,
    )
  })

  test('a sheet converted to PDF with fitToWidth=false takes more pages, because its columns are not scaled to fit', async () => {
    const pages = await countPdfPages(await convertToPdf('workbook.xlsx', { fitToWidth: 'false' }))
    assert.ok(pages > 2, `${pages} pages`)
  })

  test('a sheet converted to PDF has the requested footer with page numbers', async () => {
    const text = await readPdfText(
      await convertToPdf('workbook.xlsx', { footerText: 'Sheet {page} of {pages}' }),
    )
    assert.match(text, /Sheet 1 of 2[\s\S]*Sheet 2 of 2/)
  })
})

/** Each document is converted to each of these formats and then to PDF, whose text is read by Poppler. */
const roundTrips = [
  [
    'report.docx',
    ['dotx', 'doc', 'odt', 'ott', 'fodt', 'rtf', 'html', 'txt'],
    ['Pangolins àéîõü Ωμέγα', 'Pears'],
  ],
  [
    'workbook.xlsx',
    ['xltx', 'xls', 'ods', 'ots', 'fods', 'html', 'csv', 'tsv'],
    ['Otters', 'Ünïcödé', '12.5'],
  ],
  ['slides.odp', ['pptx', 'ppsx', 'potx', 'ppt', 'pps', 'pot', 'otp', 'fodp'], ['Wombats', 'Quokkas']],
  ['drawing.odg', ['otg', 'fodg'], ['Herons', 'Egrets']],
] as const satisfies [string, FormatId[], string[]][]

/** Formats that only LibreOffice reads here, so their content summaries are compared as well. */
const olderFormats: readonly FormatId[] = ['doc', 'xls', 'ppt', 'pps', 'pot']

const elementCounts = { images: 0, imageArea: 0, links: 0, tables: 0, fields: 0, checkedFields: 0 }

describe('conversions between office formats', { concurrency: 2 }, () => {
  for (const [name, formats, words] of roundTrips) {
    for (const format of formats) {
      test(`${name} keeps its text in ${format}`, async () => {
        const convertedFile = await convertFixture(name, format)
        const back = await convert(engine, convertedFile.path, 'pdf')
        const text = await readPdfText(back.path)
        for (const word of words) assert.ok(text.includes(word), `${word} is not in ${text}`)
        if (!olderFormats.includes(format)) return
        const from = name.slice(name.lastIndexOf('.') + 1) as FormatId // The extensions of the names above are format ids.
        const source = await readSummary(fixture(`office/${name}`), from, { isResult: false })
        const documentSummary = await readSummary(convertedFile.path, format, { isResult: true })
        const counts = documentSummary?.counts ?? {}
        // Images and similar elements are not counted in older formats.
        const isCounted = ([unit]: [string, unknown]) => !(unit in elementCounts) || unit in counts
        const sourceCounts = Object.entries(source?.counts ?? {}).filter(isCounted)
        assert.deepEqual(counts, Object.fromEntries(sourceCounts))
        assert.equal(
          source?.words?.countSharedWith(documentSummary?.words ?? new WordCounts()),
          source?.words?.total,
        )
        assert.equal(documentSummary?.words?.total, source?.words?.total)
      })
    }
  }
})

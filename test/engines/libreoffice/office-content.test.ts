import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { WordCounts } from '../../../lib/fidelity/text/word-counts.ts'
import { readStdout } from '../support/inspect-result.ts'
import { folder, summarize, writeFlatDocument } from '../support/office-texts.ts'
import { convert, fixture } from '../support/run-engine.ts'
import { wordNamespace, writeWordDocument } from '../support/word-maker.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

const createWordCell = (text: string) =>
  `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`

test('hidden rows and columns of a workbook are left out of PDF and HTML and kept in CSV, each with a warning', async () => {
  const createRow = (attributes: string, ...cells: string[]) =>
    `<table:table-row ${attributes}>${cells.map(createWordCell).join('')}</table:table-row>`
  const hiddenAttribute = 'table:visibility="collapse"'
  const columns = `<table:table-column/><table:table-column ${hiddenAttribute} table:number-columns-repeated="2"/><table:table-column/>`
  const rows = [
    createRow('', 'first', 'secret', 'secret', 'cells'),
    createRow(hiddenAttribute, 'secret row'),
    createRow('table:visibility="filter"', 'another row'),
    `<table:table-row ${hiddenAttribute} table:number-rows-repeated="5"><table:table-cell/></table:table-row>`,
    createRow('', 'last', 'secret', '', 'ones'),
  ].join('')
  const book = await writeFlatDocument(
    'hidden.fods',
    'spreadsheet',
    `<office:automatic-styles><style:style style:name="off" style:family="table">
      <style:table-properties table:display="false"/></style:style></office:automatic-styles>
    <office:body><office:spreadsheet>
      <table:table table:name="H" table:style-name="off">${createRow('', 'secret sheet')}</table:table>
      <table:table table:name="S">${columns}${rows}</table:table>
      <table:table table:name="E" table:style-name="off"><table:table-row><table:table-cell/></table:table-row></table:table>
    </office:spreadsheet></office:body>`,
  )
  const droppedParts =
    'Hidden parts of the workbook were left out: 1 hidden sheet, 2 hidden rows and 2 hidden columns.'
  const pdf = await convert(office, book, 'pdf')
  const printedText = (await readStdout('pdftotext', '-layout', pdf.path, '-')).replaceAll(/\s+/g, ' ')
  assert.match(printedText, /first cells last ones/)
  assert.doesNotMatch(printedText, /secret|another/)
  const page = await convert(office, book, 'html')
  assert.doesNotMatch(await readFile(page.path, 'utf8'), /secret|another/)
  for (const { warnings, messages, details } of [pdf, page]) {
    assert.ok(messages[warnings.indexOf('HIDDEN_DROPPED')]?.startsWith(droppedParts), messages.join(' '))
    assert.deepEqual(details, [{ sheets: 1, rows: 2, columns: 2 }])
  }
  const table = await convert(office, book, 'csv')
  assert.match(
    await readFile(table.path, 'utf8'),
    /^first,secret,secret,cells\nsecret row,,,\nanother row,,,\n/,
  )
  assert.deepEqual(table.warnings, ['SHEETS_DROPPED', 'HIDDEN_KEPT'])
  assert.match(
    table.messages[1] ?? '',
    /^The result contains 2 hidden rows and 2 hidden columns of the sheet/,
  )
  assert.deepEqual((await convert(office, book, 'ods')).warnings, [])
  for (const to of ['xlsx', 'xls', 'ods'] as const) {
    const { path } = await convert(office, book, to)
    const documentSummary = await readSummary(path, to, { isResult: true })
    assert.equal(documentSummary?.counts.sheets, 3, to)
    const expectedWords = new WordCounts()
    // In Excel formats, LibreOffice writes the first sheet as visible.
    expectedWords.add(`first cells last ones ${to === 'ods' ? '' : 'secret sheet'}`)
    const { visibleWords } = documentSummary
    assert.deepEqual(
      [visibleWords?.total, visibleWords && expectedWords.countSharedWith(visibleWords)],
      [expectedWords.total, expectedWords.total],
    )
  }
})

test('the cells of a Word table without column definitions are kept in plain text', async () => {
  const page = join(folder, 'table.md')
  await writeFile(page, '| first | second |\n|---|---|\n| third | fourth |\n')
  const { path, workDir } = await convert(pandoc, page, 'docx')
  const xml = await readStdout('unzip', '-p', path, 'word/document.xml')
  const gridPattern = /<w:tblGrid\s*\/>|<w:tblGrid>.*?<\/w:tblGrid>/s
  assert.match(xml, gridPattern)
  const partsFolder = join(workDir, 'parts')
  await mkdir(partsFolder)
  await readStdout('bsdtar', '-xf', path, '-C', partsFolder)
  await writeFile(join(partsFolder, 'word/document.xml'), xml.replace(gridPattern, ''))
  const names = ['[Content_Types].xml', '_rels', 'word']
  await readStdout(
    'bsdtar',
    '-cf',
    join(workDir, 'bare.docx'),
    '--format',
    'zip',
    '-C',
    partsFolder,
    ...names,
  )
  const text = await readFile((await convert(pandoc, join(workDir, 'bare.docx'), 'txt')).path, 'utf8')
  assert.match(text, /first\tsecond\nthird\tfourth/)
})

const mhtmlPage = [
  'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n--b\r\n',
  'Content-Transfer-Encoding: quoted-printable\r\nContent-Type: text/html; charset=utf-8\r\n\r\n',
  '<html><head><title>unseen</title></head><body><p>Gr=C3=B6=\r\n=C3=9Fe of a <b>p</b>age</p></body></html>\r\n--b--\r\n',
].join('')

const createParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

const createCell = (text: string) => `<w:tc>${createParagraph(text)}</w:tc>`

const createField = (text: string) =>
  `<w:fldSimple w:instr="AUTHOR"><w:r><w:t>${text}</w:t></w:r></w:fldSimple>`

const createContentControl = (content: string) => `<w:sdt><w:sdtContent>${content}</w:sdtContent></w:sdt>`

test('fields, table controls, footnote tables and embedded documents of a Word document are kept in text and Markdown', async () => {
  const notes = `<w:footnotes xmlns:w="${wordNamespace}"><w:footnote w:id="2"><w:tbl><w:tr>${createCell('noted')}</w:tr></w:tbl>
    <w:p>${createField('beside')}</w:p></w:footnote></w:footnotes>`
  const nestedDocument = await writeWordDocument(
    'within',
    `${createParagraph('deeper')}<w:altChunk r:id="r0"/>`,
    [['aFChunk', 'plain.txt', 'deepest']],
  )
  const path = await writeWordDocument(
    'stand-ins',
    `<w:p>${createField('Author')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>
     <w:tbl><w:tr>${createContentControl(createCell('first'))}${createCell('second')}</w:tr>${createContentControl(`<w:tr>${createCell('third')}${createCell('fourth')}</w:tr>`)}</w:tbl>
     <w:altChunk r:id="r1"/><w:altChunk r:id="r2"/>`,
    [
      ['footnotes', 'footnotes.xml', notes],
      ['aFChunk', 'page.mht', mhtmlPage],
      ['aFChunk', 'within.docx', await readFile(nestedDocument)],
    ],
  )
  const allParts = [
    'Author',
    'first',
    'second',
    'third',
    'fourth',
    'noted',
    'beside',
    'Größe of a page',
    'deeper',
    'deepest',
  ]
  for (const to of ['txt', 'md'] as const) {
    const text = (await readFile((await convert(pandoc, path, to)).path, 'utf8')).replaceAll('*', '')
    assert.deepEqual(
      allParts.filter((part) => !text.includes(part)),
      [],
      to,
    )
    assert.doesNotMatch(text, /unseen/)
  }
  // Text of an embedded page counts, so that an engine that drops it is detected.
  assert.deepEqual(await summarize(path, 'docx'), [7 + 4, 0])
})

test('text of a Word document with ruby annotations or in custom XML elements is kept in plain text and Markdown', async () => {
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const createRuby = (base: string, over: string) =>
    `<w:r><w:t>vor</w:t><w:ruby><w:rubyPr/><w:rt>${run(over)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`
  const notes = `<w:footnotes xmlns:w="${wordNamespace}"><w:footnote w:id="2"><w:p>${createRuby('注', 'ちゅう')}</w:p></w:footnote></w:footnotes>`
  const path = await writeWordDocument(
    'ruby',
    `<w:p>${createRuby('東京', 'とうきょう')}<w:customXml w:element="x"><w:customXml w:element="y">${run('marked')}</w:customXml></w:customXml><w:r><w:footnoteReference w:id="2"/></w:r></w:p>
     <w:customXml w:element="x"><w:customXmlPr/>${createParagraph('block')}</w:customXml>`,
    [['footnotes', 'footnotes.xml', notes]],
  )
  for (const to of ['txt', 'md'] as const) {
    const text = await readFile((await convert(pandoc, path, to)).path, 'utf8')
    for (const expectedWord of ['vor東京(とうきょう)', 'marked', 'block', 'vor注(ちゅう)'])
      assert.ok(text.includes(expectedWord), `${expectedWord} in ${text}`)
  }
})

test('a Word document converted to text keeps emoji, changes without an id, tabs and cells beyond the table grid', async () => {
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`
  const emoji =
    '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="w16se"><x:symEx xmlns:x="http://schemas.microsoft.com/office/word/2015/wordml/symex" x:char="1F600"/></mc:Choice><mc:Fallback><w:t>😀</w:t></mc:Fallback></mc:AlternateContent></w:r>'
  const createCell = (text: string, span = '') => `<w:tc>${span}<w:p>${run(text)}</w:p></w:tc>`
  const createTable = (grid: string, ...cells: readonly string[]) =>
    `<w:tbl><w:tblGrid>${grid}</w:tblGrid><w:tr>${cells.join('')}</w:tr></w:tbl>`
  const parts = {
    smile: `<w:p>${run('before ')}${emoji}${run(' after')}</w:p>`,
    change: `<w:p>${run('now ')}<w:ins w:author="Author">${run('inserted')}</w:ins><w:moveTo w:id="3">${run('moved')}</w:moveTo></w:p>`,
    direction: `<w:p><w:dir w:val="rtl">${run('turned')}</w:dir><w:bdo w:val="ltr">${run('over')}</w:bdo></w:p>`,
    tab: `<w:p>${run('left')}<w:r><w:ptab w:alignment="right"/></w:r>${run('right')}</w:p>`,
    few: createTable('<w:gridCol w:w="900"/>', createCell('one'), createCell('two'), createCell('three')),
    narrow: createTable('<w:gridCol/>', createCell('alone')),
    none: createTable('', createCell('wide', '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'), createCell('last')),
  }
  const expectedParts: Readonly<Record<keyof typeof parts, RegExp>> = {
    smile: /before 😀 after/,
    change: /now insertedmoved/,
    direction: /turnedover/,
    tab: /left\s+right/,
    few: /one\s+two\s+three/,
    narrow: /alone/,
    none: /wide\s+last/,
  }
  // Each part is tested separately, so that a fix for one does not hide a problem of another.
  for (const [name, xml] of Object.entries(parts)) {
    const path = await writeWordDocument(`one-${name}`, xml, [])
    const text = await readFile((await convert(pandoc, path, 'txt')).path, 'utf8')
    assert.match(text, expectedParts[name as keyof typeof parts], name) // names are keys
  }
})

/** Returns the names of boxes whose text is complete. */
const findWholeBoxes = (text: string) =>
  ['shape', 'rect', 'roundrect', 'label', 'pill'].filter((box) =>
    new RegExp(`\\b${box}\\s+first\\s+second\\s+third\\b`).test(text),
  )

test('text boxes of a Word document keep all their text in PDF and HTML, even if they are too small or have no size', async () => {
  const { path } = await convert(office, fixture('office/annotated.docx'), 'pdf')
  assert.match(await readStdout('pdftotext', path, '-'), /Dugong in an old shape/)
  const source = fixture('office/vml-boxes.docx')
  const printedText = await readStdout('pdftotext', (await convert(office, source, 'pdf')).path, '-')
  assert.equal(findWholeBoxes(printedText).length, 5)
  for (const to of ['md', 'txt'] as const) {
    const text = await readFile((await convert(pandoc, source, to)).path, 'utf8')
    assert.match(text, /pill first second third/)
  }
  const page = await readFile((await convert(office, source, 'html')).path, 'utf8')
  assert.equal(findWholeBoxes(page.replaceAll(/<[^>]*>/g, ' ')).length, 5)
})

test('text boxes of DOC, ODT and RTF documents keep all their text in PDF, even if they are too small for it', async () => {
  const source = fixture('office/vml-boxes.docx')
  for (const format of ['doc', 'odt', 'rtf'] as const) {
    const { path } = await convert(office, source, format)
    const { path: printedPath } = await convert(office, path, 'pdf', { from: format })
    const wholeBoxes = findWholeBoxes(await readStdout('pdftotext', printedPath, '-'))
    for (const box of ['rect', 'label', 'pill']) assert.ok(wholeBoxes.includes(box), `${box} in ${format}`)
  }
})

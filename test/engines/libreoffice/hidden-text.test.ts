import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { readSummary } from '../../../lib/decoders/read-summary.ts'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { readStdout } from '../support/inspect-result.ts'
import { summarize, writeFlatDocument } from '../support/office-texts.ts'
import { convert } from '../support/run-engine.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

const createHiddenStyle = (name: string, family: string, display = 'none') =>
  `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="${display}"/></style:style>`

test('hidden text of a document is left out of plain text, Markdown and PDF, and kept in HTML with a warning', async () => {
  const document = await writeFlatDocument(
    'hidden.fodt',
    'text',
    `<office:styles>${createHiddenStyle('Quiet', 'paragraph')}${createHiddenStyle('Low', 'text')}
      </office:styles>
    <office:automatic-styles>${createHiddenStyle('T1', 'text')}${createHiddenStyle('T2', 'text', 'true')}</office:automatic-styles>
    <office:body><office:text><text:p>Seen words <text:span text:style-name="T1">secret</text:span> go on</text:p>
      <text:p text:style-name="Quiet">secret by its style</text:p>
      <text:p>also <text:span text:style-name="Low">secret</text:span><text:span text:style-name="Low"><text:span
        text:style-name="T2">shown</text:span></text:span></text:p></office:text></office:body>`,
  )
  assert.deepEqual(await summarize(document, 'fodt'), [6, 1])
  const { path } = await convert(office, document, 'docx')
  assert.deepEqual(await summarize(path, 'docx'), [6, 1])
  const visibleTextPattern = /^Seen words\s+go on\s+also\s+shown\s*$/
  for (const [engine, to] of [
    [pandoc, 'txt'],
    [pandoc, 'md'],
    [office, 'pdf'],
  ] as const) {
    const result = await convert(engine, path, to)
    const text =
      to === 'pdf' ? await readStdout('pdftotext', result.path, '-') : await readFile(result.path, 'utf8')
    assert.match(text, visibleTextPattern, `${engine.id} ${to}`)
    assert.deepEqual(await summarize(result.path, to), [6, 0])
  }
  const page = await convert(office, path, 'html')
  assert.deepEqual(page.warnings, ['HIDDEN_KEPT'])
  assert.match(await readFile(page.path, 'utf8'), /secret/)
  const hiddenSpans = (await readFile(page.path, 'utf8')).match(/display: none[^>]*>[^<]*/g) ?? []
  assert.equal(hiddenSpans.length, 3)
  assert.ok(hiddenSpans.every((text) => text.includes('secret')))
  const openDocument = await writeFlatDocument(
    'open.fodt',
    'text',
    '<office:body><office:text><text:p>style="display: none" is written of</text:p></office:text></office:body>',
  )
  assert.deepEqual((await convert(office, openDocument, 'html')).warnings, [])
  const rtfRun = await convert(office, path, 'rtf')
  assert.deepEqual(await summarize(rtfRun.path, 'rtf'), [6, 1])
})

test('text that overrides the hiding style of its paragraph is kept in HTML without a warning', async () => {
  const createQuietParagraph = (text: string) =>
    `<text:p text:style-name="Quiet"><text:span text:style-name="T2">${text}</text:span></text:p>`
  const note = `<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>${createQuietParagraph('noted')}</text:note-body></text:note>`
  const document = await writeFlatDocument(
    'shown.fodt',
    'text',
    `<office:styles>${createHiddenStyle('Quiet', 'paragraph')}</office:styles>
    <office:automatic-styles>${createHiddenStyle('T2', 'text', 'true')}</office:automatic-styles>
    <office:body><office:text>${createQuietParagraph('shown')}<text:p>plain${note}</text:p>
      <table:table table:name="T"><table:table-column/><table:table-row><table:table-cell>${createQuietParagraph('celled')}
        </table:table-cell></table:table-row></table:table></office:text></office:body>`,
  )
  const page = await convert(office, document, 'html')
  assert.deepEqual(page.warnings, [])
  const text = await readFile(page.path, 'utf8')
  for (const word of ['shown', 'noted', 'celled']) assert.match(text, new RegExp(`>[^<>]*\\b${word}\\b`))
})

test('broken references in a document show the text that they had when the document was saved', async () => {
  const createReference = (name: string, shown: string) =>
    `<text:bookmark-ref text:reference-format="text" text:ref-name="${name}">${shown}</text:bookmark-ref>`
  const mark =
    '<text:reference-ref text:reference-format="text" text:ref-name="gone">Table 3</text:reference-ref>'
  const document = await writeFlatDocument(
    'references.fodt',
    'text',
    `<office:body><office:text><text:p>See ${createReference('gone', 'Figure 7')} and ${mark}, not ${createReference('here', 'old')}.</text:p>
      <text:p><text:bookmark-start text:name="here"/>the end<text:bookmark-end text:name="here"/></text:p>
      </office:text></office:body>`,
  )
  const { path } = await convert(office, document, 'docx')
  for (const source of [document, path]) {
    const result = await convert(office, source, 'pdf')
    assert.match(
      await readStdout('pdftotext', result.path, '-'),
      /^See Figure 7 and Table 3, not the end\.\s/,
    )
  }
})

test('the content summary of a Word 97 document omits hidden and deleted words, and all words if a style may hide text', async () => {
  const createSpan = (style: string, text: string) =>
    `<text:span text:style-name="${style}">${text}</text:span>`
  const summarizeAsDoc = async (name: string, styles: string, body: string) => {
    const contentXml = `${styles}<office:body><office:text>${body}</office:text></office:body>`
    const { path } = await convert(office, await writeFlatDocument(name, 'text', contentXml), 'doc')
    const summary = await readSummary(path, 'doc', { isResult: false })
    return [summary?.words?.total, summary?.features]
  }
  const automaticStyles = `<office:automatic-styles>${createHiddenStyle('T1', 'text')}</office:automatic-styles>`
  // Cyrillic characters are stored as two bytes each, and other characters as one byte.
  const body = `<text:p>Seen ${createSpan('T1', 'secret words')} go on</text:p><text:p>${createSpan('T1', 'тайна')} видно ${createSpan('T1', 'нет')}</text:p>`
  assert.deepEqual(await summarizeAsDoc('spans.fodt', automaticStyles, body), [
    4,
    ['hiddenText', 'selectableText'],
  ])
  const deletion = `<text:changed-region text:id="c1"><text:deletion><office:change-info><dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">A</dc:creator><dc:date xmlns:dc="http://purl.org/dc/elements/1.1/">2026-01-01T00:00:00</dc:date></office:change-info><text:p>gone for good</text:p>
    </text:deletion></text:changed-region>`
  const trackedChanges = `<text:tracked-changes text:track-changes="true">${deletion}</text:tracked-changes>
    <text:p>one <text:change text:change-id="c1"/>two</text:p>`
  assert.deepEqual(await summarizeAsDoc('tracked.fodt', '', trackedChanges), [
    2,
    ['changes', 'selectableText'],
  ])
  const styles = `<office:styles>${createHiddenStyle('Quiet', 'paragraph')}</office:styles>`
  const styled = `<text:p>one two</text:p><text:p text:style-name="Quiet">secret</text:p>`
  assert.deepEqual(await summarizeAsDoc('styled.fodt', styles, styled), [undefined, ['hiddenText']])
})

test('text in shapes on a sheet is placed below the cells in HTML, and is dropped from CSV with a warning', async () => {
  const sheet = await writeFlatDocument(
    'shapes.fods',
    'spreadsheet',
    `<office:body><office:spreadsheet><table:table table:name="S"><table:table-row>
      <table:table-cell office:value-type="string"><office:annotation><text:p>a remark</text:p></office:annotation>
        <draw:custom-shape svg:width="5cm" svg:height="2cm"><text:p>=words of a</text:p><text:p>shape</text:p></draw:custom-shape>
        <draw:g><draw:rect svg:width="2cm" svg:height="1cm"><text:p>grouped</text:p></draw:rect></draw:g>
        <text:p>cell</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>`,
  )
  assert.deepEqual((await readSummary(sheet, 'fods', { isResult: false }))?.counts, { sheets: 1, cells: 1 })
  const page = await readFile((await convert(office, sheet, 'html')).path, 'utf8')
  assert.match(page, /cell<[\s\S]*>=words of a<br>shape<[\s\S]*>grouped</)
  // A rendered shape would be a separate image.
  assert.doesNotMatch(page, /<img/)
  const { path, warnings } = await convert(office, sheet, 'csv')
  assert.deepEqual([await readFile(path, 'utf8'), warnings], ['cell\n', ['SHAPES_DROPPED']])
  for (const to of ['xlsx', 'xls', 'ods'] as const)
    assert.deepEqual(await summarize((await convert(office, sheet, to)).path, to), [6, 0], to)
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { compare } from '../../lib/fidelity/compare.ts'
import type { ContentSummary } from '../../lib/fidelity/content-summary.ts'
import { removeHiddenTables } from '../../lib/fidelity/office/open-document-visible-tables.ts'
import { removeHiddenCells } from '../../lib/fidelity/office/xlsx-visible-cells.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const createCell = (reference: string, text: string) =>
  `<c r="${reference}" t="inlineStr"><is><t>${text}</t></is></c>`

/** Five of these words are visible. */
const cells = `<cols><col min="2" max="2" hidden="1"/></cols><sheetData>
  <row r="1">${createCell('A1', 'one two three four')}${createCell('B1', 'behind')}${createCell('C1', 'five')}</row>
  <row r="2" hidden="1">${createCell('A2', 'below')}</row></sheetData>`

async function createWorkbook(cells: string, state: string): Promise<ContentSummary> {
  const zip = new ZipWriter(new Uint8ArrayWriter())
  const files = {
    'xl/workbook.xml': `<workbook><sheets><sheet name="a" r:id="r1"/><sheet name="b" state="${state}" r:id="r2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="worksheets/sheet2.xml"/></Relationships>',
    'xl/worksheets/sheet1.xml': `<worksheet>${cells}</worksheet>`,
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData><row>${createCell('A1', 'apart')}</row></sheetData></worksheet>`,
  }
  for (const [name, xml] of Object.entries(files)) await zip.add(name, new TextReader(xml))
  const path = join(scratchFolder('visible'), 'hidden.xlsx')
  await writeFile(path, await zip.close())
  const summary = await readSummary(path, 'xlsx', { isResult: false })
  assert.ok(summary)
  return summary
}

function findLostUnits(source: ContentSummary, text: string, warningCodes: readonly string[]) {
  const words = new WordCounts()
  words.add(text)
  const comparison = {
    operation: 'convert',
    from: 'xlsx',
    to: 'html',
    options: {},
    source,
    warningCodes,
  } as const
  return compare({ ...comparison, result: { words, counts: {}, features: [] } }).lostUnits
}

test('visible cells of a workbook must be retained even if hidden cells were dropped with a warning', async () => {
  const source = await createWorkbook(cells, 'veryHidden')
  assert.equal(source.words?.total, 8)
  assert.equal(source.visibleWords?.total, 5)
  const warnings = ['HIDDEN_DROPPED']
  assert.deepEqual(findLostUnits(source, 'one two three four five', warnings), [])
  assert.deepEqual(findLostUnits(source, 'one behind below apart', warnings), ['words'])
  assert.deepEqual(findLostUnits(source, 'one two three four five', []), ['words'])
  // With another warning about words, it is unknown which warning the missing words belong to.
  assert.deepEqual(findLostUnits(source, 'one', [...warnings, 'SHEETS_DROPPED']), [])
})

test('a hidden row of an Excel workbook is detected in two spellings of the hidden attribute', async () => {
  const visibleCells = cells.replaceAll('hidden="1"', 'hidden="false"')
  assert.equal((await createWorkbook(visibleCells, 'visible')).visibleWords, undefined)
  for (const mark of ['hidden="1"', "hidden = 'true'"]) {
    const cellsWithHiddenRow = visibleCells.replace(/(?<=<row r="2" )hidden="false"/, mark)
    assert.equal((await createWorkbook(cellsWithHiddenRow, 'visible')).visibleWords?.total, 7, mark)
  }
})

test('visible and hidden cells of OpenDocument sheets are distinguished, including repeated ones', async () => {
  const createCell = (text: string, attributes = '') =>
    `<table:table-cell${attributes}><text:p>${text}</text:p></table:table-cell>`
  const createRepeatAttribute = (count: number) => ` table:number-columns-repeated="${count}"`
  const createColumn = (count: number, attributes = '') =>
    `<table:table-column${createRepeatAttribute(count)}${attributes}/>`
  const createRow = (cells: string, attributes = '') =>
    `<table:table-row${attributes}>${cells}</table:table-row>`
  const [collapsedAttribute, filteredAttribute] = ['collapse', 'filter'].map(
    (how) => ` table:visibility="${how}"`,
  )
  const createTable = (style: string, content: string) =>
    `<table:table table:style-name="${style}">${content}</table:table>`
  const styles = ['true', 'false'].map(
    (shown, at) =>
      `<style:style style:name="ta${at}" style:family="table"><style:table-properties table:display="${shown}"/></style:style>`,
  )
  const rows = [
    createRow(
      `${createCell('one')}${createCell('behind', createRepeatAttribute(2))}<table:table-cell/>${createCell('two')}`,
    ),
    // The second and third of these four cells are hidden.
    createRow(createCell('thrice', createRepeatAttribute(4)), ''),
    createRow(
      `<table:covered-table-cell${createRepeatAttribute(2)}/>${createCell('behind')}${createCell('four')}`,
    ),
    createRow(createCell('below'), collapsedAttribute),
    createRow(createCell('sifted', createRepeatAttribute(3)), filteredAttribute),
    createRow(createCell('last')),
  ]
  const columns = `${createColumn(1)}${createColumn(2, collapsedAttribute)}${createColumn(5)}`
  const body = `${createTable('ta0', `${columns}${rows.join('')}`)}${createTable('ta1', createRow(createCell('apart')))}${createTable('ta0', createRow(createCell('end')))}`
  const path = join(scratchFolder('visible'), 'hidden.fods')
  await writeFile(
    path,
    `<office:document><office:automatic-styles>${styles.join('')}</office:automatic-styles>${body}</office:document>`,
  )
  const summary = await readSummary(path, 'fods', { isResult: false })
  const shownWords = new WordCounts()
  shownWords.add('one two thrice thrice four last end')
  assert.equal(summary?.visibleWords?.total, shownWords.total)
  assert.equal(summary.visibleWords && shownWords.countSharedWith(summary.visibleWords), shownWords.total)
  assert.equal(summary.words?.total, 1 + 2 + 1 + 4 + 2 + 1 + 3 + 1 + 1 + 1)
  // Each of these tables hides cells in at most one way.
  const tablesByHiding = {
    none: [createTable('ta0', createRow(createCell('end'))), undefined],
    row: [
      createTable('ta0', createRow(createCell('end')) + createRow(createCell('below'), collapsedAttribute)),
      1,
    ],
    column: [
      createTable(
        'ta0',
        createColumn(1) +
          createColumn(1, filteredAttribute) +
          createRow(createCell('end') + createCell('behind')),
      ),
      1,
    ],
    sheet: [
      createTable('ta0', createRow(createCell('end'))) + createTable('ta1', createRow(createCell('apart'))),
      1,
    ],
  } as const
  for (const [which, [tables, words]] of Object.entries(tablesByHiding)) {
    const usedStyles = which === 'sheet' ? styles.join('') : ''
    await writeFile(
      path,
      `<office:document>${usedStyles}<office:body>${tables}</office:body></office:document>`,
    )
    assert.equal((await readSummary(path, 'fods', { isResult: false }))?.visibleWords?.total, words, which)
  }
})

test('sheets that hide cells in an unsupported way are not checked for losses', () => {
  assert.equal(removeHiddenCells('<x:row hidden="1"/>'), undefined)
  assert.equal(removeHiddenCells('<sheetFormatPr zeroHeight="1"/>'), undefined)
  assert.equal(removeHiddenCells('<row>hidden</row>'), '<row>hidden</row>')
})

test('sheets with too many hidden column ranges are not checked for losses', () => {
  const createSheets = (count: number) => ({
    xlsx: `${'<col min="1" max="1" hidden="1"/>'.repeat(count)}<row><c r="B1"/></row>`,
    ods: `<table:table>${'<table:table-column table:visibility="collapse"/>'.repeat(count)}</table:table>`,
  })
  const [fewSheets, manySheets] = [createSheets(100), createSheets(101)]
  assert.ok(
    removeHiddenCells(fewSheets.xlsx) !== undefined && removeHiddenTables(fewSheets.ods) !== undefined,
  )
  assert.deepEqual(
    [removeHiddenCells(manySheets.xlsx), removeHiddenTables(manySheets.ods)],
    [undefined, undefined],
  )
})

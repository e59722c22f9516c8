import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import { CompoundFile } from '../../../lib/binary/cfb.ts'
import { openByPath } from '../../../lib/binary/random-access.ts'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { makeCompoundFile } from '../../binary/make-cfb.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

async function toMarkdown(workbook: string): Promise<string> {
  const page = await convert(office, fixture(workbook), 'html')
  return readFile((await convert(pandoc, page.path, 'md')).path, 'utf8')
}

/** Returns a copy of a workbook fixture with its parts changed. */
async function createWorkbook(name: string, change: (xml: string) => string): Promise<string> {
  const source = new ZipReader(new Uint8ArrayReader(await readFile(fixture(`office/${name}`))))
  const target = new ZipWriter(new Uint8ArrayWriter())
  for (const entry of await source.getEntries()) {
    if (entry.directory) continue
    const xml = new TextDecoder().decode(await entry.getData(new Uint8ArrayWriter()))
    await target.add(entry.filename, new Uint8ArrayReader(Buffer.from(change(xml))))
  }
  const path = join(scratchFolder('changed-workbooks'), name)
  await writeFile(path, await target.close())
  return path
}

test('a hidden sheet stays hidden, even if it is the active one', async () => {
  const source = await createWorkbook('hidden-sheet-printarea.xlsx', (xml) =>
    xml
      .replace('sheetId="1"', 'sheetId="1" state="hidden"')
      .replace('sheetId="2" state="hidden"', 'sheetId="2"'),
  )
  const { path, warnings } = await convert(office, source, 'html')
  assert.doesNotMatch(await readFile(path, 'utf8'), /shownone/)
  assert.deepEqual(warnings, ['HIDDEN_DROPPED'])
})

test('cells of a protected sheet are displayed as in Excel', async () => {
  const protection = '<sheetProtection sheet="1" password="CC1A"/>'
  const source = await createWorkbook('logical-values.xlsx', (xml) =>
    xml.replace('</sheetData>', `</sheetData>${protection}`),
  )
  const table = await readFile((await convert(office, source, 'csv')).path, 'utf8')
  assert.match(table, /^TRUE,TRUE,FALSE,TRUE,/m)
})

test('a hidden sheet is not printed, even if it has a print area', async () => {
  const { path } = await convert(office, fixture('office/hidden-sheet-printarea.xlsx'), 'pdf')
  const words = (await readStdout('pdftotext', path, '-')).split(/\s+/).filter(Boolean)
  assert.deepEqual(words.sort(), ['shownone', 'shownthree', 'showntwo'])
})

test('a sheet with blank cells becomes a Markdown pipe table with a header', async () => {
  const lines = (await toMarkdown('office/blankcell.xlsx')).trim().split('\n')
  const cells = lines.map((line) => line.split('|').map((cell) => cell.trim()))
  assert.deepEqual(cells.toSpliced(1, 1), [
    ['', 'Name', 'Note', ''],
    ['', 'Ann', 'ok', ''],
    ['', 'Bob', '', ''],
  ])
  assert.match(lines[1] ?? '', /^\|[:-]+\|[:-]+\|$/)
})

test('a title above the table of a sheet becomes a paragraph in Markdown', async () => {
  const markdown = await toMarkdown('office/logical-values.xlsx')
  assert.match(markdown, /^Quarterly report\n\n\| HA +\| HB +\|/)
  assert.match(markdown, /\| two<br>lines \|/)
})

test('Boolean cells are displayed as TRUE and FALSE, whatever their number format', async () => {
  const source = fixture('office/logical-values.xlsx')
  const table = await readFile((await convert(office, source, 'csv')).path, 'utf8')
  assert.match(table, /^TRUE,TRUE,FALSE,TRUE,/m)
  assert.match(await toMarkdown('office/logical-values.xlsx'), /\| TRUE +\| TRUE +\| FALSE +\| TRUE +\|/)
})

test('an XLS is read whether its stream is named Workbook or Book, even if the OLE directory has no links', async () => {
  const { path } = await convert(office, fixture('office/workbook.xlsx'), 'xls')
  const workbook = await (await CompoundFile.open(await openByPath(path))).read('Workbook')
  assert.ok(workbook)
  const expectedTable = await readFile((await convert(office, path, 'csv')).path, 'utf8')
  const folder = scratchFolder('workbooks')
  for (const name of ['Workbook', 'WORKBOOK', 'Book', 'BOOK']) {
    const source = join(folder, `${name}.xls`)
    // The directory entries of the generated file have no links to each other.
    await writeFile(source, makeCompoundFile({ Notes: Buffer.alloc(5000), [name]: workbook }).bytes)
    const table = await readFile((await convert(office, source, 'csv')).path, 'utf8')
    assert.equal(table, expectedTable, name)
  }
})

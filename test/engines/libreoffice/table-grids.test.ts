import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { calibre } from '../../../lib/engines/calibre.ts'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'
import { writeWordDocument } from '../support/word-maker.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

const automaticWidth = '<w:tcW w:w="0" w:type="auto"/>'
const createCell = (content: string, properties = automaticWidth) =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${content}</w:tc>`
const createWordCell = (word: string, properties?: string) =>
  createCell(`<w:p><w:r><w:t>${word}</w:t></w:r></w:p>`, properties)
const createRow = (...cells: readonly string[]) => `<w:tr>${cells.join('')}</w:tr>`
const createTable = (grid: string, ...rows: readonly string[]) =>
  `<w:p/><w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/></w:tblPr>${grid}${rows.join('')}</w:tbl><w:p/>`
const createWords = (name: string, ...numbers: readonly number[]) =>
  numbers.map((number) => createWordCell(`${name}${number}`))

const oldGrid = '<w:tblGridChange w:id="1"><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid></w:tblGridChange>'
const innerTable = createTable('', createRow(...createWords('inner', 1, 2)))
const tables = {
  none: createTable('', createRow(...createWords('none', 1, 2, 3))),
  empty: createTable('<w:tblGrid/>', createRow(...createWords('empty', 1, 2, 3))),
  few: createTable('<w:tblGrid><w:gridCol w:w="9000"/></w:tblGrid>', createRow(...createWords('few', 1, 2))),
  changed: createTable(`<w:tblGrid>${oldGrid}</w:tblGrid>`, createRow(...createWords('changed', 1, 2))),
  longer: createTable(
    '',
    createRow(...createWords('longer', 1)),
    createRow(...createWords('longer', 2, 3, 4)),
  ),
  spanned: createTable(
    '',
    createRow(createWordCell('spanned1', '<w:gridSpan w:val="2"/>'), createWordCell('spanned2')),
  ),
  outer: createTable('', createRow(createCell(innerTable), ...createWords('outer', 1))),
}

test('cells of Word tables whose grid lacks columns are printed on the page and kept in ODT', async () => {
  const source = await writeWordDocument('grids', Object.values(tables).join(''))
  const words = Object.values(tables)
    .flatMap((xml) => [...xml.matchAll(/<w:t>(\w+)/g)])
    .map(([, word]) => word)
  assert.equal(words.length, 19)
  const { path } = await convert(office, source, 'pdf')
  // With this argument, text outside of the page is left out.
  const printedText = await readStdout(
    'pdftotext',
    '-nopgbrk',
    '-x',
    '0',
    '-y',
    '0',
    '-W',
    '600',
    '-H',
    '850',
    path,
    '-',
  )
  const document = await readStdout('unzip', '-p', (await convert(office, source, 'odt')).path, 'content.xml')
  for (const [name, text] of Object.entries({ printedText, document }))
    assert.deepEqual(
      words.filter((word) => !text.includes(String(word))),
      [],
      name,
    )
})

test('columns get the widths of their cells if the table has no grid', async () => {
  const widths = [1000, 5000].map((width, at) =>
    createWordCell(`wide${at}`, `<w:tcW w:w="${width}" w:type="dxa"/>`),
  )
  const source = await writeWordDocument(
    'widths',
    createTable('', createRow(...widths, ...createWords('rest', 1))),
  )
  const page = await readFile((await convert(office, source, 'html')).path, 'utf8')
  const shares = [...page.matchAll(/<col width="(\d+)/g)].map(([, width]) => Number(width))
  assert.equal(shares.length, 3)
  const [narrow = 0, wide = 0, rest = 0] = shares
  // The cells of the narrow column lose most of their width to their margins.
  assert.ok(wide > 4 * narrow && wide > rest && rest > narrow, String(shares))
})

test('all columns of the tables that calibre writes are printed', async () => {
  const source = join(scratchFolder('calibre-tables'), 'table.md')
  await writeFile(source, '| first | second | third |\n|---|---|---|\n| fourth | fifth | sixth |\n')
  const book = await convert(pandoc, source, 'epub')
  const document = await convert(calibre, book.path, 'docx')
  const text = await readStdout('pdftotext', (await convert(office, document.path, 'pdf')).path, '-')
  for (const word of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'])
    assert.ok(text.includes(word), word)
})

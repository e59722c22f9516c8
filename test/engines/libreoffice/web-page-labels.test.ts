import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture } from '../support/run-engine.ts'
import { wordNamespace, writeWordDocument } from '../support/word-maker.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

/** Returns the paragraphs of a document's web page, as pandoc reads them. */
async function readPage(source: string, from?: FormatId): Promise<string[]> {
  const { path } = await convert(office, source, 'html', from ? { from } : {})
  const text = await readStdout('pandoc', '-f', 'html', '-t', 'plain', '--wrap=none', path)
  return text.split('\n').filter(Boolean)
}

const createRun = (content: string, font = '') =>
  `<w:r>${font && `<w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr>`}${content}</w:r>`
const createParagraph = (content: string) => `<w:p>${content}</w:p>`
const createItem = (text: string, level: number) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr></w:pPr>${createRun(`<w:t>${text}</w:t>`)}</w:p>`
const createTable = (content: string) =>
  `<w:tbl><w:tblGrid><w:gridCol w:w="4000"/></w:tblGrid><w:tr><w:tc>${content}</w:tc></w:tr></w:tbl>`

async function writeList(name: string, body: string, ...levels: readonly [format: string, text: string][]) {
  const levelsXml = levels.map(
    ([format, text], at) =>
      `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`,
  )
  const numbering = `<w:numbering xmlns:w="${wordNamespace}"><w:abstractNum w:abstractNumId="0">${levelsXml.join('')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`
  return writeWordDocument(name, body, [['numbering', 'numbering.xml', numbering]])
}

test('clauses and headings keep their numbers in web pages, from DOCX, DOC and ODT', async () => {
  const items = createItem('Goods', 0) + createItem('Price', 1) + createItem('Fee', 2)
  const body = `${items}${createTable(createItem('Tax', 2))}${createItem('Delivery', 0)}${createItem('Date', 1)}`
  const levels = [
    ['decimal', 'Article %1.'],
    ['decimal', '%1.%2'],
    ['lowerLetter', '(%3)'],
  ] as const
  const source = await writeList(
    'clauses',
    body,
    ...levels.map(([format, text]): [string, string] => [format, text]),
  )
  const expectedLines = [
    'Article 1. Goods',
    '1.1 Price',
    '(a) Fee',
    '(b) Tax',
    'Article 2. Delivery',
    '2.1 Date',
  ]
  const keepClauses = (lines: readonly string[]) =>
    lines.map((line) => line.trim()).filter((line) => /\w/.test(line))
  assert.deepEqual(keepClauses(await readPage(source)), expectedLines)
  for (const format of ['doc', 'odt'] as const) {
    const { path } = await convert(office, source, format)
    assert.deepEqual(keepClauses(await readPage(path, format)), expectedLines, format)
  }
  const headings = await readPage(fixture('office/contract-numbered.docx'))
  assert.deepEqual(
    headings.filter((line) => /^\d/.test(line)),
    ['1. Scope', '1.1 Terms', '1.2 Definitions', '2. Payment', '2.1 Fee'],
  )
})

test('clauses in cells keep their numbers in web pages, even in a table that starts the document and in nested tables', async () => {
  const plain = createParagraph(createRun('<w:t>plain</w:t>'))
  const cell = plain + createItem('Goods', 0) + createTable(plain + createItem('Price', 0)) + plain
  const body = `${createTable(cell)}${plain}${createTable(plain)}${createItem('Date', 0)}`
  const source = await writeList('cells', body, ['decimal', 'Article %1.'])
  const text = (await readPage(source)).join(' ')
  assert.deepEqual(text.match(/(Article \d\. )?(Goods|Price|Date)/g), [
    'Article 1. Goods',
    'Article 2. Price',
    'Article 3. Date',
  ])
})

test('a list whose numbers a web page can show stays a list', async () => {
  const body = createItem('One', 0) + createItem('Below', 1) + createItem('Two', 0)
  const source = await writeList('plain-list', body, ['decimal', '%1.'], ['lowerLetter', '%2)'])
  assert.deepEqual(await readPage(source), ['1.  One', '    a.  Below', '2.  Two'])
})

test('characters of symbol fonts are Unicode in web pages, from DOCX, DOC, ODT and RTF', async () => {
  const symbol = '<w:sym w:font="Wingdings" w:char="F0FC"/>'
  const source = await writeWordDocument(
    'symbols',
    [
      createParagraph(createRun(`<w:t>one</w:t>${symbol}<w:t>after</w:t>`)),
      createParagraph(createRun('<w:t>\uf0e0</w:t>', 'Wingdings')),
      createParagraph(createRun('<w:t>abg</w:t>', 'Symbol')),
      createParagraph(createRun('<w:sym w:font="Webdings" w:char="F061"/>')),
    ].join(''),
  )
  const expectedLines = ['one✓after', '→', 'αβγ', '✔']
  assert.deepEqual(await readPage(source), expectedLines)
  for (const format of ['doc', 'odt', 'rtf'] as const) {
    const { path } = await convert(office, source, format)
    assert.deepEqual(await readPage(path, format), expectedLines, format)
  }
})

test('check boxes and selected values of form fields appear once in web pages', async () => {
  const lines = await readPage(fixture('office/formfields.docx'))
  assert.deepEqual(lines, ['☒ I accept the terms', '☐ Send me the newsletter', 'Colour: Green'])
  const { path } = await convert(office, fixture('office/formfields.docx'), 'html')
  assert.doesNotMatch(await readStdout('cat', path), /<input/)
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { readStdout } from '../support/inspect-result.ts'
import { folder, writeFlatDocument } from '../support/office-texts.ts'
import { convert } from '../support/run-engine.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

const createWords = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
const createText = (text: string, style = '') =>
  `<table:table-cell office:value-type="string" ${style && `table:style-name="${style}"`}><text:p>${text}</text:p></table:table-cell>`
const createNumber = (value: number, style = '') =>
  `<table:table-cell office:value-type="float" office:value="${value}" ${style && `table:style-name="${style}"`}/>`
const createRow = (cells: readonly string[], style = '') =>
  `<table:table-row ${style && `table:style-name="${style}"`}>${cells.join('')}</table:table-row>`
const empty = '<table:table-cell/>'

const styles = `<office:automatic-styles>
  <number:number-style style:name="N" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>
  <style:style style:name="narrow" style:family="table-column"><style:table-column-properties style:column-width="9mm"/></style:style>
  <style:style style:name="flat" style:family="table-row"><style:table-row-properties style:row-height="5mm" style:use-optimal-row-height="false"/></style:style>
  <style:style style:name="tall" style:family="table-row"><style:table-row-properties style:row-height="40mm" style:use-optimal-row-height="false"/></style:style>
  <style:style style:name="wrapped" style:family="table-cell"><style:table-cell-properties fo:wrap-option="wrap"/></style:style>
  <style:style style:name="right" style:family="table-cell"><style:table-cell-properties style:text-align-source="fix"/><style:paragraph-properties fo:text-align="end"/></style:style>
  <style:style style:name="grouped" style:family="table-cell" style:data-style-name="N"/>
</office:automatic-styles>`
const rows = [
  createRow([createText(createWords('clipped', 3)), createText('beside')]),
  createRow([createNumber(1234567.25, 'grouped'), createNumber(98765432109)]),
  createRow([createText(createWords('across', 4)), empty, empty, empty]),
  createRow([createText(createWords('long', 40)), createText('after')]),
  createRow([createText('left'), createText(createWords('right', 3), 'right')]),
  createRow([createText(createWords('wrapped', 9), 'wrapped')], 'flat'),
  createRow(['<table:table-cell table:formula="of:=1/0" office:value-type="float" office:value="0"/>']),
]
const linkWords = createWords('linked', 90)
const link = `<text:a xlink:href="https://example.com/" xmlns:xlink="http://www.w3.org/1999/xlink">${linkWords}</text:a>`
const linkRow = createRow([createText(link, 'wrapped')])
const sheet = `<table:table table:name="S"><table:table-column table:style-name="narrow" table:number-columns-repeated="4"/>${rows.join('')}${linkRow}</table:table>`
const expectedWords = rows
  .flatMap((row) => [...row.matchAll(/<text:p>(.*?)<\/text:p>/g)])
  .flatMap(([, text = '']) => text.split(' '))
  .concat('1,234,567.25', '98765432109', linkWords.split(' '))

test('cells of narrow columns and flat rows are printed completely, from ODS, XLSX and XLS', async () => {
  const source = await writeFlatDocument(
    'narrow.fods',
    'spreadsheet',
    `${styles}<office:body><office:spreadsheet>${sheet}</office:spreadsheet></office:body>`,
  )
  for (const format of ['fods', 'xlsx', 'xls'] as const) {
    const book = format === 'fods' ? source : (await convert(office, source, format)).path
    const printedText = await readStdout('pdftotext', (await convert(office, book, 'pdf')).path, '-')
    const printedWords = printedText.split(/\s+/)
    assert.deepEqual(
      expectedWords.filter((word) => !printedWords.includes(word)),
      [],
      format,
    )
    assert.doesNotMatch(printedText, /###/)
  }
})

test('hidden rows with wrapped text stay hidden, and a row keeps the height that the document sets', async () => {
  const wrappedCell = createText(createWords('tall', 5), 'wrapped')
  const hiddenRow = createRow([createText('secret wrapped words', 'wrapped')]).replace(
    '<table:table-row',
    '<table:table-row table:visibility="collapse"',
  )
  const sheetRows = [createRow([wrappedCell], 'tall'), hiddenRow, createRow([createText('below')])]
  const source = await writeFlatDocument(
    'tall.fods',
    'spreadsheet',
    `${styles}<office:body><office:spreadsheet><table:table table:name="S">${sheetRows.join('')}</table:table></office:spreadsheet></office:body>`,
  )
  const { path } = await convert(office, source, 'pdf')
  const page = await readStdout('pdftotext', '-bbox', path, '-')
  assert.doesNotMatch(page, /secret/)
  const bottoms = ['tall4', 'below'].map((word) => new RegExp(`yMax="([\\d.]+)">${word}<`).exec(page)?.[1])
  assert.ok(Number(bottoms[1]) > (40 / 25.4) * 72 + Number.parseFloat(/yMin="([\d.]+)/.exec(page)?.[1] ?? ''))
})

/** Returns the size of the text in points. */
async function measureText(source: string): Promise<number> {
  const { path } = await convert(office, source, 'pdf')
  const page = await readStdout('pdftotext', '-bbox', path, '-')
  const [, top, bottom] = /yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">first</.exec(page) ?? []
  return Number(bottom) - Number(top)
}

test('a CSV with long texts is printed in its normal font size, with all digits of its numbers', async () => {
  const [short, long] = ['short.csv', 'long.csv'].map((name) => join(folder, name))
  assert.ok(short && long)
  await writeFile(short, 'first,second\nA,B\n')
  await writeFile(
    long,
    `first,note,ratio\nA,${createWords('note', 90)},0.1234567890123\nB,C,2026-01-31 10:11:12\n`,
  )
  assert.ok(Math.abs((await measureText(long)) - (await measureText(short))) < 0.5)
  const printedText = await readStdout('pdftotext', (await convert(office, long, 'pdf')).path, '-')
  for (const word of [...createWords('note', 90).split(' '), '0.1234567890123', '2026-01-31 10:11:12'])
    assert.ok(printedText.includes(word), word)
})

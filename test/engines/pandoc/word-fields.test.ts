import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter } from '@zip.js/zip.js'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const scratch = scratchFolder('word-fields')

const convertToText = async (source: string, to: FormatId) =>
  readFile((await convert(pandoc, source, to)).path, 'utf8')

/** Returns a copy of the fixture with other paragraphs and list levels. */
async function createDocumentWith(name: string, paragraphs: string, levels?: string): Promise<string> {
  const source = new ZipReader(new Uint8ArrayReader(await readFile(fixture('office/contract-numbered.docx'))))
  const target = new ZipWriter(new Uint8ArrayWriter())
  for (const entry of await source.getEntries()) {
    if (entry.directory) continue
    let xml = new TextDecoder().decode(await entry.getData(new Uint8ArrayWriter()))
    if (entry.filename === 'word/document.xml')
      xml = xml.replace(/<w:body>.*?(?=<w:sectPr>)/s, `<w:body>${paragraphs}`)
    if (entry.filename === 'word/numbering.xml' && levels !== undefined)
      xml = xml.replace(/<w:lvl .*<\/w:lvl>/s, levels)
    await target.add(entry.filename, new Uint8ArrayReader(Buffer.from(xml)))
  }
  const path = join(scratch, name)
  await writeFile(path, await target.close())
  return path
}

const createLevel = (index: number, format: string, text: string) =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`
const createListItem = (index: number, text: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${index}"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`
const createParagraph = (content: string) => `<w:p><w:r>${content}</w:r></w:p>`

describe('generated content of Word documents', () => {
  after(removeRuns)

  test('headings of a Word document keep their numbers', async () => {
    const source = fixture('office/contract-numbered.docx')
    const numbered = ['1. Scope', '1.1 Terms', '1.2 Definitions', '2. Payment', '2.1 Fee']
    const headings = (await convertToText(source, 'md')).match(/(?<=^#+ ).*$/gm)
    assert.deepEqual(headings, numbered)
    const text = await convertToText(source, 'txt')
    for (const heading of numbered) assert.ok(text.includes(heading), heading)
    const { path } = await convert(pandoc, source, 'epub')
    assert.match(execFileSync('unzip', ['-p', path, '*.xhtml'], { encoding: 'utf8' }), />2\.1 Fee</)
  })

  test('lists whose numbers Markdown cannot show keep them as text, such as A and First', async () => {
    const levels = createLevel(0, 'upperLetter', '%1.') + createLevel(1, 'ordinalText', '%2')
    const items = createListItem(0, 'Goods') + createListItem(1, 'Price') + createListItem(1, 'Fee')
    const source = await createDocumentWith('number-formats.docx', items, levels)
    assert.equal(await convertToText(source, 'md'), 'A. Goods\n\nFirst Price\n\nSecond Fee\n')
    assert.match(await convertToText(source, 'txt'), /^A\. {1,2}Goods/)
  })

  test('a list level that never restarts counts on', async () => {
    const lastLevel = createLevel(1, 'lowerLetter', '%2)').replace(
      '<w:lvlText',
      '<w:lvlRestart w:val="0"/><w:lvlText',
    )
    const items = [0, 1, 0, 1].map((level, index) => createListItem(level, `Item${index}`)).join('')
    const source = await createDocumentWith(
      'restart.docx',
      items,
      createLevel(0, 'decimal', '%1.') + lastLevel,
    )
    assert.match(await convertToText(source, 'txt'), /b\) Item3/)
  })

  test('moved text appears once, and a field shows only its result', async () => {
    const field = (type: string) => `<w:fldChar w:fldCharType="${type}"/>`
    const instruction = (text: string) => `<w:instrText xml:space="preserve"> ${text} </w:instrText>`
    const page = `${field('begin')}${instruction('PAGE')}${field('separate')}<w:t>7</w:t>${field('end')}`
    const condition = `${field('begin')}${instruction('IF')}${page}${instruction('= 7 "yes"')}${field('separate')}<w:t>yes</w:t>${field('end')}`
    const symbol = `${field('begin')}${instruction(String.raw`SYMBOL 254 \f Wingdings`)}${field('end')}`
    const run = (content: string) =>
      content.replaceAll(/<w:(?:fldChar|instrText|t)\b.*?(?:\/>|<\/w:\w+>)/g, '<w:r>$&</w:r>')
    const move = (tag: string) =>
      `<w:p><w:${tag} w:id="1" w:author="Ann"><w:r><w:t>Moved</w:t></w:r></w:${tag}></w:p>`
    const paragraphs = `${move('moveFrom')}${move('moveTo')}<w:p>${run(condition)}</w:p><w:p>${run(symbol)}</w:p>`
    const source = await createDocumentWith('fields.docx', paragraphs)
    assert.equal(await convertToText(source, 'txt'), 'Moved\n\nyes\n\n☑\n')
  })

  test('formulas with default parts keep them: an operator without limits, braces, bars, binomials', async () => {
    const namespace = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`
    const formulas = [
      `<m:nary><m:naryPr><m:chr m:val="∐"/></m:naryPr><m:e>${run('Y')}</m:e></m:nary>`,
      `<m:groupChr><m:e>${run('g')}</m:e></m:groupChr>`,
      `<m:bar><m:e>${run('w')}</m:e></m:bar>`,
      `<m:f><m:fPr><m:type m:val="noBar"/></m:fPr><m:num>${run('n')}</m:num><m:den>${run('k')}</m:den></m:f>`,
    ]
    const paragraphs = formulas
      .map((formula) => `<w:p><m:oMath ${namespace}>${formula}</m:oMath></w:p>`)
      .join('')
    const text = await convertToText(await createDocumentWith('defaults.docx', paragraphs), 'md')
    for (const expected of [
      '\\coprod_{}^{}Y',
      '\\underbrace{g}',
      '\\underline{w}',
      '\\begin{matrix}\nn \\\\\nk',
    ])
      assert.ok(text.includes(expected), `${expected} in ${text}`)
  })

  test('numbered clauses of a Word document keep their numbers, such as § I and I.a)', async () => {
    const levels = createLevel(0, 'upperRoman', '§ %1') + createLevel(1, 'lowerLetter', '%1.%2)')
    const clauses = [
      createListItem(0, 'Goods'),
      createListItem(1, 'Price'),
      createListItem(1, 'Place'),
      createParagraph('<w:t>Between</w:t>'),
    ]
    const source = await createDocumentWith(
      'clauses.docx',
      [...clauses, createListItem(0, 'Law'), createListItem(1, 'Court')].join(''),
      levels,
    )
    const lines = (await convertToText(source, 'txt')).split('\n').filter(Boolean)
    assert.deepEqual(lines, ['§ I Goods', 'I.a) Price', 'I.b) Place', 'Between', '§ II Law', 'II.a) Court'])
  })

  test('a simple numbered list of a Word document stays a list in Markdown', async () => {
    const source = await createDocumentWith(
      'list.docx',
      createListItem(0, 'one') + createListItem(0, 'two'),
      createLevel(0, 'decimal', '%1.'),
    )
    assert.match(await convertToText(source, 'md'), /^1\. +one\n+2\. +two$/m)
  })

  test('Word check boxes show their state, and drop-down lists the selected value', async () => {
    for (const to of ['md', 'txt'] as const) {
      const text = await convertToText(fixture('office/formfields.docx'), to)
      assert.match(text, /☒ I accept the terms\n+☐ Send me the newsletter\n+Colour: Green/, to)
    }
  })

  test('Word check boxes show their state in a web page made by LibreOffice', async () => {
    const office = createLibreOffice({ processes: 1 })
    const { path } = await convert(office, fixture('office/formfields.docx'), 'html')
    await office.close?.()
    const text = (await readFile(path, 'utf8')).replaceAll(/<[^<>]*>|\s/g, '')
    assert.match(text, /☒IaccepttheTerms☐Sendmethenewsletter.*Green$/i)
  })

  test('characters of Word symbol fonts become Unicode characters', async () => {
    const createSymbol = (font: string, code: string) => `<w:sym w:font="${font}" w:char="${code}"/>`
    const createTextInFont = (font: string, text: string) =>
      `<w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/></w:rPr><w:t>${text}</w:t>`
    const paragraphs = [
      createParagraph(
        `${createSymbol('Wingdings', 'F0FC')}${createSymbol('Wingdings', 'F0FE')}${createSymbol('Symbol', 'F061')}`,
      ),
      createParagraph(createTextInFont('Wingdings', 'à')),
      createParagraph(createTextInFont('Symbol', '\uF0A3')),
      createParagraph('<w:t>à</w:t>'),
    ]
    const source = await createDocumentWith('symbols.docx', paragraphs.join(''))
    assert.deepEqual((await convertToText(source, 'txt')).split('\n').filter(Boolean), ['✓☑α', '→', '≤', 'à'])
  })

  test('a Word formula keeps its summation sign even if the sum has no operand', async () => {
    const text = await convertToText(fixture('office/nary-without-e.docx'), 'md')
    assert.match(text.replaceAll(' ', ''), /\$\\sum_\{k=0\}\^\{n\}(?:\{\})?x\^\{k\}\$/)
  })
})

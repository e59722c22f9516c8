import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { createLibreOffice } from '../../../lib/engines/libreoffice.ts'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert } from '../support/run-engine.ts'
import { wordNamespace, writeWordDocument } from '../support/word-maker.ts'

const office = createLibreOffice({ processes: 1 })

after(() => office.close?.())

const createParagraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`

const readPdf = async (source: string) => {
  const { path, warnings, messages } = await convert(office, source, 'pdf')
  return {
    text: (await readStdout('pdftotext', path, '-')).replaceAll(/\s+/g, ' ').trim(),
    warnings,
    messages,
  }
}

describe('documents embedded in the text of a Word document', () => {
  const rtf = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Font;}}{\*\generator Program;}Gr\u246?\'df\'65\par\uc0\u8364 \tab{\b bold}}`
  const chunks = {
    'page.html': [
      '<html><body><p>First &amp; <b>s</b>econd</p><p>third</p></body></html>',
      'First & second third',
    ],
    'text.txt': ['Plain\ntext', 'Plain text'],
    'text.rtf': [rtf, 'GröЯe € bold'],
  } as const

  for (const [name, [content, expectedText]] of Object.entries(chunks))
    test(`the text of ${name} is kept in PDF and Markdown`, async () => {
      const source = await writeWordDocument(
        `chunk-${name}`,
        `${createParagraph('before')}<w:altChunk r:id="r0"/>${createParagraph('after')}`,
        [['aFChunk', name, content]],
      )
      const { text, warnings } = await readPdf(source)
      assert.deepEqual([text, warnings], [`before ${expectedText} after`, []])
      const markdown = await readFile((await convert(pandoc, source, 'md')).path, 'utf8')
      assert.ok(markdown.replaceAll('*', '').replaceAll(/\s+/g, ' ').includes(expectedText), markdown)
    })
})

test('tables, lists, links and formatting of a web page embedded in a Word document are kept in HTML and Markdown', async () => {
  const page = `<body><h1>Head</h1><p>a <b>bold</b> <a href="https://example.com/?a&amp;b">link</a></p><ol><li>one<li>two</ol>
    <table><tr><th rowspan=2>tall<th>top</tr><tr><td>below</td></table></body>`
  const body = `${createParagraph('before')}<w:altChunk r:id="r0"/>`
  const source = await writeWordDocument('chunk-blocks', body, [['aFChunk', 'page.html', page]])
  const [html, markdown] = await Promise.all([
    readFile((await convert(office, source, 'html')).path, 'utf8'),
    readFile((await convert(pandoc, source, 'md')).path, 'utf8'),
  ])
  const link = 'https://example.com/?a&amp;b'
  for (const part of [
    '<b>bold</b>',
    '<b>Head</b>',
    `<a href="${link}">link</a>`,
    'rowspan="2"',
    '1.\tone',
    '2.\ttwo',
  ])
    assert.ok(html.includes(part), part)
  for (const part of [
    '**bold**',
    '[link](https://example.com/?a&b)',
    '1\\. one',
    '2\\. two',
    '| tall | top   |',
  ])
    assert.ok(markdown.includes(part), `${part} in ${markdown}`)
})

describe('damaged parts of a Word document', () => {
  const createPart = (tag: string, content: string) =>
    `<w:${tag} xmlns:w="${wordNamespace}">${content}</w:${tag}>`
  const header = createPart('hdr', createParagraph('on top of pages'))
  const notes = createPart('footnotes', `<w:footnote w:id="2">${createParagraph('first note')}</w:footnote>`)
  const body = `<w:p><w:r><w:t>text</w:t><w:footnoteReference w:id="2"/></w:r></w:p><w:sectPr><w:headerReference w:type="default" r:id="r0"/></w:sectPr>`
  const write = (name: string, headerXml: string | undefined, notesXml: string | undefined) =>
    writeWordDocument(name, body, [
      ['header', 'header1.xml', headerXml],
      ['footnotes', 'footnotes.xml', notesXml],
    ])
  const damages = {
    'undamaged parts': [header, notes, []],
    'a header without an end tag': [header.replace('</w:p>', ''), notes, ['header1.xml']],
    'truncated footnotes': [header, notes.slice(0, -40), ['footnotes.xml']],
    'a header that is no XML': ['\0\u0001', notes, ['header1.xml']],
    'a missing header': [undefined, notes, ['header1.xml']],
    'missing footnotes': [header, undefined, ['footnotes.xml']],
  } as const

  const isRead = (xml: string | undefined) => xml?.startsWith('<')

  for (const [name, [headerXml, notesXml, names]] of Object.entries(damages))
    test(`a Word document with ${name} keeps its readable parts, and a warning names the damaged ones`, async () => {
      const source = await write(name.replaceAll(' ', '-'), headerXml, notesXml)
      const { text, warnings, messages } = await readPdf(source)
      const expectedParts = [
        'text',
        ...(isRead(headerXml) ? ['on top of pages'] : []),
        ...(notesXml ? ['first note'] : []),
      ]
      for (const part of expectedParts) assert.ok(text.includes(part), `${part} in ${text}`)
      assert.deepEqual(warnings, names.length > 0 ? ['MAY_BE_DAMAGED'] : [])
      for (const partName of names) assert.ok(messages[0]?.includes(partName), messages[0])
      const markdown = await convert(pandoc, source, 'md')
      assert.deepEqual(markdown.warnings, warnings)
      assert.equal((await readFile(markdown.path, 'utf8')).includes('first note'), notesXml !== undefined)
    })
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Document, Packer, Paragraph, Table, TableCell, TableRow } from 'docx'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { python3 } from '../../support/python.ts'
import { testConformance } from '../support/conformance.ts'
import { createChapter, createEpub } from '../support/epub-maker.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convertSource, file, pixel, scratch } from '../support/pandoc-results.ts'
import { convert, fixture } from '../support/run-engine.ts'

const notes = await file(
  'notes.md',
  `---
title: Field notes
author: Ada Example
---

# Kingfisher

A *blue* bird by the river, seen on two days.
- first without a blank line above
- second

| Day | Count |
|-----|------:|
| one | 3     |
| two | 14    |

![a dot](${pixel})

$$x^2 + y^2$$
`,
)

const longDocument = await file(
  'long.md',
  'A paragraph with *some* **marks** and a [link](#x).\n\n'.repeat(60_000),
)

testConformance(pandoc, {
  fixtures: {
    md: notes,
    docx: fixture('letter.docx'),
    html: fixture('page.html'),
    csv: fixture('table.csv'),
  },
  only: (from, to) =>
    from === 'md'
      ? ['docx', 'odt', 'pptx', 'epub', 'fb2', 'html', 'rst', 'tex', 'dbk', 'ipynb', 'opml'].includes(to)
      : to === 'md',
  long: { source: longDocument, to: 'docx' },
})

const createTextCell = (text: string) => ({ children: [new Paragraph(text)] })

describe('Word documents', () => {
  const adjacentNotes = [
    ...['Pangolin', 'Okapi', 'Dugong', 'Narwhal', 'Gecko', 'Lemurs', 'Quetzal', 'Numbat', 'Tarsier'],
    'Comment by Ann: Axolotl',
  ]

  test('text boxes and comments of a Word document are kept once, after the paragraph they are anchored to', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'md')
    for (const noteText of adjacentNotes) assert.equal(text.split(noteText).length, 2, noteText)
    assert.match(text, /Before the box\.\s+Pangolin in a text box\s+Second line of it\s+Okapi.*\s+Between/)
    assert.match(text, /remark\[\^3\]\.[\s\S]*\[\^3\]: Comment by Ann: Axolotl in a comment/)
  })

  test('text boxes and comments of a Word document are included in plain text', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'txt')
    for (const noteText of adjacentNotes) assert.ok(text.includes(noteText), noteText)
    assert.match(text, /Name\tLegs\tHome\nWide\t\tsea\nKiwi bird\t2\ttwo Quetzal in a cell\n/)
  })

  test('a text box in a Word table is kept in Markua, which puts each cell on a single line', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'markua')
    assert.match(text, /\| *Kiwi bird *\| *2 *\| *two Quetzal in a cell *\|/)
    assert.doesNotMatch(text, /\[TABLE\]/)
  })

  test('a Word table with an indented cell becomes a Markdown table instead of an HTML table', async () => {
    const cells = [
      { children: [new Paragraph({ text: 'Day', indent: { left: 300 } })] },
      createTextCell('Count'),
    ]
    const rows = [cells, [createTextCell('one'), createTextCell('3')]].map(
      (cells) => new TableRow({ children: cells.map((cell) => new TableCell(cell)) }),
    )
    const document = new Document({ sections: [{ children: [new Table({ rows })] }] })
    const { text } = await convertSource(await file('indented.docx', await Packer.toBuffer(document)), 'md')
    assert.match(text, /^\| *Day *\| *Count *\|$/m)
    assert.match(text, /^\| *one *\| *3 *\|$/m)
  })

  test('converting an encrypted Word document to Markdown is refused with FILE_ENCRYPTED', async () => {
    await assert.rejects(convertSource(fixture('office/locked.docx'), 'md'), { code: 'FILE_ENCRYPTED' })
  })
})

describe('content of documents', () => {
  test('the title, heading, list and table of a document survive a round trip through other formats', async () => {
    for (const otherFormat of ['docx', 'odt', 'epub', 'html', 'rst', 'dbk', 'ipynb'] as const) {
      const convertedNotes = await convert(pandoc, notes, otherFormat)
      const { text } = await convertSource(convertedNotes.path, 'md', { from: otherFormat })
      for (const expectedPattern of [
        /Field notes/,
        /# Kingfisher/,
        /\*blue\*/,
        /- +first/,
        /- +second/,
        /\|? *Day *\|?/,
        /\|? *14 *\|?/,
      ]) {
        assert.match(text, expectedPattern, otherFormat)
      }
    }
  })

  test('the text of RTF links written by LibreOffice is kept', async () => {
    const field = String.raw`{{\field{\*\fldinst HYPERLINK "https://example.com/\{a\}" }{\fldrslt {\cs15 the link}{}}}}`
    const link = await file('link.rtf', String.raw`{\rtf1\ansi see ${field} here\par}`)
    const { text } = await convertSource(link, 'wiki')
    assert.match(text, /see \[https:\/\/example\.com\S* the link\] here/)
  })

  test('characters of an RTF that directly follow a control word are kept', async () => {
    const source = String.raw`{\rtf1\ansi t\u252?r los\u233*n\u1076?\u1072?4 {\uc2\u252??ber} a\emdash?b c\\b?d\fi-360 e\par}`
    const { text } = await convertSource(await file('escapes.rtf', source), 'org')
    assert.match(text, /tür losénда4 über a---\?b c\\b\?de/)
  })

  test('the title and author of a document are in the metadata of its ebook', async () => {
    const { path } = await convert(pandoc, notes, 'epub')
    const meta = await readStdout('ebook-meta', path)
    assert.match(meta, /Title +: Field notes/)
    assert.match(meta, /Author\(s\) +: Ada Example/)
  })

  test('a document converted to XHTML is well-formed XML, even with malformed raw HTML', async () => {
    const looseDocument = await file(
      'loose.md',
      '# Fruit & more\n\nOne<br>two <b>bold\n\n<p>Open &nbsp; <img src=x>\n',
    )
    const { path, text } = await convertSource(looseDocument, 'xhtml')
    await readStdout(python3, '-c', 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])', path)
    assert.match(text, /<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD XHTML 1\.0/)
    assert.match(text, /<title>Fruit &amp; more<\/title>/)
    assert.match(text, /Open/)
  })

  test('a document without a title gets its first heading or its file name as the title in HTML', async () => {
    const heading = await file('heading.md', 'Before.\n\n# The *heading* here\n')
    assert.match((await convertSource(heading, 'html')).text, /<title>The heading here<\/title>/)
    const textWithoutHeadings = await file('none.md', 'Only words.\n')
    const { text } = await convertSource(textWithoutHeadings, 'html', { names: ['My <letter>.md'] })
    assert.match(text, /<title>My &lt;letter&gt;<\/title>/)
  })

  test('the title of a document becomes a heading in MediaWiki, which has no title field', async () => {
    assert.match((await convertSource(notes, 'wiki')).text, /^= Field notes =\s+Ada Example\s/)
  })

  test('the subtitle, authors and date of a document become text in formats that have no such fields', async () => {
    const metadataLines =
      'title: Birds\nsubtitle: of rivers\nauthor: [Ada E, Bo F]\ndate: 2024-05-04\nabstract: In short.\n'
    const describedDocument = await file('described.md', `---\n${metadataLines}---\n\n# One\n\nWords.\n`)
    for (const to of [
      'textile',
      'jira',
      'ipynb',
      'rtf',
      'txt',
      'org',
      'adoc',
      'opml',
      'tei',
      'fb2',
    ] as const) {
      const { text } = await convertSource(describedDocument, to)
      const words = ['Birds', 'of rivers', 'Ada', 'Bo', '2024', 'In short']
      const missingWords = words.filter((word) => !text.replaceAll('\\', '').includes(word))
      assert.deepEqual(missingWords, [], to)
    }
  })

  describe('presentations', () => {
    const createTable = (text: string) => `<table><tr><td>${text}</td></tr></table>`
    const createColumns = (...texts: readonly string[]) =>
      `<div class="columns">${texts.map((text) => `<div class="column">${text}</div>`).join('')}</div>`
    async function listSlideContents(name: string, html: string): Promise<(string | undefined)[]> {
      const { path } = await convert(pandoc, await file(name, html), 'pptx')
      const slides = await readStdout('unzip', '-p', path, 'ppt/slides/*.xml')
      return [...slides.matchAll(/<a:t>([^<]*)<|<(p:pic)>/g)].map(([, text, image]) => text ?? image)
    }

    test('tables and images in containers, and tables in lists, quotations and cells, are kept', async () => {
      const html = `<div><p>Words</p><div>${createTable(`outer${createTable('inner')}`)}</div><p><img src="${pixel}"></p></div>
        <ul><li>item ${createTable('listed')}</li></ul><blockquote>${createTable('quoted')}</blockquote>`
      const contents = await listSlideContents('containers.html', html)
      assert.deepEqual(contents, ['Words', 'outer', 'inner', 'p:pic', 'item', 'listed', 'quoted'])
    })

    test('images in lines, links, lists, emphasis and cells are kept', async () => {
      const image = `<img src="${pixel}">`
      const html = `<p>before ${image} between <a href="https://example.com/">${image}</a> <b>bold ${image}</b></p>
        <ul><li>item ${image}</li></ul><table><tr><td>cell ${image}</td></tr></table><p>${image}</p>`
      const contents = (await listSlideContents('inline-images.html', html)).map((text) => text?.trim())
      assert.deepEqual(contents, [
        ...['before', 'p:pic', 'between', 'p:pic', 'bold', 'p:pic', 'item', 'p:pic'],
        ...['cell', 'p:pic', 'p:pic'],
      ])
    })

    test('tables in two columns are kept, and so is a third column', async () => {
      const html = `${createColumns('left', `<div>${createTable('right')}</div>`)}<hr>${createColumns('one', 'two', 'three')}`
      const contents = await listSlideContents('columns.html', html)
      assert.deepEqual(contents, ['left', 'right', 'one', 'two', 'three'])
    })
  })

  test('a document is read in its own character encoding', async () => {
    const latin1Document = await file('western.md', Buffer.from('Gr\xfc\xdfe', 'latin1'))
    assert.match((await convertSource(latin1Document, 'html')).text, /Grüße/)
    const utf16Document = await file('wide.rst', Buffer.from('\ufeffGrüße', 'utf16le'))
    assert.match((await convertSource(utf16Document, 'html')).text, /Grüße/)
  })

  test('a raw HTML table in Markdown is kept in Word, and title, author and abstract appear once in plain text', async () => {
    const head = '---\ntitle: The Mixed\nauthor: Ada Reed\nabstract: In short.\n---\n'
    const mixedDocument = await file('mixed.md', `${head}Words.\n\n<table><tr><td>inside</td></tr></table>\n`)
    const { text } = await convertSource(mixedDocument, 'docx')
    assert.match(text, /<w:tbl>[\s\S]*inside/)
    // Title, author and abstract appear only once each.
    const plainText = await readFile((await convert(pandoc, mixedDocument, 'txt')).path, 'utf8')
    assert.equal(plainText.match(/The Mixed|Ada Reed|In short/g)?.length, 3)
  })

  test('converting an EPUB to plain text keeps its notes, even if a note is in a separate file', async () => {
    const book = join(scratch, 'notes.epub')
    const createNote = (id: string, words: string, type = 'footnote') =>
      `<aside epub:type="${type}" id="${id}"><p>${words}</p></aside>`
    const namedNote = `<p>Here<a epub:type="noteref" href="#a">1</a>.</p>${createNote('a', 'Note by its name')}`
    const linkedNote = `<p>There<a href="#b">2</a>.</p>${createNote('b', 'Note by a link')}`
    const noteInOtherFile = `<p>Away<a epub:type="noteref" href="notes.xhtml#c">3</a>.</p>`
    const files = {
      'one.xhtml': createChapter(namedNote + linkedNote + noteInOtherFile),
      'notes.xhtml': createChapter(`<h2>Notes</h2>${createNote('c', 'Note in its own file', 'rearnote')}`),
    }
    await createEpub(book, { files, spine: ['one.xhtml', 'notes.xhtml'] })
    const text = await readFile((await convert(pandoc, book, 'txt')).path, 'utf8')
    assert.equal(text.match(/Note by its name/g)?.length, 1)
    assert.match(text, /Here¹\.[\s\S]*1\.\s+Note by its name/)
    assert.match(text, /There2\.\s+Note by a link/)
    assert.match(text, /Notes\s+Note in its own file/)
  })

  test('a BibTeX bibliography can be converted to an HTML list and to CSL JSON', async () => {
    const bib = await file('refs.bib', '@book{k, author={Donald Knuth}, title={The Art}, year={1968}}')
    assert.match((await convertSource(bib, 'html')).text, /Knuth, Donald. 1968/)
    assert.deepEqual(JSON.parse((await convertSource(bib, 'csljson')).text)[0].title, 'The art')
  })

  test('a JATS article in an XML file keeps its structure, and other XML files are converted as plain text', async () => {
    const any = await file('any.xml', '<list><entry><name>Alpha</name></entry></list>')
    assert.match((await convertSource(any, 'txt')).text, /Alpha/)
    const article = await convert(pandoc, notes, 'jats')
    const { text } = await convertSource(article.path, 'md', { from: 'xml' })
    assert.match(text, /# Kingfisher/)
  })
})

describe('images of documents', () => {
  test('images of a document are included if the target format supports them', async () => {
    const docx = await convert(pandoc, notes, 'docx')
    assert.match(await readStdout('bsdtar', '-tf', docx.path), /word\/media\/.*png/)
    assert.deepEqual(docx.warnings, [])
    for (const to of ['html', 'md', 'fb2'] as const) {
      const { text, warnings } = await convertSource(docx.path, to, { from: 'docx' })
      assert.match(text, /iVBORw0KGgo/, to)
      assert.deepEqual(warnings, [], to)
    }
    for (const to of ['odt', 'epub', 'pptx'] as const) {
      const { path } = await convert(pandoc, docx.path, to, { from: 'docx' })
      assert.match(await readStdout('bsdtar', '-tf', path), /\.png/, to)
    }
  })

  test('converting an EPUB keeps images next to inline SVG, and notes outside the reading order', async () => {
    const book = join(scratch, 'drawn.epub')
    const dot = Buffer.from(pixel.slice(pixel.indexOf(',') + 1), 'base64')
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    const text = createChapter(`<h1>One</h1>${drawing}<p>Words.<img src="dot.png" alt="dot"/></p>`)
    const notes = createChapter('<p>Words of a note.</p>')
    const files = { 'one.xhtml': text, 'notes.xhtml': notes, 'dot.png': dot }
    await createEpub(book, { files, spine: ['one.xhtml', 'notes.xhtml'], nonLinear: ['notes.xhtml'] })
    const { path, warnings } = await convert(pandoc, book, 'docx')
    assert.match(await readStdout('bsdtar', '-tf', path), /word\/media\/.*png/)
    assert.deepEqual(warnings, [])
    assert.match(await readFile((await convert(pandoc, book, 'txt')).path, 'utf8'), /Words of a note/)
  })

  test('images that cannot be included are replaced by their descriptions, with a warning', async () => {
    const { text, warnings } = await convertSource(notes, 'rst')
    assert.match(text, /a dot/)
    assert.deepEqual(warnings, ['PICTURES_DROPPED'])
    const remoteDocument = await file('elsewhere.md', '![seen elsewhere](http://127.0.0.1:9/a.png)\n')
    assert.deepEqual((await convert(pandoc, remoteDocument, 'docx')).warnings, ['PICTURES_DROPPED'])
    const page = await convertSource(remoteDocument, 'html')
    assert.match(page.text, /src="http:\/\/127/)
    assert.deepEqual(page.warnings, [])
  })
})

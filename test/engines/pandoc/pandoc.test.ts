import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { python3 } from '../../support/python.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { createChapter, createEpub } from '../support/epub-maker.ts'
import { readEbookText } from '../support/inspect-ebook.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const scratch = scratchFolder('pandoc-test')

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(scratch, name)
  await writeFile(path, content)
  return path
}

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

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
const long = await file('long.md', 'A paragraph with *some* **marks** and a [link](#x).\n\n'.repeat(60_000))

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
  long: { source: long, to: 'docx' },
})

async function convertSource(source: string, to: FormatId, settings: RunSettings = {}) {
  const run = await convert(pandoc, source, to, settings)
  const text = to === 'html' || to === 'md' || to === 'txt' ? undefined : await readEbookText(run.path)
  return { ...run, text: text ?? (await readFile(run.path, 'utf8')) }
}

describe('text boxes and comments of a Word document', () => {
  const beside = [
    ...['Pangolin', 'Okapi', 'Dugong', 'Narwhal', 'Gecko', 'Lemurs', 'Quetzal', 'Numbat', 'Tarsier'],
    'Comment by Ann: Axolotl',
  ]

  test('text boxes and comments of a Word document are kept once, after the paragraph they are anchored to', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'md')
    for (const said of beside) assert.equal(text.split(said).length, 2, said)
    assert.match(text, /Before the box\.\s+Pangolin in a text box\s+Second line of it\s+Okapi.*\s+Between/)
    assert.match(text, /remark\[\^3\]\.[\s\S]*\[\^3\]: Comment by Ann: Axolotl in a comment/)
  })

  test('text boxes and comments of a Word document are in plain text too, where table cells are separated by tabs', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'txt')
    for (const said of beside) assert.ok(text.includes(said), said)
    assert.match(text, /Name\tLegs\tHome\nWide\t\tsea\nKiwi bird\t2\ttwo Quetzal in a cell\n/)
  })

  test('text boxes and comments of a Word document are in tables of Markua, where each cell is a single line', async () => {
    const { text } = await convertSource(fixture('office/annotated.docx'), 'markua')
    assert.match(text, /\| *Kiwi bird *\| *2 *\| *two Quetzal in a cell *\|/)
    assert.doesNotMatch(text, /\[TABLE\]/)
  })

  test('text boxes and comments of a Word document are not searched for in a document that needs a password', async () => {
    await assert.rejects(convertSource(fixture('office/locked.docx'), 'md'), { code: 'FILE_ENCRYPTED' })
  })
})

describe('the content of a document', () => {
  test('the content of a document is the same after a round trip through other formats', async () => {
    for (const between of ['docx', 'odt', 'epub', 'html', 'rst', 'dbk', 'ipynb'] as const) {
      const there = await convert(pandoc, notes, between)
      const { text } = await convertSource(there.path, 'md', { from: between })
      for (const part of [
        /Field notes/,
        /# Kingfisher/,
        /\*blue\*/,
        /- +first/,
        /- +second/,
        /\|? *Day *\|?/,
        /\|? *14 *\|?/,
      ]) {
        assert.match(text, part, between)
      }
    }
  })

  test('the content of a document includes the text of links written by LibreOffice', async () => {
    const field = String.raw`{{\field{\*\fldinst HYPERLINK "https://example.com/\{a\}" }{\fldrslt {\cs15 the link}{}}}}`
    const link = await file('link.rtf', String.raw`{\rtf1\ansi see ${field} here\par}`)
    const { text } = await convertSource(link, 'wiki')
    assert.match(text, /see \[https:\/\/example\.com\S* the link\] here/)
  })

  test('the content of a document includes title and author in the metadata of an ebook', async () => {
    const { path } = await convert(pandoc, notes, 'epub')
    const meta = await readStdout('ebook-meta', path)
    assert.match(meta, /Title +: Field notes/)
    assert.match(meta, /Author\(s\) +: Ada Example/)
  })

  test('the content of a document is well-formed XML as XHTML, even with malformed raw HTML', async () => {
    const loose = await file(
      'loose.md',
      '# Fruit & more\n\nOne<br>two <b>bold\n\n<p>Open &nbsp; <img src=x>\n',
    )
    const { path, text } = await convertSource(loose, 'xhtml')
    await readStdout(python3, '-c', 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])', path)
    assert.match(text, /<!DOCTYPE html PUBLIC "-\/\/W3C\/\/DTD XHTML 1\.0/)
    assert.match(text, /<title>Fruit &amp; more<\/title>/)
    assert.match(text, /Open/)
  })

  test('the content of a document gets the first heading or the file name as title if one is needed', async () => {
    const heading = await file('heading.md', 'Before.\n\n# The *heading* here\n')
    assert.match((await convertSource(heading, 'html')).text, /<title>The heading here<\/title>/)
    const none = await file('none.md', 'Only words.\n')
    const { text } = await convertSource(none, 'html', { names: ['My <letter>.md'] })
    assert.match(text, /<title>My &lt;letter&gt;<\/title>/)
  })

  test('the content of a document includes the title as a heading if the format has no title field', async () => {
    assert.match((await convertSource(notes, 'wiki')).text, /^= Field notes =\s+Ada Example\s/)
  })

  test('the content of a document includes subtitle, authors and date as text if the format has no such fields', async () => {
    const facts =
      'title: Birds\nsubtitle: of rivers\nauthor: [Ada E, Bo F]\ndate: 2024-05-04\nabstract: In short.\n'
    const described = await file('described.md', `---\n${facts}---\n\n# One\n\nWords.\n`)
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
      const { text } = await convertSource(described, to)
      const words = ['Birds', 'of rivers', 'Ada', 'Bo', '2024', 'In short']
      const lost = words.filter((word) => !text.replaceAll('\\', '').includes(word))
      assert.deepEqual(lost, [], to)
    }
  })

  test('the content of a document is read in its own encoding', async () => {
    const western = await file('western.md', Buffer.from('Gr\xfc\xdfe', 'latin1'))
    assert.match((await convertSource(western, 'html')).text, /Grüße/)
    const wide = await file('wide.rst', Buffer.from('\ufeffGrüße', 'utf16le'))
    assert.match((await convertSource(wide, 'html')).text, /Grüße/)
  })

  test('the content of a document includes raw HTML', async () => {
    const head = '---\ntitle: The Mixed\nauthor: Ada Reed\nabstract: In short.\n---\n'
    const mixed = await file('mixed.md', `${head}Words.\n\n<table><tr><td>inside</td></tr></table>\n`)
    const { text } = await convertSource(mixed, 'docx')
    assert.match(text, /<w:tbl>[\s\S]*inside/)
    // Neither is repeated.
    const plain = await readFile((await convert(pandoc, mixed, 'txt')).path, 'utf8')
    assert.equal(plain.match(/The Mixed|Ada Reed|In short/g)?.length, 3)
  })

  test('the content of a bibliography is a list, and bibliography formats convert to each other', async () => {
    const bib = await file('refs.bib', '@book{k, author={Donald Knuth}, title={The Art}, year={1968}}')
    assert.match((await convertSource(bib, 'html')).text, /Knuth, Donald. 1968/)
    assert.deepEqual(JSON.parse((await convertSource(bib, 'csljson')).text)[0].title, 'The art')
  })

  test('the content of a document of DocBook XML is its text, of JATS XML its article', async () => {
    const any = await file('any.xml', '<list><entry><name>Alpha</name></entry></list>')
    assert.match((await convertSource(any, 'txt')).text, /Alpha/)
    const article = await convert(pandoc, notes, 'jats')
    const { text } = await convertSource(article.path, 'md', { from: 'xml' })
    assert.match(text, /# Kingfisher/)
  })
})

describe('images of a document', () => {
  test('images of a document are included if the result format supports them', async () => {
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

  test('images of a document are included from an EPUB with inline SVG, as are notes outside of the reading order', async () => {
    const book = join(scratch, 'drawn.epub')
    const dot = Buffer.from(pixel.slice(pixel.indexOf(',') + 1), 'base64')
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
    const text = createChapter(`<h1>One</h1>${drawing}<p>Words.<img src="dot.png" alt="dot"/></p>`)
    const notes = createChapter('<p>Words of a note.</p>')
    const files = { 'one.xhtml': text, 'notes.xhtml': notes, 'dot.png': dot }
    await createEpub(book, { files, spine: ['one.xhtml', 'notes.xhtml'], aside: ['notes.xhtml'] })
    const { path, warnings } = await convert(pandoc, book, 'docx')
    assert.match(await readStdout('bsdtar', '-tf', path), /word\/media\/.*png/)
    assert.deepEqual(warnings, [])
    assert.match(await readFile((await convert(pandoc, book, 'txt')).path, 'utf8'), /Words of a note/)
  })

  test('images of a document are included from an EPUB whose notes are referenced from other files, each once', async () => {
    const book = join(scratch, 'notes.epub')
    const note = (id: string, words: string, type = 'footnote') =>
      `<aside epub:type="${type}" id="${id}"><p>${words}</p></aside>`
    const named = `<p>Here<a epub:type="noteref" href="#a">1</a>.</p>${note('a', 'Note by its name')}`
    const linked = `<p>There<a href="#b">2</a>.</p>${note('b', 'Note by a link')}`
    const apart = `<p>Away<a epub:type="noteref" href="notes.xhtml#c">3</a>.</p>`
    const files = {
      'one.xhtml': createChapter(named + linked + apart),
      'notes.xhtml': createChapter(`<h2>Notes</h2>${note('c', 'Note in its own file', 'rearnote')}`),
    }
    await createEpub(book, { files, spine: ['one.xhtml', 'notes.xhtml'] })
    const text = await readFile((await convert(pandoc, book, 'txt')).path, 'utf8')
    assert.equal(text.match(/Note by its name/g)?.length, 1)
    assert.match(text, /Here¹\.[\s\S]*1\.\s+Note by its name/)
    assert.match(text, /There2\.\s+Note by a link/)
    assert.match(text, /Notes\s+Note in its own file/)
  })

  test('images of a document are replaced by their descriptions with a warning otherwise', async () => {
    const { text, warnings } = await convertSource(notes, 'rst')
    assert.match(text, /a dot/)
    assert.deepEqual(warnings, ['PICTURES_DROPPED'])
    const elsewhere = await file('elsewhere.md', '![seen elsewhere](http://127.0.0.1:9/a.png)\n')
    assert.deepEqual((await convert(pandoc, elsewhere, 'docx')).warnings, ['PICTURES_DROPPED'])
    const page = await convertSource(elsewhere, 'html')
    assert.match(page.text, /src="http:\/\/127/)
    assert.deepEqual(page.warnings, [])
  })
})

test('dropped wiki templates cause a warning with their number', async () => {
  const wiki = await file(
    'okapi.wiki',
    '{{Infobox\n| name = Okapi\n}}\n\nIt weighs {{convert|200|kg|{{abbr}}}}.<br>\n\n<nowiki>{{none}}</nowiki>\n',
  )
  for (const to of ['html', 'md', 'docx'] as const) {
    const { warnings, messages } = await convert(pandoc, wiki, to)
    assert.deepEqual(warnings, ['TEMPLATES_DROPPED'], to)
    assert.match(messages.join(), /^2 wiki templates /)
  }
  assert.deepEqual((await convert(pandoc, wiki, 'mmd')).warnings, [])
  const plain = await file('plain.wiki', "''Words'' alone.\n")
  assert.deepEqual((await convert(pandoc, plain, 'html')).warnings, [])
})

test('raw cells of a notebook are kept verbatim', async () => {
  const raw = (source: string, type?: string) => ({
    cell_type: 'raw',
    source,
    metadata: type ? { raw_mimetype: type } : {},
  })
  const cells = [
    raw('typed ```words```'),
    raw('*marked*', 'text/markdown'),
    raw('\\textbf{of TeX}', 'text/latex'),
  ]
  const book = { cells, metadata: {}, nbformat: 4, nbformat_minor: 4 }
  const notebook = await file('raw.ipynb', JSON.stringify(book))
  for (const to of ['txt', 'md', 'html', 'tex', 'rst'] as const) {
    const { path } = await convert(pandoc, notebook, to)
    const text = (await readFile(path, 'utf8')).replaceAll(/<[^>]*>/g, '')
    for (const words of [/typed ```words```/, /marked/, /\\textbf\{of TeX\}/]) assert.match(text, words, to)
    if (to === 'tex') assert.doesNotMatch(text, /verbatim\}\s*\\textbf/)
  }
})

describe('a document that references files of the machine', () => {
  /** A file that every process can read but pandoc must not include. */
  const secret = '/usr/share/common-licenses/GPL-3'
  const hostile: Readonly<Record<string, string>> = {
    'include.rst': `Words.\n\n.. include:: ${secret}\n\n.. csv-table:: t\n   :file: ${secret}\n`,
    'input.tex': `\\documentclass{article}\\begin{document}Words.\\input{${secret}}\\include{${secret}}\\lstinputlisting{${secret}}\\end{document}`,
    'include.org': `Words.\n\n#+INCLUDE: "${secret}"\n`,
    'frame.html': `<p>Words.</p><iframe src="file://${secret}"></iframe><img src="${secret}">`,
    'image.md': `Words. ![x](${secret}) ![x](file://${secret}) ![x](media/../../../../..${secret})\n`,
    'raw.md': `Words.\n\n<img src="${secret}">\n\n<video src="${secret}"></video>\n`,
    'meta.md': `---\ncss: ${secret}\nstylesheet: ${secret}\ncover-image: ${secret}\nepub-fonts: [${secret}]\nbibliography: ${secret}\nheader-includes: x\n---\n\nWords.\n`,
    'tree.pjson': JSON.stringify({
      'pandoc-api-version': [1, 22],
      meta: { css: { t: 'MetaString', c: secret }, 'epub-cover-image': { t: 'MetaString', c: secret } },
      blocks: [
        {
          t: 'Para',
          c: [
            { t: 'Str', c: 'Words.' },
            { t: 'Image', c: [['', [], []], [], [secret, '']] },
          ],
        },
        { t: 'RawBlock', c: ['html', `<img src="${secret}">`] },
      ],
    }),
  }
  let license = ''
  before(async () => {
    license = (await readFile(secret, 'utf8')).slice(0, 200).trim().split('\n')[0]?.trim() ?? ''
    assert.match(license, /GNU GENERAL/)
  })

  for (const [name, content] of Object.entries(hostile)) {
    test(`a document that references files of the machine does not include them: ${name}`, async () => {
      const source = await file(name, content)
      for (const to of ['html', 'docx', 'epub', 'fb2', 'rtf', 'odt'] as const) {
        if (name.endsWith(to)) continue
        if (name === 'include.rst') {
          await assert.rejects(convertSource(source, to), {
            code: 'INVALID_INPUT',
            message: /includes another/,
          })
          continue
        }
        const { text, path, warnings } = await convertSource(source, to)
        assert.doesNotMatch(text, /GNU GENERAL/, to)
        assert.equal(warnings.includes('INCLUDES_DROPPED'), /\.(?:tex|org)$/.test(name), to)
        if (!text.startsWith('<') && to !== 'rtf') continue
        assert.ok(!(await readFile(path)).toString('latin1').includes(license.slice(0, 20)), to)
        assert.match(text, /Words/, to)
      }
    })
  }
})

describe('a document designed to exhaust resources', () => {
  test('a document designed to exhaust resources gives a coded error', async () => {
    const loop = await file('loop.tex', '\\newcommand{\\x}{\\x\\x}\\x')
    const entities = await file(
      'entities.xml',
      '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/hostname">]><l>&a;&b;</l>',
    )
    for (const source of [loop, entities]) {
      await assert.rejects(convert(pandoc, source, 'html'), { code: 'CORRUPT_FILE' }, source)
    }
    const deep = await file('deep.html', `${'<div>'.repeat(4000)}x`)
    const sentence = /has content nested thousands of levels deep, which is not supported/
    await assert.rejects(convert(pandoc, deep, 'rst'), { code: 'UNSUPPORTED_FORMAT', message: sentence })
  })
})

test('a document that exceeds the memory limit is reported as too large, not as damaged', async () => {
  const small = { ...pandoc, limits: { ...pandoc.limits, memoryMb: 300 } }
  const source = await file('large.html', '<p>apple <b>pear</b></p>'.repeat(100_000))
  await assert.rejects(convert(small, source, 'rst'), { code: 'FILE_TOO_LARGE', message: /memory/ })
})

test('Markdown that pandoc would parse for hours is refused with the reason, and smaller cases are read', async () => {
  const assertRefusedText = async (text: string, sentence: RegExp) => {
    const source = await file('deep.md', text)
    await assert.rejects(convert(pandoc, source, 'html'), { code: 'UNSUPPORTED_FORMAT', message: sentence })
  }
  await assertRefusedText(`a\n ${'> '.repeat(1001)}x`, /has a line with 1001 nested quotations \(>\), which/)
  await assertRefusedText(`a ${'`'.repeat(5001)} b`, /has 5001 backticks in a row, which/)
  const many = `${'> '.repeat(90)}deep\n\n${'`a` '.repeat(6000)}\n\n${'a > b '.repeat(2000)}`
  const { text } = await convertSource(await file('many.md', many), 'html')
  assert.match(text, /deep/)
  assert.equal(text.split('<code>').length, 6001)
})

describe('an ebook from markup', () => {
  test('an ebook from markup supports the ebook options', async () => {
    const options = { ebookMargin: '31', ebookSmartenPunctuation: true, ebookBaseFontSize: 17 }
    const { text } = await convertSource(notes, 'epub', { options })
    assert.match(text, /margin-top: ?31pt/)
    assert.match(text, /Kingfisher/)
  })
})

test('the abstract of a document is kept once, whether or not the target supports it', async () => {
  const source = await file(
    'abstract.tex',
    String.raw`\documentclass{article}\title{Birds}\begin{document}\maketitle\begin{abstract}Kingfishers dive.\end{abstract}Herons wait.\end{document}`,
  )
  for (const to of ['txt', 'rst', 'rtf', 'wiki', 'textile', 'org', 'dbk', 'html', 'md', 'tex'] as const) {
    const { path } = await convert(pandoc, source, to)
    const text = await readFile(path, 'utf8')
    assert.equal(text.match(/Kingfishers\s+dive/g)?.length, 1, to)
    assert.ok(text.indexOf('Kingfishers') < text.indexOf('Herons'), to)
  }
  const slides = await convert(pandoc, source, 'pptx')
  assert.match(await readStdout('unzip', '-p', slides.path, 'ppt/slides/*.xml'), /Kingfishers/)
})

test('abstract and legal notice of a DocBook are kept at the start of the text', async () => {
  const source = await file(
    'abstract.dbk',
    `<article><articleinfo><title>Birds</title><author><firstname>Ada</firstname><surname>E</surname></author>
      <abstract><title>Summary</title><para>Kingfishers dive.</para></abstract>
      <legalnotice><para>All free.</para></legalnotice></articleinfo><para>Herons wait.</para></article>`,
  )
  const { path } = await convert(pandoc, source, 'txt')
  assert.match(
    await readFile(path, 'utf8'),
    /Birds\s+Ada E\s+Summary\s+Kingfishers dive.\s+All free.\s+Herons/,
  )
})

describe('a LaTeX document', () => {
  const texOf = (body: string, preamble = '') =>
    `\\documentclass{article}${preamble}\n\\begin{document}\n${body}\n\\end{document}\n`

  test('a LaTeX document keeps text in package commands, and citation keys', async () => {
    const body = String.raw`Seen\marginpar{aside} \cite[p. 5]{knuth} \fbox{boxed} \todo{ours} on page \pageref{x}.
      \begin{thebibliography}{99}\bibitem{knuth} Books. \bibitem[L]{lamport} More.\end{thebibliography}`
    const source = await file('packages.tex', texOf(body, String.raw`\newcommand{\todo}[1]{own #1}`))
    const { path, warnings } = await convert(pandoc, source, 'txt')
    const text = (await readFile(path, 'utf8')).replaceAll(/\s+/g, ' ')
    assert.match(
      text,
      /^Seen ?\[1\] \[knuth, p. 5\] boxed own ours on page \[x\]. \[knuth\] Books. \[lamport\] More. \[1\] aside/,
    )
    assert.deepEqual(warnings, [])
  })

  test('a LaTeX document causes a warning that names the commands dropped with their text', async () => {
    const body = String.raw`Seen \strange{left out} \vspace{3cm} \begin{tikzpicture}\node{a};\end{tikzpicture}`
    const source = await file('strange.tex', texOf(body, String.raw`\usepackage[x]{none}\fancyhead{words}`))
    const { warnings, messages } = await convert(pandoc, source, 'html')
    assert.deepEqual(warnings, ['COMMANDS_DROPPED'])
    assert.match(messages.join(), /^2 parts .*: \\strange, tikzpicture\.$/)
  })
})

test('dropped raw content for another format causes a warning', async () => {
  const source = await file('raw.rst', 'A word.\n\n.. raw:: latex\n\n   \\\\textbf{for TeX}\n')
  for (const [to, expected] of [
    ['html', ['RAW_PARTS_DROPPED']],
    ['docx', ['RAW_PARTS_DROPPED']],
    ['tex', []],
  ] as const) {
    assert.deepEqual((await convert(pandoc, source, to)).warnings, expected, to)
  }
})

test('notes, captions and code are kept where writers would drop them', async () => {
  const rich = await file(
    'rich.md',
    `# Birds[^head]

Diving.[^long]

| Name | Seen[^column] |
|------|---------------|
| kingfisher | \`often\` |

: Of the river

![](${pixel})

[^head]: note of the heading
[^long]: note of two

    paragraphs in all
[^column]: note of the table
`,
  )
  const words = [
    'note of the heading',
    'note of two',
    'paragraphs in all',
    'note of the table',
    'Of the river',
    'often',
  ]
  for (const to of ['adoc', 'dokuwiki', 'zimwiki', 'jira', 'xwiki', 'tei', 'opml', 'muse', 'fb2'] as const) {
    const { path } = await convert(pandoc, rich, to)
    const text = (await readFile(path, 'utf8')).replaceAll(/\s+/g, ' ')
    assert.deepEqual(
      words.filter((word) => !text.includes(word)),
      [],
      to,
    )
  }
  const text = await readFile((await convert(pandoc, rich, 'rtf')).path, 'utf8')
  assert.match(text, /\[note of the table\]/)
  assert.match(text, /footnote[^[]*note of the heading/)
})

test('tables of a FictionBook are kept, one line per row', async () => {
  const rows =
    '<tr><th align="left">Bird</th> <th>Seen</th></tr><tr><td><strong>Heron</strong></td><td colspan="2">twice</td></tr>'
  const source = await file(
    'tables.fb2',
    `<?xml version="1.0" encoding="utf-8"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description/><body><section><p>before</p><table>${rows}</table><p>after</p></section></body></FictionBook>`,
  )
  const { path } = await convert(pandoc, source, 'txt')
  assert.deepEqual((await readFile(path, 'utf8')).trim().split(/\n+/), [
    'before',
    'Bird | Seen',
    'Heron | twice',
    'after',
  ])
})

test('lists in table cells are on one line in plain text', async () => {
  const cell = '<ol start="3" type="a"><li>ibis</li><li>kite</li></ol><dl><dt>rail</dt><dd>rare</dd></dl>'
  const source = await file('lists.html', `<table><tr><td>${cell}</td><td>birds</td></tr></table>`)
  const { path } = await convert(pandoc, source, 'txt')
  assert.equal(await readFile(path, 'utf8'), 'ibis kite rail rare\tbirds\n')
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, describe, test } from 'node:test'
import { pandoc } from '../../../lib/engines/pandoc.ts'
import { readStdout } from '../support/inspect-result.ts'
import { convertSource, file, pixel } from '../support/pandoc-results.ts'
import { convert } from '../support/run-engine.ts'

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

test('dropped templates of a wiki page cause a warning with their count', async () => {
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
  const plainWiki = await file('plain.wiki', "''Words'' alone.\n")
  assert.deepEqual((await convert(pandoc, plainWiki, 'html')).warnings, [])
})

test('raw cells of a Jupyter notebook keep their text', async () => {
  const createRawBlock = (source: string, type?: string) => ({
    cell_type: 'raw',
    source,
    metadata: type ? { raw_mimetype: type } : {},
  })
  const cells = [
    createRawBlock('typed ```words```'),
    createRawBlock('*marked*', 'text/markdown'),
    createRawBlock('\\textbf{of TeX}', 'text/latex'),
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

describe('documents that reference local files', () => {
  /** A file that every process can read but pandoc must not include. */
  const secret = '/usr/share/common-licenses/GPL-3'
  const hostileSources: Readonly<Record<string, string>> = {
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

  for (const [name, content] of Object.entries(hostileSources)) {
    test(`a document does not include the local files that it references: ${name}`, async () => {
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

describe('documents that exhaust resources', () => {
  test('a document designed to exhaust resources fails with an error code', async () => {
    const loop = await file('loop.tex', '\\newcommand{\\x}{\\x\\x}\\x')
    const entities = await file(
      'entities.xml',
      '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/hostname">]><l>&a;&b;</l>',
    )
    for (const source of [loop, entities]) {
      await assert.rejects(convert(pandoc, source, 'html'), { code: 'CORRUPT_FILE' }, source)
    }
    const deepPage = await file('deep.html', `${'<div>'.repeat(4000)}x`)
    const messagePattern = /has content nested thousands of levels deep, which is not supported/
    await assert.rejects(convert(pandoc, deepPage, 'rst'), {
      code: 'UNSUPPORTED_FORMAT',
      message: messagePattern,
    })
  })
})

test('a document that exceeds the memory limit is reported as too large, not as damaged', async () => {
  const pandocWithLittleMemory = { ...pandoc, limits: { ...pandoc.limits, memoryMb: 300 } }
  const source = await file('large.html', '<p>apple <b>pear</b></p>'.repeat(100_000))
  await assert.rejects(convert(pandocWithLittleMemory, source, 'rst'), {
    code: 'FILE_TOO_LARGE',
    message: /memory/,
  })
})

test('Markdown that pandoc would parse for hours is refused with the reason, and less nested Markdown is converted', async () => {
  const assertRefusedText = async (text: string, sentence: RegExp) => {
    const source = await file('deep.md', text)
    await assert.rejects(convert(pandoc, source, 'html'), { code: 'UNSUPPORTED_FORMAT', message: sentence })
  }
  await assertRefusedText(`a\n ${'> '.repeat(1001)}x`, /has a line with 1001 nested quotations \(>\), which/)
  await assertRefusedText(`a ${'`'.repeat(5001)} b`, /has 5001 backticks in a row, which/)
  const textWithManyNodes = `${'> '.repeat(90)}deep\n\n${'`a` '.repeat(6000)}\n\n${'a > b '.repeat(2000)}`
  const { text } = await convertSource(await file('many.md', textWithManyNodes), 'html')
  assert.match(text, /deep/)
  assert.equal(text.split('<code>').length, 6001)
})

describe('an ebook from markup', () => {
  test('an ebook made from Markdown has the margin that is set by ebookMargin', async () => {
    const options = { ebookMargin: '31', ebookSmartenPunctuation: true, ebookBaseFontSize: 17 }
    const { text } = await convertSource(notes, 'epub', { options })
    assert.match(text, /margin-top: ?31pt/)
    assert.match(text, /Kingfisher/)
  })

  test('an ebook made from Markdown or Textile keeps straight punctuation if ebookSmartenPunctuation is false', async () => {
    const words = 'A "blue" bird -- seen... twice.'
    const sources = { md: words, textile: words }
    for (const [format, source] of Object.entries(sources)) {
      const path = await file(`straight.${format}`, source)
      const convertWithOptions = async (options: { ebookSmartenPunctuation?: boolean }) =>
        (await convertSource(path, 'epub', { options })).text.replaceAll('&quot;', '"')
      assert.ok((await convertWithOptions({ ebookSmartenPunctuation: false })).includes(words), format)
      assert.match(await convertWithOptions({}), /[“”]blue” bird [–—] seen… twice/, format)
    }
  })
})

test('the abstract of a document is kept once, whether or not the target format supports abstracts', async () => {
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

test('the abstract and the legal notice of a DocBook document are kept at the start of the text', async () => {
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
  const createTex = (body: string, preamble = '') =>
    `\\documentclass{article}${preamble}\n\\begin{document}\n${body}\n\\end{document}\n`

  test('a LaTeX document keeps citation keys and the text in package commands', async () => {
    const body = String.raw`Seen\marginpar{aside} \cite[p. 5]{knuth} \fbox{boxed} \todo{ours} on page \pageref{x}.
      \begin{thebibliography}{99}\bibitem{knuth} Books. \bibitem[L]{lamport} More.\end{thebibliography}`
    const source = await file('packages.tex', createTex(body, String.raw`\newcommand{\todo}[1]{own #1}`))
    const { path, warnings } = await convert(pandoc, source, 'txt')
    const text = (await readFile(path, 'utf8')).replaceAll(/\s+/g, ' ')
    assert.match(
      text,
      /^Seen ?\[1\] \[knuth, p. 5\] boxed own ours on page \[x\]. \[knuth\] Books. \[lamport\] More. \[1\] aside/,
    )
    assert.deepEqual(warnings, [])
  })

  test('a warning names the commands of a LaTeX document that are dropped together with their text', async () => {
    const body = String.raw`Seen \strange{left out} \vspace{3cm} \begin{tikzpicture}\node{a};\end{tikzpicture}`
    const source = await file(
      'strange.tex',
      createTex(body, String.raw`\usepackage[x]{none}\fancyhead{words}`),
    )
    const { warnings, messages } = await convert(pandoc, source, 'html')
    assert.deepEqual(warnings, ['COMMANDS_DROPPED'])
    assert.match(messages.join(), /^2 parts .*: \\strange, tikzpicture\.$/)
  })
})

test('raw content of a document that the target format cannot contain causes a warning', async () => {
  const source = await file('raw.rst', 'A word.\n\n.. raw:: latex\n\n   \\\\textbf{for TeX}\n')
  for (const [to, expectedText] of [
    ['html', ['RAW_PARTS_DROPPED']],
    ['docx', ['RAW_PARTS_DROPPED']],
    ['tex', []],
  ] as const) {
    assert.deepEqual((await convert(pandoc, source, to)).warnings, expectedText, to)
  }
})

test('notes, captions and code of a document are kept in formats whose pandoc writer would drop them', async () => {
  const richDocument = await file(
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
    const { path } = await convert(pandoc, richDocument, to)
    const text = (await readFile(path, 'utf8')).replaceAll(/\s+/g, ' ')
    assert.deepEqual(
      words.filter((word) => !text.includes(word)),
      [],
      to,
    )
  }
  const text = await readFile((await convert(pandoc, richDocument, 'rtf')).path, 'utf8')
  assert.match(text, /\[note of the table\]/)
  assert.match(text, /footnote[^[]*note of the heading/)
})

test('the tables of a FictionBook are kept in text, one line per row', async () => {
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

test('lists in table cells are written on one line in plain text', async () => {
  const cell = '<ol start="3" type="a"><li>ibis</li><li>kite</li></ol><dl><dt>rail</dt><dd>rare</dd></dl>'
  const source = await file('lists.html', `<table><tr><td>${cell}</td><td>birds</td></tr></table>`)
  const { path } = await convert(pandoc, source, 'txt')
  assert.equal(await readFile(path, 'utf8'), 'ibis kite rail rare\tbirds\n')
})

test('the option headers=false causes a warning in target formats that do not distinguish table headers', async () => {
  const options = { headers: false }
  const csv = await file('fruit.csv', 'apple,1\npear,2\n')
  assert.deepEqual((await convert(pandoc, csv, 'txt', { options })).warnings, ['OPTION_NOT_HELD'])
  assert.deepEqual((await convert(pandoc, csv, 'html', { options })).warnings, [])
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import iconv from 'iconv-lite'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { findHidingStyles, readRuns } from '../../lib/fidelity/office/docx-runs.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { createLog } from '../../lib/log.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { asSource, countWords, fixture, folder, summarize } from './support/read-content.ts'

test('reordered words count as retained, even if they are hyphenated, contain ligatures or change case', () => {
  const source = countWords('The office reviews five difficult contracts.')
  assert.equal(source.countSharedWith(countWords('FIVE CONTRACTS', 'the oﬃce re-\nviews diﬃ-\ncult')), 6)
  assert.equal(source.countSharedWith(countWords('The office reviews five contracts.')), 5)
})

test('words that are spelled backwards do not count as retained', () => {
  const source = countWords('one two three four five six seven eight')
  assert.equal(
    source.countSharedWith(countWords('eno owt eerht', 'one two', 'evif xis ruof neves thgie eno owt')),
    2,
  )
})

test('letter-spaced words are recognized as retained even if a title was added', () => {
  const source = countWords('The office reviews five difficult contracts before the evening.')
  const spacedOutText = [...'The office reviews five difficult contracts before the evening. Minutes'].join(
    ' ',
  )
  assert.equal(source.countSharedWith(countWords(spacedOutText)), 9)
  assert.equal(source.countSharedWith(countWords([...'The office reviews. Minutes'].join(' '))), 3)
})

test('each character counts as a word in scripts without spaces', () => {
  assert.equal(countWords('東京へ行く').total, 5)
  assert.equal(countWords('東京へ行く').countSharedWith(countWords('東京へ')), 3)
})

test('the words counted in a PDF are the ones that Poppler finds', async () => {
  const { stdout } = await promisify(execFile)('pdftotext', ['-q', fixture('report.pdf'), '-'])
  const summary = await readSummary(fixture('report.pdf'), 'pdf', asSource)
  assert.equal(summary?.counts.pages, 2)
  const words = countWords(stdout)
  assert.equal(summary.words?.countSharedWith(words), summary.words?.total)
  assert.equal(words.countSharedWith(summary.words ?? new WordCounts()), words.total)
  assert.equal(await readSummary(fixture('needs-password.pdf'), 'pdf', asSource), undefined)
})

test('words of a Word document are hidden by direct formatting or inherited styles, and shown by more specific formatting', () => {
  const createStyle = (id: string, properties: string, base = '') =>
    `<w:style w:styleId="${id}">${base && `<w:basedOn w:val="${base}"/>`}<w:rPr>${properties}</w:rPr></w:style>`
  const hidingStyles = findHidingStyles(
    `${createStyle('Quiet', '<w:vanish/>')}${createStyle('Quieter', '', 'Quiet')}${createStyle('Loud', '<w:vanish w:val="0"/>', 'Quiet')}
     ${createStyle('Ring', '', 'Ring')}<w:style w:styleId="Mark"><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:style>`,
  )
  assert.deepEqual([...hidingStyles], ['Quiet', 'Quieter'])
  const createRun = (text: string, runProperties = '') =>
    `<w:r><w:rPr>${runProperties}</w:rPr><w:t>${text}</w:t></w:r>`
  const createStyleReference = (id: string) => `<w:rStyle w:val="${id}"/>`
  const readVisibleText = (xml: string) => readRuns(`<w:p>${xml}</w:p>`, hidingStyles).text.trim()
  assert.equal(
    readVisibleText(
      `${createRun('a')}${createRun('b', '<w:vanish/>')}${createRun('c', createStyleReference('Quieter'))}${createRun('d')}`,
    ),
    'ad',
  )
  const quietProperties = '<w:pPr><w:pStyle w:val="Quieter"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:pPr>'
  assert.equal(
    readVisibleText(
      `${quietProperties}${createRun('a')}${createRun('b', '<w:vanish w:val="false"/>')}${createRun('c', createStyleReference('Quiet'))}`,
    ),
    'bc',
  )
  assert.equal(readVisibleText(`<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${createRun('a')}`), 'a')
})

test('the words of a text file are counted in its detected or the requested encoding', async () => {
  const originalText = 'Съешь ещё этих мягких французских булок, да выпей чаю. '.repeat(3)
  const expectedWords = countWords(originalText)
  const countRecognized = async (name: string, encoding: string, requestedCharset?: string) => {
    const path = join(folder, name)
    await writeFile(path, iconv.encode(originalText, encoding))
    const format = name.slice(name.lastIndexOf('.') + 1) as FormatId // The extensions of the names below are format ids.
    const summary = await readSummary(path, format, { isResult: false, encoding: requestedCharset })
    return expectedWords.countSharedWith(summary?.words ?? new WordCounts())
  }
  assert.equal(await countRecognized('russian.txt', 'koi8-r'), expectedWords.total)
  assert.equal(await countRecognized('russian.csv', 'utf-16le'), expectedWords.total)
  assert.equal(await countRecognized('russian.srt', 'windows-1251'), expectedWords.total)
  // This encoding cannot be detected.
  assert.ok((await countRecognized('russian.md', 'ibm855')) < expectedWords.total)
  assert.equal(await countRecognized('russian.md', 'ibm855', 'ibm855'), expectedWords.total)
})

test('markup, scripts and numbers do not count as words', async () => {
  const html =
    '<head><title>no</title></head><p>H<sub>2</sub>O is <b>w</b>ater<script>no()</script> &amp; ice'
  assert.equal((await summarize('a.html', html))?.words?.countSharedWith(countWords('H O is water ice')), 5)
  assert.equal((await summarize('a.html', html))?.words?.total, 5)
  const md = '---\nkeywords: no\n---\n# Head\n[link](https://example.org/no) and ![an image](no.png)\n'
  assert.equal((await summarize('a.md', md))?.words?.total, 5)
  const rtf = "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}caf\\'e9 {\\*\\no this}\\u8364?\\par{\\v hidden}seen}"
  assert.equal((await summarize('a.rtf', rtf))?.words?.countSharedWith(countWords('café seen')), 2)
  assert.equal((await summarize('a.rtf', rtf))?.words?.total, 2)
})

test('formulas, comments and metadata of a document do not count as words, but its title does', async () => {
  const formulas = String.raw`$e^{i\pi}$ and $$
\sum_{no}^{\infty} \frac{no}{no}
$$ cost $5 or $10 \(x \in \mathbb{R}\)`
  const frontMatter =
    '---\ntitle: The walrus\nauthor: Ann\nkeywords: [no]\nheader-includes:\n  - \\usepackage{no}\n...\n'
  const texts = {
    'a.md': `${frontMatter}<!-- no\nno -->${formulas}\n![seen](no.png){width=50%}\n`,
    'a.org': `#+TITLE: The walrus\n#+AUTHOR: Ann\n#+OPTIONS: no:nil\n* seen\nSCHEDULED: <2026-11-26 Thu>\n:LOGBOOK:\n- State no\n:END:\n${formulas}\n# no\n* COMMENT no\nno\n`,
    'a.rst': `The walrus\n==========\nAnn and :math:\`no\` cost or seen\n\n.. math::\n\n   \\frac{no}{no}\n\n.. no\n   no\n\n.. meta::\n   :keywords: no\n`,
    'a.wiki': '{{no|{{no}} no}}The walrus <math>\\frac{no}</math>Ann and cost <!-- no\nno -->or seen\n',
    'a.dbk':
      '<article><title>The walrus</title><info><keywordset><keyword>no</keyword></keywordset></info><para>Ann and cost or seen</para></article>',
  }
  for (const [name, text] of Object.entries(texts)) {
    const words = (await summarize(name, text))?.words
    assert.equal(words?.countSharedWith(countWords('The walrus Ann and cost or seen')), words?.total, name)
    assert.equal(words?.total, 7, name)
  }
})

test('comments are reported as dropped only if the text of the result does not contain them', async () => {
  const remark =
    '<office:annotation><dc:creator>Ann</dc:creator><text:p>rather blue</text:p></office:annotation>'
  const document = join(folder, 'remarks.fodt')
  const body = `<office:text><text:p>One two three${remark} four</text:p></office:text>`
  await writeFile(document, `<office:document><office:body>${body}</office:body></office:document>`)
  const listDroppedFeatures = async (page: string, ...moreTargets: readonly FormatId[]) => {
    const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
    detector.start([{ path: document, format: 'fodt' }])
    let from: FormatId = 'fodt'
    for (const to of ['html', ...moreTargets] as const) {
      const path = join(folder, `remarks.${to}`)
      await writeFile(path, page)
      await detector.checkStep({ operation: 'convert', from, to, options: {} }, { files: [{ path }] }, [])
      from = to
    }
    return detector.fidelity?.dropped
  }
  assert.deepEqual(await listDroppedFeatures('<p>One two three four'), ['comments'])
  assert.deepEqual(await listDroppedFeatures('<p>One two three four, blue'), [], 'half of it')
  assert.deepEqual(await listDroppedFeatures('<p>One two three [rather blue] four', 'txt'), [])
})

test('the text, code and output of a notebook count as words', async () => {
  const cells = [
    {
      cell_type: 'markdown',
      source: ['# The walrus\n', 'and [Ann](https://example.org/no) $\\frac{no}{no}$'],
    },
    {
      cell_type: 'code',
      source: 'print(cost)',
      outputs: [
        { output_type: 'stream', text: ['or\n', 'seen'] },
        { output_type: 'execute_result', data: { 'text/plain': 'no', 'text/html': '<b>no</b>' } },
        { output_type: 'execute_result', data: { 'text/html': ['<b>by</b>'] } },
        { output_type: 'display_data', data: { 'image/png': 'bm8=' } },
        { output_type: 'error', traceback: ['\u001b[31mnobody\u001b[0m'] },
      ],
    },
    { cell_type: 'raw', source: ['in ', 'Rome'], metadata: {} },
    { cell_type: 'raw', source: '\\no', metadata: { raw_mimetype: 'text/latex' } },
  ]
  const words = (await summarize('a.ipynb', JSON.stringify({ cells, nbformat: 4 })))?.words
  assert.equal(
    words?.countSharedWith(countWords('The walrus and Ann print cost or seen by nobody in Rome')),
    12,
  )
  assert.equal(words?.total, 12)
  assert.equal(await summarize('b.ipynb', '{"cells": ['), undefined)
})

test('the items and notes of an OPML outline count as words', async () => {
  const opml = `<opml version="2.0"><head><title>no</title></head><body><!-- <outline text="no"/> -->
    <outline text="The &lt;b&gt;walrus&lt;/b&gt; &amp;amp; Ann" _note="*cost* or"><outline xmlUrl="https://no" text='seen'/></outline>
  </body></opml>`
  const words = (await summarize('a.opml', opml))?.words
  assert.equal(words?.countSharedWith(countWords('The walrus Ann cost or seen')), 6)
  assert.equal(words?.total, 6)
})

test('characters of a Word document that a font draws as symbols are not counted as words', () => {
  const createFontRun = (font: string, more = '') =>
    `<w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}"/>${more}</w:rPr><w:t>${font} </w:t></w:r>`
  const change = '<w:rPrChange><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:rPrChange>'
  const xml = ['Wingdings', 'Arial', 'Wingdings 3', 'symbol'].map((font) => createFontRun(font)).join('')
  const { text } = readRuns(
    `<w:p>${xml}<w:r><w:t>plain </w:t></w:r>${createFontRun('Calibri', change)}</w:p>`,
  )
  assert.deepEqual(text.trim().split(/\s+/), ['Arial', 'plain', 'Calibri'])
})

test('characters of a symbol font in an RTF are not counted as words', async () => {
  const fonts = '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fnil\\fcharset2 Wingdings;}}'
  const rtf = `{\\rtf1\\ansi\\deff0${fonts}\\f1 J\\'fc{\\f0 smile}\\plain  by email}`
  assert.equal((await summarize('a.rtf', rtf))?.words?.countSharedWith(countWords('smile by email')), 3)
  assert.equal((await summarize('a.rtf', rtf))?.words?.total, 3)
})

test('the words of files with unclosed markup are counted quickly', async () => {
  const startedAtMs = performance.now()
  await summarize('a.html', '<script>'.repeat(100_000))
  await summarize('b.html', '<'.repeat(250_000))
  await summarize('a.md', '['.repeat(150_000))
  await summarize('b.md', '<a '.repeat(150_000))
  for (const start of ['<!--', '$', '$$ ', '\\(', '\\[', '\\begin{equation}', '{a=', '---\n'])
    await summarize('c.md', start.repeat(100_000))
  for (const start of [':A:\n', '#+BEGIN_COMMENT\n', '* COMMENT\n', '[2026-11-26'])
    await summarize('a.org', start.repeat(100_000))
  for (const start of ['.. math::\n', '.. a\n', '..\n\n', ':math:`'])
    await summarize('a.rst', start.repeat(100_000))
  await summarize('a.rtf', `{\\rtf1${'{\\*\\a'.repeat(150_000)}`)
  for (const start of [' text="', ' text=', '<!--']) await summarize('a.opml', start.repeat(100_000))
  await summarize('a.wiki', '{{'.repeat(100_000))
  await summarize('a.tex', '\\begin{'.repeat(100_000))
  await summarize('a.pdf', `%PDF-1.4\nxref\n${'1'.repeat(1_000_000)}\ntrailer<<>>\nstartxref\n9\n%%EOF`)
  await summarize('b.pdf', `%PDF-1.4\n${'['.repeat(250_000)}\nstartxref\n9\n%%EOF`)
  assert.ok(performance.now() - startedAtMs < 5000, `${performance.now() - startedAtMs} ms`)
})

test('the content of a file is not counted if its bytes are not in the format of its file extension', async () => {
  for (const name of ['a.docx', 'a.xlsx', 'a.pptx', 'a.pdf', 'a.wav', 'a.mp3', 'a.ttf', 'a.woff2', 'a.epub'])
    assert.equal(await summarize(name, Buffer.alloc(300, 'PK\x05\x06RIFF')), undefined, name)
})

test('OpenDocument comments are read up to their end, and unclosed ones are ignored', async () => {
  const body =
    '<office:annotation><text:p>a remark</text:p></office:annotation>seen<office:annotation-end/> more of it'
  const path = join(scratchFolder('remarks'), 'remarks.fodt')
  const countComments = async (xml: string) => {
    await writeFile(path, `<office:document>${xml}</office:document>`)
    return (await readSummary(path, 'fodt', { isResult: false }))?.commentWords?.total
  }
  assert.equal(await countComments(`${body} ${body}`), 4)
  // A regular expression that searches for the end of each comment would take hours.
  assert.equal(await countComments('<office:annotation>'.repeat(1_000_000)), undefined)
})

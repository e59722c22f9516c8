import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import iconv from 'iconv-lite'
import { LossDetector } from '../../lib/fidelity/loss-detector.ts'
import { findHidingStyles, readRuns } from '../../lib/fidelity/office/docx-runs.ts'
import { readSummary } from '../../lib/fidelity/read-summary.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { createLog } from '../../lib/log.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const folder = scratchFolder('counted')
const asSource = { isResult: false }

function countWords(...texts: string[]): WordCounts {
  const words = new WordCounts()
  for (const text of texts) words.add(text)
  return words
}

async function summarize(name: string, content: string | Buffer, isResult = false) {
  const path = join(folder, name)
  await writeFile(path, content)
  // The extensions of the names below are format ids.
  return readSummary(path, name.slice(name.lastIndexOf('.') + 1) as FormatId, { isResult })
}

test('words are recognized in any order, hyphenated, with ligatures and in another case', () => {
  const source = countWords('The office reviews five difficult contracts.')
  assert.equal(source.countSharedWith(countWords('FIVE CONTRACTS', 'the oﬃce re-\nviews diﬃ-\ncult')), 6)
  assert.equal(source.countSharedWith(countWords('The office reviews five contracts.')), 5)
})

test('added page headers do not compensate for missing characters', () => {
  const source = countWords('one two three four five six seven eight')
  assert.equal(
    source.countSharedWith(countWords('eno owt eerht', 'one two', 'evif xis ruof neves thgie eno owt')),
    2,
  )
})

test('letter-spaced words are recognized even if a title was added', () => {
  const source = countWords('The office reviews five difficult contracts before the evening.')
  const letterSpaced = [...'The office reviews five difficult contracts before the evening. Minutes'].join(
    ' ',
  )
  assert.equal(source.countSharedWith(countWords(letterSpaced)), 9)
  assert.equal(source.countSharedWith(countWords([...'The office reviews. Minutes'].join(' '))), 3)
})

test('in scripts without spaces, each character counts as a word', () => {
  assert.equal(countWords('東京へ行く').total, 5)
  assert.equal(countWords('東京へ行く').countSharedWith(countWords('東京へ')), 3)
})

test('the words counted in a PDF are those that poppler finds', async () => {
  const { stdout } = await promisify(execFile)('pdftotext', ['-q', fixture('report.pdf'), '-'])
  const summary = await readSummary(fixture('report.pdf'), 'pdf', asSource)
  assert.equal(summary?.counts.pages, 2)
  const words = countWords(stdout)
  assert.equal(summary.words?.countSharedWith(words), summary.words?.total)
  assert.equal(words.countSharedWith(summary.words ?? new WordCounts()), words.total)
  assert.equal(await readSummary(fixture('needs-password.pdf'), 'pdf', asSource), undefined)
})

test('words in Word are hidden by direct formatting or inherited styles, and shown by more specific formatting', () => {
  const style = (id: string, looks: string, base = '') =>
    `<w:style w:styleId="${id}">${base && `<w:basedOn w:val="${base}"/>`}<w:rPr>${looks}</w:rPr></w:style>`
  const hiding = findHidingStyles(
    `${style('Quiet', '<w:vanish/>')}${style('Quieter', '', 'Quiet')}${style('Loud', '<w:vanish w:val="0"/>', 'Quiet')}
     ${style('Ring', '', 'Ring')}<w:style w:styleId="Mark"><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr></w:style>`,
  )
  assert.deepEqual([...hiding], ['Quiet', 'Quieter'])
  const run = (text: string, looks = '') => `<w:r><w:rPr>${looks}</w:rPr><w:t>${text}</w:t></w:r>`
  const styleReference = (id: string) => `<w:rStyle w:val="${id}"/>`
  const visibleText = (xml: string) => readRuns(`<w:p>${xml}</w:p>`, hiding).text.trim()
  assert.equal(
    visibleText(`${run('a')}${run('b', '<w:vanish/>')}${run('c', styleReference('Quieter'))}${run('d')}`),
    'ad',
  )
  const quiet = '<w:pPr><w:pStyle w:val="Quieter"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:pPr>'
  assert.equal(
    visibleText(
      `${quiet}${run('a')}${run('b', '<w:vanish w:val="false"/>')}${run('c', styleReference('Quiet'))}`,
    ),
    'bc',
  )
  assert.equal(visibleText(`<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('a')}`), 'a')
})

test('a text is read in its own or the requested encoding', async () => {
  const original = 'Съешь ещё этих мягких французских булок, да выпей чаю. '.repeat(3)
  const expected = countWords(original)
  const countRecognized = async (name: string, encoding: string, requested?: string) => {
    const path = join(folder, name)
    await writeFile(path, iconv.encode(original, encoding))
    const format = name.slice(name.lastIndexOf('.') + 1) as FormatId // The extensions of the names below are format ids.
    const summary = await readSummary(path, format, { isResult: false, encoding: requested })
    return expected.countSharedWith(summary?.words ?? new WordCounts())
  }
  assert.equal(await countRecognized('russian.txt', 'koi8-r'), expected.total)
  assert.equal(await countRecognized('russian.csv', 'utf-16le'), expected.total)
  assert.equal(await countRecognized('russian.srt', 'windows-1251'), expected.total)
  // This encoding cannot be detected.
  assert.ok((await countRecognized('russian.md', 'ibm855')) < expected.total)
  assert.equal(await countRecognized('russian.md', 'ibm855', 'ibm855'), expected.total)
})

test('the content of fixtures is counted by format', async () => {
  const counts = async (name: string, format: FormatId) =>
    (await readSummary(fixture(name), format, asSource))?.counts
  assert.deepEqual(await counts('office/workbook.xlsx', 'xlsx'), { sheets: 2, cells: 34 })
  assert.deepEqual(await counts('office/slides.odp', 'odp'), { slides: 2 })
  assert.equal(await counts('office/locked.ppt', 'ppt'), undefined)
  const formula = await readSummary(fixture('office/formula.docx'), 'docx', asSource)
  assert.deepEqual(formula?.features, ['equations', 'selectableText'])
  assert.deepEqual(await counts('pages.tiff', 'tiff'), { pages: 3 })
  assert.deepEqual(await counts('animated.gif', 'gif'), { frames: 3 })
  assert.deepEqual(await counts('animated.webp', 'webp'), { frames: 3 })
  assert.deepEqual(await counts('animated.apng', 'apng'), { frames: 3 })
  for (const format of ['srt', 'vtt', 'ass', 'smi', 'lrc', 'sub', 'mpl2'] as const) {
    const summary = await readSummary(fixture(`subtitles.${format}`), format, asSource)
    assert.deepEqual([summary?.counts.cues, summary?.words?.total], [2, 12], format)
  }
  const drawingPath = join(folder, 'drawn.ass')
  const shape = 'Dialogue: 0,0:00:06.00,0:00:07.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 0{\\p0}\n'
  await writeFile(drawingPath, `${await readFile(fixture('subtitles.ass'), 'utf8')}${shape}`)
  const withDrawing = await readSummary(drawingPath, 'ass', asSource)
  assert.deepEqual([withDrawing?.counts.cues, withDrawing?.words?.total], [2, 12])
  const styleReference = join(folder, 'styled.vtt')
  await writeFile(
    styleReference,
    'WEBVTT\n\nSTYLE\n::cue {\n  color: lime\n}\n\n00:01.000 --> 00:02.000\none two\n',
  )
  assert.equal((await readSummary(styleReference, 'vtt', asSource))?.words?.total, 2)
  const short = await readSummary(fixture('odd/short-lines.ass'), 'ass', asSource)
  assert.deepEqual([short?.counts.cues, short?.words?.total], [2, 5])
})

test('the counted audio duration matches ffprobe', async () => {
  const names = ['tone.wav', 'tone.flac', 'tone.ogg', 'tone.mp3', 'tone.m4a', 'surround.flac']
  await Promise.all(
    names.map(async (name) => {
      const show = ['-v', 'error', '-show_entries', 'stream=channels,duration', '-of', 'csv=p=0']
      const { stdout } = await promisify(execFile)('ffprobe', [...show, fixture(name)])
      const [channels, seconds = 0] = stdout.split(',').map(Number)
      const format = name.slice(name.lastIndexOf('.') + 1) as FormatId // The extensions of the names above are format ids.
      const summary = await readSummary(fixture(name), format, asSource)
      assert.equal(summary?.counts.channels ?? channels, channels, name)
      assert.ok(
        Math.abs((summary?.seconds ?? 0) - seconds) < 0.05,
        `${name}: ${summary?.seconds} of ${seconds}`,
      )
    }),
  )
})

test('audio and video files of older formats have the duration of their source', async () => {
  const audioFormats: FormatId[] = ['wma', 'ac3', 'aac', 'au', 'caf', 'wv', 'tta', 'w64', 'aif']
  const videoFormats: FormatId[] = ['avi', 'wmv', 'flv']
  const pathOf = (extension: string) => join(folder, `made.${extension}`)
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-y', '-i', fixture('tone.wav'), '-i', fixture('film.mp4')],
    ...audioFormats.flatMap((extension) => ['-map', '0:a', '-ar', '44100', pathOf(extension)]),
    ...videoFormats.flatMap((extension) => ['-map', '1', '-ar', '44100', pathOf(extension)]),
  ])
  const tone = await readSummary(fixture('tone.wav'), 'wav', asSource)
  const video = await readSummary(fixture('film.mp4'), 'mp4', asSource)
  for (const format of [...audioFormats, ...videoFormats]) {
    const isVideo = videoFormats.includes(format)
    const seconds = (isVideo ? video : tone)?.seconds ?? 0
    const summary = await readSummary(pathOf(format), format, asSource)
    // Encoders pad the last frame.
    assert.ok(
      Math.abs((summary?.seconds ?? 0) - seconds) < 0.15,
      `${format}: ${summary?.seconds} of ${seconds}`,
    )
    assert.deepEqual(summary?.features, isVideo ? ['film', 'sound'] : ['sound'], format)
    assert.equal(summary?.counts.channels ?? 1, 1, format)
  }
})

test('a video converted to audio retains its audio track, even if that starts late or ends early', async () => {
  const pathOf = (name: string) => join(folder, name)
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc=duration=6:size=32x32:rate=10'],
    ...['-itsoffset', '3', '-f', 'lavfi', '-i', 'sine=duration=3', '-f', 'lavfi', '-i', 'sine=duration=3'],
    ...['-map', '0', '-map', '1', pathOf('late.mp4'), '-map', '0', '-map', '2', pathOf('early.avi')],
    ...['-map', '2', pathOf('whole.mp3'), '-map', '2', '-t', '1', pathOf('cut.mp3')],
  ])
  const measure = async (video: string, format: FormatId, name: string) => {
    const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
    detector.start([{ path: pathOf(video), format }])
    const step = { operation: 'convert', from: format, to: 'mp3', options: {} } as const
    await detector.checkStep(step, { files: [{ path: pathOf(name) }] }, [])
    const { source, result } = detector.fidelity?.seconds ?? {}
    return {
      seconds: [source, result].map((one) => Math.round(one ?? 0)),
      isShort: detector.shortfall !== undefined,
    }
  }
  for (const [video, format] of [
    ['late.mp4', 'mp4'],
    ['early.avi', 'avi'],
  ] as const) {
    assert.deepEqual(await measure(video, format, 'whole.mp3'), { seconds: [3, 3], isShort: false }, video)
    assert.deepEqual(await measure(video, format, 'cut.mp3'), { seconds: [3, 1], isShort: true }, video)
  }
})

test('files in archives are counted, folders and links are not', async () => {
  const tree = join(folder, 'tree')
  await mkdir(join(tree, 'below'), { recursive: true })
  for (const name of ['a.txt', 'b.txt', 'below/c.txt']) await writeFile(join(tree, name), name.repeat(9))
  await symlink('a.txt', join(tree, 'link'))
  const run = promisify(execFile)
  const kinds = { tar: 'ustar', tgz: 'ustar', tzst: 'ustar', cpio: 'newc' }
  for (const [format, kind] of Object.entries(kinds)) {
    const path = join(folder, `tree.${format}`)
    const compressionArgs = { tgz: ['--gzip'], tzst: ['--zstd'] }[format] ?? []
    await run('bsdtar', ['-c', '--format', kind, ...compressionArgs, '-f', path, '-C', tree, '.'])
    // The extensions of the names above are format ids.
    assert.deepEqual((await readSummary(path, format as FormatId, asSource))?.counts, { entries: 3 }, format)
  }
  const flat = join(folder, 'flat.ar')
  await run('bsdtar', ['-c', '--format', 'ar', '-f', flat, '-C', tree, 'a.txt', 'b.txt'])
  assert.deepEqual((await readSummary(flat, 'ar', asSource))?.counts, { entries: 2 })
})

test('sparse files are counted in old and new GNU tar archives', async () => {
  const tree = join(folder, 'holes')
  await mkdir(tree)
  // The header contains four entries of the sparse map, each following block 21.
  for (const [name, parts] of Object.entries({ 'few.bin': 2, 'many.bin': 40 })) {
    await using file = await open(join(tree, name), 'w')
    for (let part = 0; part < parts; part++) await file.write('apple'.repeat(900), part * 65_536)
  }
  await writeFile(join(tree, 'none.txt'), 'apple')
  for (const kind of ['oldgnu', 'gnu', 'pax']) {
    const path = join(folder, `holes-${kind}.tar`)
    const files = ['few.bin', 'many.bin', 'none.txt']
    const args = ['--sparse', `--format=${kind}`, '-cf', path, '-C', tree, ...files]
    await promisify(execFile)('tar', args)
    assert.deepEqual((await readSummary(path, 'tar', asSource))?.counts, { entries: 3 }, kind)
  }
})

test('cells of a table are counted with the separator of its fields', async () => {
  const countCells = async (table: string, delimiter?: string) => {
    const path = join(folder, 'parted.csv')
    await writeFile(path, table)
    return (await readSummary(path, 'csv', { ...asSource, delimiter }))?.counts.cells
  }
  assert.equal(await countCells('name|size\none|a, b\ntwo|c; d\n'), 6)
  assert.equal(await countCells('name\tsize\r\none\ta, b\r\n'), 4)
  assert.equal(await countCells('sep=|\na|b\n1,5|2\n'), 4)
  assert.equal(await countCells('a^b^c\n1^2^3\n', '^'), 6)
  assert.equal(await countCells('a b\n1 2\n', 'space'), 4)
  assert.equal(await countCells('size,text\n5" pipe,"a ""quoted"", one"\n6",\n'), 5)
  const result = await summarize('parted-result.csv', 'a;b;c,d\n', true)
  assert.equal(result?.counts.cells, 2)
})

test('OpenDocument cells count as often as they are repeated, with the text of shapes and without comments', async () => {
  const cell = (content: string, attributes = '') =>
    `<table:table-cell${attributes}><text:p>${content}</text:p></table:table-cell>`
  const shape = (words: string) => `<draw:rect svg:width="3cm"><text:p>${words}</text:p></draw:rect>`
  const note = '<office:annotation><text:p>a note</text:p></office:annotation>'
  const twice = ' table:number-columns-repeated="2"'
  const rows = [
    `<table:table-row>${cell('plain')}<table:table-cell/>${cell('Äpfel &amp; Birnen', twice)}${cell(' ')}</table:table-row>`,
    `<table:table-row table:number-rows-repeated="3">${cell('sin<text:span>gle</text:span><text:s/>word', twice)}`,
    `${cell('far', ' table:number-columns-repeated="16384"')}</table:table-row>`,
    `<table:table-row><table:table-cell>${note}${shape('in shape')}<text:p>beside</text:p></table:table-cell>`,
    `${cell('3', ' table:formula="of:=1+2"')}${cell('<![CDATA[raw > words]]>')}<!-- no > cell --></table:table-row>`,
  ]
  const sheet = `<table:table table:name="one">${shape('on sheet')}${rows.join('')}</table:table>`
  const summary = await summarize('odd.fods', `<office:document>${sheet}${sheet}</office:document>`)
  assert.deepEqual(summary?.counts, { sheets: 2, cells: 2 * (1 + 2 + 6 + 3 + 3) })
  // Twice the words of a sheet: one plain, two cells with two, six with two, three, seven in the last row and shape.
  assert.equal(summary.words?.total, 2 * (1 + 4 + 12 + 3 + 7))
  const once = countWords(
    'plain',
    'äpfel',
    'birnen',
    'single',
    'word',
    'far',
    'in shape',
    'beside',
    'raw words',
    'on sheet',
  )
  assert.equal(once.countSharedWith(summary.words ?? new WordCounts()), once.total)
  assert.deepEqual([...summary.features].sort(), ['comments', 'formulas', 'selectableText'])
})

test('the cells of a binary workbook are counted', async () => {
  assert.deepEqual((await readSummary(fixture('fruit.xlsb'), 'xlsb', asSource))?.counts, {
    sheets: 1,
    cells: 8,
  })
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

test('formulas, comments and metadata do not count as words, but the title does', async () => {
  const formulas = String.raw`$e^{i\pi}$ and $$
\sum_{no}^{\infty} \frac{no}{no}
$$ cost $5 or $10 \(x \in \mathbb{R}\)`
  const front =
    '---\ntitle: The walrus\nauthor: Ann\nkeywords: [no]\nheader-includes:\n  - \\usepackage{no}\n...\n'
  const texts = {
    'a.md': `${front}<!-- no\nno -->${formulas}\n![seen](no.png){width=50%}\n`,
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

test('comments are only reported as dropped if the text of the result does not contain them', async () => {
  const remark =
    '<office:annotation><dc:creator>Ann</dc:creator><text:p>rather blue</text:p></office:annotation>'
  const document = join(folder, 'remarks.fodt')
  const body = `<office:text><text:p>One two three${remark} four</text:p></office:text>`
  await writeFile(document, `<office:document><office:body>${body}</office:body></office:document>`)
  const droppedFeatures = async (page: string, ...more: readonly FormatId[]) => {
    const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
    detector.start([{ path: document, format: 'fodt' }])
    let from: FormatId = 'fodt'
    for (const to of ['html', ...more] as const) {
      const path = join(folder, `remarks.${to}`)
      await writeFile(path, page)
      await detector.checkStep({ operation: 'convert', from, to, options: {} }, { files: [{ path }] }, [])
      from = to
    }
    return detector.fidelity?.dropped
  }
  assert.deepEqual(await droppedFeatures('<p>One two three four'), ['comments'])
  assert.deepEqual(await droppedFeatures('<p>One two three four, blue'), [], 'half of it')
  assert.deepEqual(await droppedFeatures('<p>One two three [rather blue] four', 'txt'), [])
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

test('files of unclosed markup are read quickly', async () => {
  const started = performance.now()
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
  assert.ok(performance.now() - started < 5000, `${performance.now() - started} ms`)
})

test('a truncated file or one with another format is not counted', async () => {
  for (const name of ['a.docx', 'a.xlsx', 'a.pptx', 'a.pdf', 'a.wav', 'a.mp3', 'a.ttf', 'a.woff2', 'a.epub'])
    assert.equal(await summarize(name, Buffer.alloc(300, 'PK\x05\x06RIFF')), undefined, name)
})

test('OpenDocument comments are read up to their end, and unclosed ones are ignored', async () => {
  const body =
    '<office:annotation><text:p>a remark</text:p></office:annotation>seen<office:annotation-end/> more of it'
  const path = join(scratchFolder('remarks'), 'remarks.fodt')
  const commentsIn = async (xml: string) => {
    await writeFile(path, `<office:document>${xml}</office:document>`)
    return (await readSummary(path, 'fodt', { isResult: false }))?.commentWords?.total
  }
  assert.equal(await commentsIn(`${body} ${body}`), 4)
  // An expression that searches for the end from each start would take hours.
  assert.equal(await commentsIn('<office:annotation>'.repeat(1_000_000)), undefined)
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readSummary } from '../../lib/decoders/read-summary.ts'
import { WordCounts } from '../../lib/fidelity/text/word-counts.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { LossDetector } from '../../lib/jobs/run/loss-detector.ts'
import { createLog } from '../../lib/log.ts'
import { asSource, countWords, fixture, folder, summarize } from './support/read-content.ts'

test('the content summary counts cells, slides, pages, frames and subtitle cues', async () => {
  const readCounts = async (name: string, format: FormatId) =>
    (await readSummary(fixture(name), format, asSource))?.counts
  assert.deepEqual(await readCounts('office/workbook.xlsx', 'xlsx'), { sheets: 2, cells: 34 })
  const noElements = { images: 0, imageArea: 0, links: 0, tables: 0, fields: 0, checkedFields: 0 }
  assert.deepEqual(await readCounts('office/slides.odp', 'odp'), { slides: 2, ...noElements })
  assert.equal(await readCounts('office/locked.ppt', 'ppt'), undefined)
  const formulaSummary = await readSummary(fixture('office/formula.docx'), 'docx', asSource)
  assert.deepEqual(formulaSummary?.features, ['equations', 'selectableText'])
  assert.deepEqual(await readCounts('pages.tiff', 'tiff'), { pages: 3 })
  assert.deepEqual(await readCounts('animated.gif', 'gif'), { frames: 3 })
  assert.deepEqual(await readCounts('animated.webp', 'webp'), { frames: 3 })
  assert.deepEqual(await readCounts('animated.apng', 'apng'), { frames: 3 })
  for (const format of ['srt', 'vtt', 'ass', 'smi', 'lrc', 'sub', 'mpl2'] as const) {
    const summary = await readSummary(fixture(`subtitles.${format}`), format, asSource)
    assert.deepEqual([summary?.counts.cues, summary?.words?.total], [2, 12], format)
  }
  const drawingPath = join(folder, 'drawn.ass')
  const shape = 'Dialogue: 0,0:00:06.00,0:00:07.00,Default,,0,0,0,,{\\p1}m 0 0 l 9 0{\\p0}\n'
  await writeFile(drawingPath, `${await readFile(fixture('subtitles.ass'), 'utf8')}${shape}`)
  const summary = await readSummary(drawingPath, 'ass', asSource)
  assert.deepEqual([summary?.counts.cues, summary?.words?.total], [2, 12])
  const styledPath = join(folder, 'styled.vtt')
  await writeFile(
    styledPath,
    'WEBVTT\n\nSTYLE\n::cue {\n  color: lime\n}\n\n00:01.000 --> 00:02.000\none two\n',
  )
  assert.equal((await readSummary(styledPath, 'vtt', asSource))?.words?.total, 2)
  const shortLinesSummary = await readSummary(fixture('odd/short-lines.ass'), 'ass', asSource)
  assert.deepEqual([shortLinesSummary?.counts.cues, shortLinesSummary?.words?.total], [2, 5])
})

test('the duration in the content summary of audio matches ffprobe', async () => {
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

test('the content summary of audio and video in older formats has the duration of the source', async () => {
  const audioFormats: FormatId[] = ['wma', 'ac3', 'aac', 'au', 'caf', 'wv', 'tta', 'w64', 'aif']
  const videoFormats: FormatId[] = ['avi', 'wmv', 'flv']
  const getPath = (extension: string) => join(folder, `made.${extension}`)
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-y', '-i', fixture('tone.wav'), '-i', fixture('video.mp4')],
    ...audioFormats.flatMap((extension) => ['-map', '0:a', '-ar', '44100', getPath(extension)]),
    ...videoFormats.flatMap((extension) => ['-map', '1', '-ar', '44100', getPath(extension)]),
  ])
  const toneSummary = await readSummary(fixture('tone.wav'), 'wav', asSource)
  const video = await readSummary(fixture('video.mp4'), 'mp4', asSource)
  for (const format of [...audioFormats, ...videoFormats]) {
    const isVideo = videoFormats.includes(format)
    const seconds = (isVideo ? video : toneSummary)?.seconds ?? 0
    const summary = await readSummary(getPath(format), format, asSource)
    // Encoders pad the last frame.
    assert.ok(
      Math.abs((summary?.seconds ?? 0) - seconds) < 0.15,
      `${format}: ${summary?.seconds} of ${seconds}`,
    )
    assert.deepEqual(summary?.features, isVideo ? ['film', 'sound'] : ['sound'], format)
    assert.equal(summary?.counts.channels ?? 1, 1, format)
  }
})

test('audio extracted from a video is compared with the audio track, even if the track is shorter than the video', async () => {
  const getPath = (name: string) => join(folder, name)
  await promisify(execFile)('ffmpeg', [
    ...['-v', 'error', '-y', '-f', 'lavfi', '-i', 'testsrc=duration=6:size=32x32:rate=10'],
    ...['-itsoffset', '3', '-f', 'lavfi', '-i', 'sine=duration=3', '-f', 'lavfi', '-i', 'sine=duration=3'],
    ...['-map', '0', '-map', '1', getPath('late.mp4'), '-map', '0', '-map', '2', getPath('early.avi')],
    ...['-map', '2', getPath('whole.mp3'), '-map', '2', '-t', '1', getPath('cut.mp3')],
  ])
  const measure = async (video: string, format: FormatId, name: string) => {
    const detector = new LossDetector(createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined }))
    detector.start([{ path: getPath(video), format }])
    const step = { operation: 'convert', from: format, to: 'mp3', options: {} } as const
    await detector.checkStep(step, { files: [{ path: getPath(name) }] }, [])
    const { source, result } = detector.fidelity?.seconds ?? {}
    return {
      seconds: [source, result].map((duration) => Math.round(duration ?? 0)),
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

test('the content summary of an archive counts only files, not folders or links', async () => {
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
  const flatPath = join(folder, 'flat.ar')
  await run('bsdtar', ['-c', '--format', 'ar', '-f', flatPath, '-C', tree, 'a.txt', 'b.txt'])
  assert.deepEqual((await readSummary(flatPath, 'ar', asSource))?.counts, { entries: 2 })
})

test('sparse files in tar archives of the formats oldgnu, gnu and pax are counted', async () => {
  const tree = join(folder, 'holes')
  await mkdir(tree)
  // The header contains four entries of the sparse map, and each following block contains 21 entries.
  for (const [name, partCount] of Object.entries({ 'few.bin': 2, 'many.bin': 40 })) {
    await using file = await open(join(tree, name), 'w')
    for (let partIndex = 0; partIndex < partCount; partIndex++)
      await file.write('apple'.repeat(900), partIndex * 65_536)
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

test('the cells of a CSV are counted with the detected, declared or requested separator', async () => {
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

test('repeated cells of an OpenDocument spreadsheet are each counted, and so are words in shapes, but not in comments', async () => {
  const createCell = (content: string, attributes = '') =>
    `<table:table-cell${attributes}><text:p>${content}</text:p></table:table-cell>`
  const createShape = (words: string) => `<draw:rect svg:width="3cm"><text:p>${words}</text:p></draw:rect>`
  const note = '<office:annotation><text:p>a note</text:p></office:annotation>'
  const repeatedTwice = ' table:number-columns-repeated="2"'
  const rows = [
    `<table:table-row>${createCell('plain')}<table:table-cell/>${createCell('Äpfel &amp; Birnen', repeatedTwice)}${createCell(' ')}</table:table-row>`,
    `<table:table-row table:number-rows-repeated="3">${createCell('sin<text:span>gle</text:span><text:s/>word', repeatedTwice)}`,
    `${createCell('far', ' table:number-columns-repeated="16384"')}</table:table-row>`,
    `<table:table-row><table:table-cell>${note}${createShape('in shape')}<text:p>beside</text:p></table:table-cell>`,
    `${createCell('3', ' table:formula="of:=1+2"')}${createCell('<![CDATA[raw > words]]>')}<!-- no > cell --></table:table-row>`,
  ]
  const sheet = `<table:table table:name="one">${createShape('on sheet')}${rows.join('')}</table:table>`
  const summary = await summarize('odd.fods', `<office:document>${sheet}${sheet}</office:document>`)
  assert.deepEqual(summary?.counts, { sheets: 2, cells: 2 * (1 + 2 + 6 + 3 + 3) })
  // Each of the two sheets has the words "plain", "Äpfel Birnen" in two cells, "single word" in six, "far" in three,
  // and seven words in the last row and the shape on the sheet.
  assert.equal(summary.words?.total, 2 * (1 + 4 + 12 + 3 + 7))
  const expectedWords = countWords(
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
  assert.equal(expectedWords.countSharedWith(summary.words ?? new WordCounts()), expectedWords.total)
  assert.deepEqual([...summary.features].sort(), ['comments', 'formulas', 'selectableText'])
})

test('the cells of a binary Excel workbook are counted', async () => {
  assert.deepEqual((await readSummary(fixture('fruit.xlsb'), 'xlsb', asSource))?.counts, {
    sheets: 1,
    cells: 8,
  })
})

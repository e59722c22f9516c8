import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parseTtml } from '../../../lib/engines/ffmpeg/ttml.ts'
import { createTtmlClock } from '../../../lib/engines/ffmpeg/ttml-clock.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { parseCues } from '../support/parse-cues.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

after(removeRuns)

const createDocument = (body: string, attributes = '') =>
  `<?xml version="1.0"?><tt:tt xmlns:tt="http://www.w3.org/ns/ttml" xmlns:ttp="http://www.w3.org/ns/ttml#parameter" xmlns:tts="http://www.w3.org/ns/ttml#styling" ${attributes}><tt:head><tt:metadata><tt:p>no cue</tt:p></tt:metadata></tt:head><tt:body>${body}</tt:body></tt:tt>`
const createCue = (startMs: number, endMs: number, ...lines: string[]) => ({ startMs, endMs, lines })

test('TTML subtitles keep times, lines and italics in SubRip and WebVTT', async () => {
  for (const to of ['srt', 'vtt'] as const) {
    const { path } = await convert(ffmpeg, fixture('subtitles.ttml'), to)
    const text = await readFile(path, 'utf8')
    assert.match(text, /<i>Grüße from the kingfisher<\/i>\nand a nested pear/)
    assert.deepEqual(
      parseCues(text, to).map(({ startS, endS }) => [startS, endS]),
      [
        [1, 2.5],
        [3.25, 5],
      ],
    )
  }
})

test('the times of a TTML element are relative to its parent, and the element ends when its parent ends', () => {
  const body =
    '<tt:div begin="10s" end="20s"><tt:p begin="5s" end="6s">b</tt:p><tt:p begin="00:00:01.5" dur="60s">a</tt:p></tt:div>'
  assert.deepEqual(parseTtml(createDocument(body)), [
    createCue(11_500, 20_000, 'a'),
    createCue(15_000, 16_000, 'b'),
  ])
})

test('TTML spans with times become separate cues', () => {
  const body =
    '<tt:p begin="1s" end="3s"><tt:span dur="1s" tts:fontWeight="bold">one</tt:span> <tt:span begin="1s">two &amp; <tt:span tts:textDecoration="underline">three</tt:span></tt:span></tt:p>'
  assert.deepEqual(parseTtml(createDocument(body)), [
    createCue(1000, 2000, '<b>one</b>'),
    createCue(2000, 3000, 'two & <u>three</u>'),
  ])
})

test('white space in TTML is collapsed unless xml:space preserves it', () => {
  const createParagraph = (attributes: string) =>
    `<tt:p begin="1s" end="2s" ${attributes}>a\n   b<tt:br/> c</tt:p>`
  assert.deepEqual(parseTtml(createDocument(createParagraph('')))[0]?.lines, ['a b', 'c'])
  assert.deepEqual(parseTtml(createDocument(createParagraph('xml:space="preserve"')))[0]?.lines, [
    'a',
    'b',
    'c',
  ])
})

test('numeric character references in TTML are decoded', () => {
  const body = '<tt:p begin="1s" end="2s">it&#39;s caf&#xE9; &amp;#39;</tt:p>'
  assert.deepEqual(parseTtml(createDocument(body))[0]?.lines, ["it's café &#39;"])
})

test('a TTML cue without an end time ends when the next begins', async () => {
  const source = join(scratchFolder('ttml-test'), 'open.ttml')
  await writeFile(source, createDocument('<tt:p begin="1s">first</tt:p><tt:p begin="2s">last</tt:p>'))
  const { path } = await convert(ffmpeg, source, 'srt')
  assert.deepEqual(
    parseCues(await readFile(path, 'utf8'), 'srt').map(({ endS }) => endS),
    [2, 6],
  )
})

test('a truncated TTML file is refused as damaged', async () => {
  const source = join(scratchFolder('ttml-test'), 'cut.ttml')
  await writeFile(source, createDocument('<tt:p begin="1s">first</tt:p><tt:p begin="2s">last').slice(0, -20))
  await assert.rejects(convert(ffmpeg, source, 'srt'), { code: 'CORRUPT_FILE' })
})

test('TTML times are read as clock times, frames and ticks', () => {
  const clock = createTtmlClock({ frameRate: '30', frameRateMultiplier: '1000 1001', tickRate: '10000000' })
  for (const [expression, ms] of [
    ['01:02:03.25', 3_723_250],
    ['00:00:01:15', 1501],
    ['1.5h', 5_400_000],
    ['2m', 120_000],
    ['250ms', 250],
    ['30f', 1001],
    ['25000000t', 2500],
    ['soon', undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(clock(expression), ms, expression)
  assert.equal(createTtmlClock({})('15f'), 500)
  assert.equal(createTtmlClock({ frameRate: '25' })('50t'), 2000)
})

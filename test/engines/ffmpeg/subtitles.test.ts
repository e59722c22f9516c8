import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import {
  subtitleSources,
  subtitleTargets,
  videoSubtitleTargets,
} from '../../../lib/engines/ffmpeg/subtitles.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { AppError } from '../../../lib/errors.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { detectFile } from '../../formats/detect-file.ts'
import { conversions } from '../../plan/with-all-engines.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { type ParsedCue, parseCues } from '../support/parse-cues.ts'
import { convert, fixture, type RunSettings } from '../support/run-engine.ts'

const run = promisify(execFile)
const scratch = scratchFolder('subtitles-test')

async function convertText(source: string, to: FormatId, settings: RunSettings = {}) {
  const convertedRun = await convert(ffmpeg, source, to, settings)
  return { ...convertedRun, text: await readFile(convertedRun.path, 'utf8') }
}

async function writeFixture(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(scratch, name), content)
  return join(scratch, name)
}

const createSrt = (...texts: string[]) =>
  texts.map((text, at) => `${at + 1}\n00:00:0${at},000 --> 00:00:0${at},800\n${text}\n`).join('\n')

const isRefused = (code: string) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, code, error.message)
  assert.doesNotMatch(error.message, /\/|ffmpeg/)
  return true
}

/** Asserts the times of the subtitles, tolerating rounding, as some formats count tenths of seconds or frames. */
function assertTimes(cues: readonly ParsedCue[], firstEndS: number, haveEndTimes: boolean): void {
  const assertNear = (seen: number | undefined, wanted: number) =>
    assert.ok(Math.abs((seen ?? 0) - wanted) < 0.06, `${seen} is not ${wanted}`)
  assertNear(cues[0]?.startS, 1)
  assertNear(cues.at(-1)?.startS, 3.25)
  if (!haveEndTimes) return
  assert.equal(cues.length, 2)
  assertNear(cues[0]?.endS, firstEndS)
  assert.ok((cues[1]?.endS ?? 0) > 4.9, `the last line ends at ${cues[1]?.endS} s`)
}

describe('subtitle conversions', { concurrency: 2 }, () => {
  for (const from of subtitleSources) {
    test(`subtitles in ${from} keep text, lines and times`, async () => {
      // `npm run conformance` tests all combinations of formats.
      const targets = ['srt', 'ass', 'lrc'].includes(from) ? subtitleTargets : (['srt', 'txt'] as const)
      for (const to of targets.filter((target) => target !== from)) {
        const { text, progress } = await convertText(fixture(`subtitles.${from}`), to)
        assert.equal(progress.at(-1), 1)
        const cues = parseCues(text, to)
        const start = from === 'scc' ? 'The kingfisher' : 'Grüße from the kingfisher'
        const lines = cues.flatMap((cue) => cue.lines)
        assert.deepEqual(lines, [start, 'and a nested pear', 'quoted by the river'], `${to}: ${text}`)
        // Lyrics have no end times.
        if (to !== 'txt') assertTimes(cues, from === 'lrc' ? 3.25 : 2.5, to !== 'lrc')
      }
    })
  }

  test('subtitles keep italics if the format supports them', async () => {
    for (const from of ['srt', 'vtt', 'ass', 'sub'] as const) {
      const to = from === 'srt' ? 'vtt' : 'srt'
      assert.match((await convertText(fixture(`subtitles.${from}`), to)).text, /<i>Grüße/, from)
    }
    assert.match((await convertText(fixture('subtitles.srt'), 'ass')).text, /\{\\i1\}Grüße/)
    assert.doesNotMatch((await convertText(fixture('subtitles.srt'), 'lrc')).text, /[<{]/)
  })

  test('subtitles in Windows encodings and UTF-16 are converted to UTF-8', async () => {
    const words = createSrt('Grüße – “naïve”')
    const windows1252Bytes = Buffer.from(
      words.replace('–', '\x96').replace('“', '\x93').replace('”', '\x94'),
      'latin1',
    )
    for (const bytes of [
      windows1252Bytes,
      Buffer.from(`\ufeff${words}`, 'utf16le'),
      Buffer.from(`\ufeff${words}`),
    ]) {
      const { text } = await convertText(await writeFixture('old.srt', bytes), 'vtt')
      assert.match(text, /^WEBVTT\n\n00:00\.000 --> 00:00\.800\nGrüße – “naïve”\n/)
    }
  })

  test('characters of subtitles that are markup in WebVTT are escaped', async () => {
    const { text } = await convertText(
      await writeFixture('math.srt', createSrt('a < b & c', '<b>R&D</b>')),
      'vtt',
    )
    assert.match(text, /\na &lt; b &amp; c\n/)
    assert.match(text, /\n<b>R&amp;D<\/b>\n/)
  })

  test('subtitles without end times are shown until the next one or for a few seconds', async () => {
    const openSami =
      '<SAMI><BODY>\n<SYNC Start=1000><P>one&nbsp;two\n<SYNC Start=2000><P>last\n</BODY></SAMI>\n'
    const { text } = await convertText(await writeFixture('open.smi', openSami), 'vtt')
    assert.deepEqual(parseCues(text, 'vtt'), [
      { startS: 1, endS: 2, lines: ['one two'] },
      { startS: 2, endS: 6, lines: ['last'] },
    ])
  })

  test('subtitles keep non-breaking spaces', async () => {
    const ass = (await readFile(fixture('subtitles.ass'), 'utf8')).replace('Grüße from', 'Grüße\\hfrom')
    const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\nGrüße&nbsp;from the kingfisher\n'
    for (const [name, text] of [
      ['spaces.ass', ass],
      ['spaces.vtt', vtt],
    ] as const)
      for (const to of ['srt', 'txt', 'ttml'] as const)
        assert.match(
          (await convertText(await writeFixture(name, text), to)).text,
          /Grüße\u00a0from the kingfisher/,
          `${name} ${to}`,
        )
  })

  test('subtitles with vector drawings lose the drawings but keep the text', async () => {
    const words = await readFile(fixture('subtitles.ass'), 'utf8')
    const start = 'Dialogue: 0,0:00:06.00,0:00:07.00,Default,,0,0,0,,{\\pos(1,2)'
    const drawnShape = `${words}${start}\\p1}m 0 0 l 100 0 100 100{\\p0}\n${start}}placed\n`
    const { text } = await convertText(await writeFixture('drawn.ass', drawnShape), 'vtt')
    assert.doesNotMatch(text, /100/)
    assert.deepEqual(
      parseCues(text, 'vtt').map(({ lines }) => lines.at(-1)),
      ['and a nested pear', 'quoted by the river', 'placed'],
    )
  })

  test('subtitles in WebVTT with style, region and note blocks are read completely', async () => {
    const blocks = 'STYLE\n::cue {\n  color: lime;\n}\n\nNOTE\nof two\nlines\n\nREGION\nid:a\nwidth:40%\n\n'
    const cues =
      '1\n00:01.000 --> 00:02.000 align:start\n<v Ann>one</v>\n\nNOTE between\n\n00:03.000 --> 00:04.000\nNOTE this\n'
    for (const text of [
      `WEBVTT\n\n${blocks}${cues}`,
      `WEBVTT - a\r\n\r\n${blocks}${cues}`.replaceAll(/\r?\n/g, '\r\n'),
    ]) {
      const run = await convertText(await writeFixture('styled.vtt', text), 'srt')
      assert.deepEqual(parseCues(run.text, 'srt'), [
        { startS: 1, endS: 2, lines: ['one'] },
        { startS: 3, endS: 4, lines: ['NOTE this'] },
      ])
    }
  })

  test('subtitles later than one hour keep their times', async () => {
    const lateSubtitles = await writeFixture('late.srt', '7\n01:02:03,450 --> 01:02:04,000\nlate\n')
    assert.equal(parseCues((await convertText(lateSubtitles, 'lrc')).text, 'lrc')[0]?.startS, 3723.45)
    assert.equal(parseCues((await convertText(lateSubtitles, 'ttml')).text, 'ttml')[0]?.startS, 3723.45)
  })

  test('subtitles timed in frames cause a warning if they do not state the frame rate', async () => {
    const withRate = await convertText(await writeFixture('with-rate.sub', '{1}{1}25\n{25}{50}one\n'), 'srt')
    assert.deepEqual([parseCues(withRate.text, 'srt')[0]?.startS, withRate.warnings], [1, []])
    const { warnings } = await convertText(await writeFixture('without-rate.sub', '{25}{50}one\n'), 'srt')
    assert.deepEqual(warnings, ['FRAME_RATE_ASSUMED'])
  })

  test('SubViewer subtitles are recognized by their content, since MicroDVD has the same file extension', async () => {
    const view =
      '[INFORMATION]\n[TITLE]x\n[END INFORMATION]\n[SUBTITLE]\n00:00:01.00,00:00:02.50\none[br]two\n\n'
    const [cue] = parseCues((await convertText(await writeFixture('view.sub', view), 'srt')).text, 'srt')
    assert.deepEqual(cue, { startS: 1, endS: 2.5, lines: ['one', 'two'] })
  })

  test('SSA subtitles lose their styles when converted to ASS, with a warning', async () => {
    const { text, warnings } = await convertText(fixture('subtitles.ssa'), 'ass')
    assert.deepEqual(warnings, ['STYLES_DROPPED'])
    assert.match(text, /ScriptType: v4\.00\+/)
  })

  test('subtitles keep bold text and colors, and a warning names the styles that the format lacks', async () => {
    const styled = '<b>bold</b> <i>italic</i> <u>lined</u> <font color="#ff0000">red</font>'
    const srt = await writeFixture('styled.srt', createSrt(styled))
    const vtt = await writeFixture(
      'styled.vtt',
      'WEBVTT\n\n00:01.000 --> 00:02.000\n<i.loud>a</i> <c.yellow>b</c>\n',
    )
    assert.match((await convertText(srt, 'ass')).text, /\\b1.*\\i1.*\\u1.*\\c&HFF&/)
    assert.match((await convertText(vtt, 'srt')).text, /<i>a<\/i> b/)
    const droppedStyles = [
      [srt, 'ass', []],
      [srt, 'txt', []],
      [srt, 'vtt', ['colors']],
      [srt, 'ttml', ['bold text, italics, underlines, or colors']],
      [vtt, 'srt', ['colors']],
    ] as const
    for (const [source, to, styles] of droppedStyles) {
      const { messages } = await convertText(source, to)
      assert.deepEqual(
        messages,
        styles.map((names) => `Styles of the subtitles were dropped: the result has no ${names}.`),
      )
    }
    const ttml = await writeFixture(
      'styled.ttml',
      '<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling"><body><div>' +
        '<p begin="1s" end="2s" tts:color="white">a<span tts:color="#ff0000ff"> red</span></p></div></body></tt>',
    )
    assert.match((await convertText(ttml, 'srt')).text, /^a<font color="#ff0000"> red<\/font>$/m)
  })

  test('a subtitle file without cues is refused as corrupt', async () => {
    for (const from of subtitleSources) {
      const path = await writeFixture(`words.${from}`, 'Only words.\n')
      await assert.rejects(
        convert(ffmpeg, path, from === 'srt' ? 'vtt' : 'srt'),
        isRefused('CORRUPT_FILE'),
        from,
      )
    }
  })

  test('subtitles are detected by content, or by extension if the content is ambiguous', async () => {
    for (const format of subtitleSources) {
      const bytes = await readFile(fixture(`subtitles.${format}`))
      assert.equal(await detectFile(`x.${format}`, bytes), format)
      const utf16Bytes = Buffer.from(`\ufeff${bytes}`, 'utf16le')
      assert.equal(await detectFile(`x.${format}`, utf16Bytes), format)
      const detectedWithoutExtension = await detectFile('upload', bytes)
      assert.equal(detectedWithoutExtension, ['mpl2', 'jss', 'pjs', 'aqt'].includes(format) ? 'txt' : format)
    }
    const { path } = await convert(ffmpeg, fixture('subtitles.srt'), 'ttml')
    assert.equal(await detectFile('x', await readFile(path)), 'ttml')
    assert.equal(await detectFile('notes.md', Buffer.from('[1][2]\n[12:30] hi\n')), 'md')
    assert.equal(await detectFile('t.csv', Buffer.from('1,2,"a"\n3,4,"b"\n')), 'csv')
  })
})

describe('subtitles of videos', { concurrency: 2 }, () => {
  const createVideo = async (name: string, codec: string) => {
    const path = join(scratch, name)
    const inputs = ['-i', fixture('video.mp4'), '-i', fixture('subtitles.srt')]
    const video = name.endsWith('.webm') ? ['-c:v', 'libvpx', '-an'] : ['-c', 'copy']
    await run('ffmpeg', ['-v', 'error', ...inputs, '-map', '0', '-map', '1', ...video, '-c:s', codec, path])
    return path
  }

  for (const [name, codec] of [
    ['video.mkv', 'srt'],
    ['styled.mkv', 'ass'],
    ['video.mp4', 'mov_text'],
    ['video.mov', 'mov_text'],
    ['video.webm', 'webvtt'],
  ] as const) {
    test(`subtitles are extracted from the video ${name} (${codec})`, async () => {
      const path = await createVideo(name, codec)
      for (const to of videoSubtitleTargets) {
        const cues = parseCues((await convertText(path, to)).text, to)
        assert.deepEqual(
          cues.map(({ lines }) => lines),
          [['Grüße from the kingfisher', 'and a nested pear'], ['quoted by the river']],
        )
        assertTimes(cues, 2.5, true)
      }
    })
  }

  test('extracting subtitles from a video without subtitles is refused', async () => {
    for (const name of ['video.mp4', 'video.mov', 'video.webm']) {
      await assert.rejects(convert(ffmpeg, fixture(name), 'srt'), isRefused('INVALID_INPUT'))
    }
  })

  test('extracting subtitles is offered only for videos that may contain them', () => {
    const subtitleExtractions = conversions().filter(({ to }) => to === 'srt')
    const sources = subtitleExtractions
      .map(({ from }) => from)
      .filter((from) => !subtitleSources.some((subtitleSource) => subtitleSource === from))
    assert.deepEqual(sources.toSorted(), ['m4v', 'mkv', 'mov', 'mp4', 'webm'])
  })
})

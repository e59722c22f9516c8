// Run by `npm run test:slow`: tests tracks, trimming and animations of media files.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeCodecs, probeStreams, readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture, type Run } from '../support/run-engine.ts'

const folder = scratchFolder('tracks')
const getPath = (name: string) => join(folder, name)
const runFfmpeg = (...args: string[]) => readStdout('ffmpeg', '-v', 'error', '-y', ...args)
const readDurationS = async (run: Run) => (await runFfprobe(run.path)).format.duration ?? Number.NaN

describe('chapters, subtitles and covers of videos', () => {
  test('a video keeps its chapters with their titles, or causes a warning', async () => {
    const chapters = [
      [0, 500, 'Anfang'],
      [500, 1000, 'End'],
    ]
    const lines = chapters.flatMap(([start, end, title]) => [
      ...['[CHAPTER]', 'TIMEBASE=1/1000', `START=${start}`, `END=${end}`, `title=${title}`],
    ])
    await writeFile(getPath('chapters.txt'), [';FFMETADATA1', ...lines, ''].join('\n'))
    const inputs = ['-i', fixture('video.mp4'), '-i', getPath('chapters.txt')]
    await runFfmpeg(...inputs, '-map', '0', '-map_chapters', '1', '-c', 'copy', getPath('chapters.mkv'))
    for (const to of ['mp4', 'webm', 'mp3', 'm4b'] as const) {
      const run = await convert(ffmpeg, getPath('chapters.mkv'), to)
      const listedChapters = await readStdout(
        'ffprobe',
        '-v',
        'error',
        '-show_chapters',
        '-of',
        'csv',
        run.path,
      )
      assert.match(listedChapters, /Anfang[\s\S]*End/, to)
      assert.deepEqual(run.warnings, [], to)
    }
    const { warnings } = await convert(ffmpeg, getPath('chapters.mkv'), 'avi')
    assert.deepEqual(warnings, ['CHAPTERS_DROPPED'])
  })

  test('a video keeps styled subtitles if the format supports them, and otherwise their text', async () => {
    await writeFile(getPath('words.srt'), '1\n00:00:00,100 --> 00:00:00,800\nGrüße 字幕\n')
    const inputs = ['-i', fixture('video.mp4'), '-i', getPath('words.srt')]
    await runFfmpeg(...inputs, '-map', '0', '-map', '1', '-c', 'copy', '-c:s', 'ass', getPath('styled.mkv'))
    for (const [to, codec] of [
      ['mkv', 'ass'],
      ['mp4', 'mov_text'],
      ['webm', 'webvtt'],
    ] as const) {
      const run = await convert(ffmpeg, getPath('styled.mkv'), to)
      assert.equal((await probeStreams(run, 'subtitle'))[0]?.codec_name, codec, to)
      assert.match(
        await readStdout('ffmpeg', '-v', 'error', '-i', run.path, '-f', 'srt', '-'),
        /Grüße 字幕/,
        to,
      )
    }
  })

  test('a video keeps its cover if the format supports one, and causes a warning otherwise', async () => {
    const inputs = ['-i', fixture('video.mp4'), '-i', fixture('corners.jpg'), '-map', '0', '-map', '1']
    await runFfmpeg(...inputs, '-c', 'copy', '-disposition:v:1', 'attached_pic', getPath('cover.mp4'))
    const keptCover = await convert(ffmpeg, getPath('cover.mp4'), 'mp4', { options: { codec: 'h265' } })
    assert.deepEqual(await probeCodecs(keptCover), ['hevc', 'aac', 'mjpeg'])
    const droppedCover = await convert(ffmpeg, getPath('cover.mp4'), 'webm')
    assert.deepEqual(droppedCover.warnings, ['COVER_DROPPED'])
  })

  test('the duration of a video is measured if the file does not store it', async () => {
    await runFfmpeg(
      '-i',
      fixture('video.webm'),
      '-c',
      'copy',
      '-live',
      '1',
      '-f',
      'webm',
      getPath('live.webm'),
    )
    assert.equal((await runFfprobe(getPath('live.webm'))).format.duration, undefined)
    const { result } = await convert(ffmpeg, getPath('live.webm'), 'mp4')
    assert.equal(result.method, 'stream-copy')
    assert.ok(Math.abs(Number(result.details?.durationS) - 1) < 0.1, `${result.details?.durationS} s`)
  })
})

describe('trimming', () => {
  test('a trimmed video or audio file has the duration of the requested range', async () => {
    for (const [name, to] of [
      ['video.mp4', 'mp4'],
      ['video.mp4', 'webm'],
      ['tone.wav', 'mp3'],
      ['tone.mp3', 'mp3'],
      ['tone.flac', 'flac'],
    ] as const) {
      const run = await convert(ffmpeg, fixture(name), to, { options: { start: '00:00:00.3', end: '0.7' } })
      // MP3 frames are long at low sample rates, and the encoder adds some silence at the beginning.
      assert.ok(
        Math.abs((await readDurationS(run)) - 0.4) < 0.2,
        `${name} to ${to}: ${await readDurationS(run)} s`,
      )
    }
  })

  test('trimming is refused if the range is after the end of the file', async () => {
    const lateRun = convert(ffmpeg, fixture('tone.wav'), 'mp3', { options: { start: 60 } })
    await assertRefused(lateRun, 'INVALID_INPUT')
  })
})

describe('audio options and MIDI', () => {
  const measurePeakDb = async (path: string) => {
    const log = await readStdout('sh', '-c', `ffmpeg -i ${path} -af volumedetect -f null - 2>&1`)
    return Number(/max_volume: (-?[\d.]+) dB/.exec(log)?.[1])
  }

  test('audio gets the requested volume and number of channels', async () => {
    const stereoRun = await convert(ffmpeg, fixture('tone.wav'), 'flac', { options: { channels: 2 } })
    assert.equal((await runFfprobe(stereoRun.path)).streams[0]?.channels, 2)
    const half = await convert(ffmpeg, fixture('tone.wav'), 'flac', { options: { volume: '0.5' } })
    const [peakBefore, peakAfter] = [await measurePeakDb(fixture('tone.wav')), await measurePeakDb(half.path)]
    assert.ok(Math.abs(peakBefore - peakAfter - 6) < 0.5, `${peakBefore} dB became ${peakAfter} dB`)
  })

  test('a MIDI file, bare or in RIFF, is rendered as audio', async () => {
    // One note of half a second: note on, 480 ticks, note off.
    const notes = [0, 0x90, 60, 100, 0x83, 0x60, 0x80, 60, 0, 0, 0xff, 0x2f, 0]
    const track = [...Buffer.from('MTrk'), 0, 0, 0, notes.length, ...notes]
    const bareMidi = Buffer.from([...Buffer.from('MThd'), 0, 0, 0, 6, 0, 0, 0, 1, 1, 0xe0, ...track])
    await writeFile(getPath('note.mid'), bareMidi)
    await writeFile(
      getPath('note.rmi'),
      Buffer.concat([Buffer.from('RIFF\0\0\0\0RMIDdata\0\0\0\0'), bareMidi]),
    )
    for (const name of ['note.mid', 'note.rmi']) {
      const run = await convert(ffmpeg, getPath(name), 'mp3')
      assert.ok((await readDurationS(run)) > 0.5, name)
      assert.ok((await measurePeakDb(run.path)) > -40, `${name} is silent`)
    }
    await writeFile(getPath('noise.mid'), 'MThd and nothing that follows')
    await assertRefused(convert(ffmpeg, getPath('noise.mid'), 'mp3'), 'CORRUPT_FILE')
  })
})

describe('animations', () => {
  const countFrames = async (run: Run) => (await runFfprobe(run.path)).streams[0]?.nb_read_packets

  test('a video can be converted to an animated PNG, and the animated PNG to GIF, MP4 and WebM', async () => {
    const apng = await convert(ffmpeg, fixture('video.mp4'), 'apng', { options: { width: 32, fps: 10 } })
    assert.equal(await countFrames(apng), 10)
    for (const to of ['gif', 'mp4', 'webm'] as FormatId[]) {
      const run = await convert(ffmpeg, apng.path, to)
      assert.equal(await countFrames(run), 10, to)
    }
    const stillRun = await convert(ffmpeg, apng.path, 'png')
    assert.deepEqual(stillRun.warnings, ['ANIMATION_DROPPED'])
  })

  test('an animation made from a transparent video is transparent', async () => {
    const run = await convert(ffmpeg, fixture('alpha.webm'), 'apng')
    assert.match((await runFfprobe(run.path)).streams[0]?.pix_fmt ?? '', /rgba|ya/)
  })
})

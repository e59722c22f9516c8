import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, test } from 'node:test'
import iconv from 'iconv-lite'
import { decodeTags } from '../../../lib/engines/ffmpeg/decode-tags.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

after(removeRuns)

const ffprobe = (path: string, entries: string) =>
  execFileSync('ffprobe', ['-v', 'error', '-show_entries', entries, '-of', 'csv=p=0', path], {
    encoding: 'utf8',
  }).trim()

test('H.264 with 4:4:4 color becomes 4:2:0 in MP4 and MOV, so that players support it', async () => {
  const readCodecAndPixelFormat = (path: string) => ffprobe(path, 'stream=codec_name,pix_fmt')
  const source = fixture('odd/yuv444.mkv')
  assert.equal(readCodecAndPixelFormat((await convert(ffmpeg, source, 'mp4')).path), 'h264,yuv420p')
  const copy = await convert(ffmpeg, source, 'mp4', { options: { codec: 'copy' } })
  assert.equal(readCodecAndPixelFormat(copy.path), 'h264,yuv444p')
  assert.equal(readCodecAndPixelFormat((await convert(ffmpeg, copy.path, 'mov')).path), 'h264,yuv420p')
})

test('HEVC 4:4:4 is re-encoded for MP4, but 10-bit HEVC 4:2:0 is copied', async () => {
  const folder = scratchFolder('player-support-hevc')
  for (const [pixelFormat, expected] of [
    ['yuv444p', 'h264,yuv420p'],
    ['yuv420p10le', 'hevc,yuv420p10le'],
  ] as const) {
    const source = join(folder, `${pixelFormat}.mkv`)
    const encoderArgs = ['-c:v', 'libx265', '-x265-params', 'log-level=none', '-pix_fmt', pixelFormat]
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'testsrc=s=64x64:d=0.2',
      ...encoderArgs,
      source,
    ])
    const { path } = await convert(ffmpeg, source, 'mp4')
    assert.equal(ffprobe(path, 'stream=codec_name,pix_fmt'), expected)
  }
})

test('ID3 tags in an undeclared character encoding are decoded', async () => {
  const { path } = await convert(ffmpeg, fixture('odd/id3-cp1251.mp3'), 'flac')
  assert.equal(ffprobe(path, 'format_tags=title'), 'Песня о друге')
})

test('audio tags with accented characters are left unchanged', async () => {
  for (const title of ['Motörhead', 'Déjà vu', 'Été à Québec', 'Ærø', 'Žluťoučký', 'Übergröße', 'Ääliö'])
    assert.deepEqual(await decodeTags({ title }), {}, title)
})

test('all tags of a file are decoded with the same code page, even short ones', async () => {
  const misdecode = (text: string, charset: string) => iconv.encode(text, charset).toString('latin1')
  for (const [charset, title, artist] of [
    ['big5', '月亮代表我的心', '鄧麗君'],
    ['windows-1253', 'Ελληνικό τραγούδι', 'Μαρία'],
  ] as const) {
    const tags = { title: misdecode(title, charset), artist: misdecode(artist, charset) }
    assert.deepEqual(await decodeTags(tags), { title, artist })
  }
})

test('the time code of a video is kept, or reported as lost if the format cannot store time codes', async () => {
  const source = join(scratchFolder('player-support'), 'timed.mov')
  const timecode = ['-timecode', '01:02:03:04']
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', fixture('video.mov'), '-c', 'copy', ...timecode, source])
  for (const to of ['mp4', 'mkv', 'm4v'] as const) {
    const { path, warnings } = await convert(ffmpeg, source, to)
    assert.match(ffprobe(path, 'stream_tags=timecode'), /01:02:03/, to)
    assert.deepEqual(warnings, [], to)
  }
  assert.deepEqual((await convert(ffmpeg, source, 'ts')).warnings, ['DATA_DROPPED'])
})

test('subtitles from a video with several tracks come with a warning that only one was converted', async () => {
  const source = join(scratchFolder('player-support-tracks'), 'tracks.mkv')
  const subtitles = fixture('subtitles.srt')
  const inputArgs = ['-i', subtitles, '-i', subtitles, '-map', '0', '-map', '1', '-c', 'copy']
  execFileSync('ffmpeg', ['-v', 'error', ...inputArgs, source])
  assert.deepEqual((await convert(ffmpeg, source, 'srt')).warnings, ['SUBTITLES_DROPPED'])
  assert.deepEqual((await convert(ffmpeg, fixture('subtitled.mkv'), 'srt')).warnings, [])
})

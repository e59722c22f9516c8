// What a merge of sounds or films says of itself.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { convert } from './run-engine.ts'
import { inParts, whole } from './video-in-chunks.ts'

const folder = scratchFolder('merged-texts')

const run = (bin: string, args: readonly string[]) =>
  execFileSync(bin, ['-v', 'error', ...args], { encoding: 'utf8' })

/** Half a second that says this of itself, with a chapter in its first half. */
function sound(name: string, texts: Readonly<Record<string, string>>, more: readonly string[] = []): string {
  const path = join(folder, name)
  const list = `${path}.txt`
  const lines = Object.entries(texts).map(([key, text]) => `${key}=${text.replaceAll(/[=;#\\]/g, '\\$&')}`)
  const chapter = ['[CHAPTER]', 'TIMEBASE=1/1000', 'START=0', 'END=250', `title=In ${name}`]
  writeFileSync(list, [';FFMETADATA1', ...lines, ...(/mp3|mp4/.test(name) ? chapter : []), ''].join('\n'))
  const source = ['-f', 'lavfi', '-i', 'sine=d=0.5', ...more, '-f', 'ffmetadata', '-i', list]
  const inputs = source.filter((arg) => arg === '-i').length
  const maps = Array.from({ length: inputs - 1 }, (_, at) => ['-map', String(at)]).flat()
  run('ffmpeg', ['-y', ...source, ...maps, '-map_metadata', String(inputs - 1), path])
  return path
}

function told(path: string) {
  const show = ['-show_format', '-show_streams', '-show_chapters', '-of', 'json', path]
  const { format, streams, chapters } = JSON.parse(run('ffprobe', show))
  const tags = { ...streams[0].tags, ...format.tags }
  return {
    texts: Object.fromEntries(Object.entries(tags).map(([key, text]) => [key.toLowerCase(), text])),
    marks: chapters.map((mark: { start_time: string; tags: { title: string } }) => [
      Number(mark.start_time).toFixed(1),
      mark.tags.title,
    ]),
    covers: streams.filter(
      (stream: { disposition: { attached_pic: number } }) => stream.disposition.attached_pic,
    ).length,
  }
}

const album = { artist: 'Ann; #1 = \\best', album: 'Birds' }

test('sounds that are merged keep what all of them say, and tell what not', async () => {
  for (const [name, to] of [
    ['mp3', 'mp3'],
    ['ogg', 'ogg'],
    ['flac', 'opus'],
    ['mp3', 'm4a'],
  ] as const) {
    const first = sound(`one.${name}`, { ...album, title: 'Kingfisher', track: '1' })
    const second = sound(`two.${name}`, { ...album, title: 'Heron', date: '2001' })
    const {
      path,
      warnings,
      told: sentences,
    } = await convert(ffmpeg, first, to, { operation: 'merge', more: [second] })
    const { texts, marks } = told(path)
    assert.deepEqual(
      [texts['artist'], texts['album'], texts['title']],
      [album.artist, 'Birds', undefined],
      to,
    )
    assert.deepEqual(warnings, ['METADATA_DROPPED'], to)
    assert.match(sentences.join(), /: title, date, track\.$/)
    const expected =
      name === 'mp3'
        ? [
            ['0.0', 'In one.mp3'],
            ['0.5', 'In two.mp3'],
          ]
        : []
    assert.deepEqual(
      marks.map(([at, title]: string[]) => [Number(at).toFixed(1), title]),
      expected,
      to,
    )
  }
})

test('sounds that are merged keep the cover, or tell that it is dropped', async () => {
  const cover = ['-f', 'lavfi', '-i', 'color=red:s=16x16:d=0.04']
  const mp3 = sound('covered.mp3', album, cover)
  const merged = await convert(ffmpeg, mp3, 'mp3', { operation: 'merge', more: [mp3] })
  assert.deepEqual([told(merged.path).covers, merged.warnings], [1, []])
  const wav = await convert(ffmpeg, mp3, 'wav', { operation: 'merge', more: [mp3] })
  assert.deepEqual(wav.warnings, ['CHAPTERS_DROPPED', 'COVER_DROPPED'])
})

test('films that are merged keep what all of them say and the chapters of each, copied or not', async () => {
  const picture = ['-f', 'lavfi', '-i', 'color=red:s=64x48:r=10:d=0.5']
  const first = sound('first.mp4', { ...album, title: 'One' }, picture)
  const second = sound('second.mp4', { ...album, title: 'Two' }, picture)
  for (const mode of ['copy', 'encode'] as const) {
    const options = mode === 'encode' ? { mode } : {}
    const { path, result } = await convert(ffmpeg, first, 'mp4', {
      operation: 'merge',
      more: [second],
      options,
    })
    assert.equal(result.method, mode === 'encode' ? 'encode' : 'stream-copy')
    const { texts, marks } = told(path)
    assert.deepEqual([texts['artist'], texts['title']], [album.artist, undefined], mode)
    assert.deepEqual(
      marks.map(([, title]: string[]) => title),
      ['In first.mp4', 'In second.mp4'],
      mode,
    )
  }
})

test('files that say nothing of themselves are not asked what', async () => {
  const [first, second] = [sound('plain.wav', {}), sound('other.wav', {})]
  const { commands, warnings } = await convert(ffmpeg, first, 'wav', { operation: 'merge', more: [second] })
  assert.equal(commands.filter((program) => program === 'ffprobe').length, 2, 'one look at each')
  assert.deepEqual(warnings, [])
})

/** Without sound, with texts and one chapter. */
function muteFilm(name: string, title: string, seconds = 1): string {
  const picture = ['-f', 'lavfi', '-i', `testsrc=s=64x48:r=10:d=${seconds}`]
  const list = join(folder, `${name}.txt`)
  const chapter = ['[CHAPTER]', 'TIMEBASE=1/1000', 'START=200', 'END=900', `title=In ${name}`]
  writeFileSync(list, [';FFMETADATA1', `title=${title}`, 'artist=Ann', ...chapter, ''].join('\n'))
  const path = join(folder, name)
  const texts = ['-f', 'ffmetadata', '-i', list, '-map_metadata', '1']
  run('ffmpeg', ['-y', ...picture, ...texts, '-c:v', 'libx264', '-g', '10', path])
  return path
}

test('films without sound that are merged in parts keep what all of them say, with their chapters', async () => {
  const films = [muteFilm('one.mkv', 'First'), muteFilm('two.mkv', 'Second')]
  const merge = { operation: 'merge', from: 'mkv', to: 'mkv', options: { mode: 'encode' } } as const
  const one = await whole(films, merge)
  const { result, parts } = await inParts(films, merge, { workers: 1, timeoutS: 0.0001 })
  assert.equal(parts, 2)
  const { texts, marks } = told(result.path)
  assert.deepEqual([texts['artist'], texts['title']], ['Ann', undefined])
  assert.deepEqual(marks, [
    ['0.2', 'In one.mkv'],
    ['1.2', 'In two.mkv'],
  ])
  assert.deepEqual(marks, told(one.path).marks)
  assert.deepEqual([result.warnings, one.warnings], [['METADATA_DROPPED'], ['METADATA_DROPPED']])
})

test('a film without sound that is encoded in parts keeps what it says', async () => {
  const asked = { from: 'mkv', to: 'mp4', options: { mode: 'encode' } } as const
  const film = muteFilm('long.mkv', 'Long', 14)
  const { result, parts } = await inParts([film], asked, { workers: 1, timeoutS: 0.0001 })
  assert.ok(parts > 1)
  const { texts, marks } = told(result.path)
  assert.deepEqual([texts['artist'], texts['title'], marks.length], ['Ann', 'Long', 1])
  assert.deepEqual(marks, told((await whole([film], asked)).path).marks)
})

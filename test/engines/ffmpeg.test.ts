import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { readLanguages } from '../../lib/engines/ffmpeg/track-languages.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { vips } from '../../lib/engines/vips.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { refused } from '../assert-refused.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { conformance } from './conformance.ts'
import { codecs, output, probed, streams } from './judge.ts'
import { convert, fixture, type RunSettings, removeRuns } from './run-engine.ts'

/** From each kind of source to kinds of targets that differ in how they are made; `npm run conformance` tries all. */
const targets: Readonly<Partial<Record<FormatId, readonly FormatId[]>>> = {
  mp4: ['mov', 'webm', 'wmv', 'swf', 'mxf', 'y4m', 'gif', 'apng'],
  wav: ['mp3', 'flac', 'opus', 'amr', 'mlp', 'c2', 'aptx', 'rf64'],
  flac: ['ac3', 'dts', 'amr'],
  gif: ['mp4', 'mj2'],
  mkv: ['webm'],
  mp3: ['mp4'],
  ogg: ['mp3'],
  m4a: ['mp3'],
  webm: ['mp4'],
  avi: ['mp4'],
  mov: ['mp3'],
}

conformance(ffmpeg, {
  fixtures: {
    mp4: fixture('film.mp4'),
    wav: fixture('tone.wav'),
    gif: fixture('animated.gif'),
    mkv: fixture('tracks.mkv'),
    mp3: fixture('tone.mp3'),
    flac: fixture('surround.flac'),
    ogg: fixture('tone.ogg'),
    m4a: fixture('tone.m4a'),
    webm: fixture('film.webm'),
    avi: fixture('film.avi'),
    mov: fixture('turned.mov'),
  },
  only: (from, to) => targets[from]?.includes(to) ?? false,
  garbage: [
    'mp4',
    'mkv',
    'avi',
    'wmv',
    'flv',
    'mpeg',
    'ts',
    'ogg',
    'mp3',
    'rm',
    'mid',
    'tracker',
    'dv',
    'swf',
  ],
  long: {
    source: fixture('film.mp4'),
    to: 'webm',
    options: { resolution: '4k', preset: 'veryslow', fps: 60 },
  },
})

describe('a film', () => {
  after(removeRuns)
  const film = (to: FormatId, options?: RunSettings['options']) =>
    convert(ffmpeg, fixture('film.mp4'), to, { ...(options && { options }) })

  test('is copied where its streams fit, and the result says so', async () => {
    const run = await film('mkv')
    assert.equal(run.result.method, 'stream-copy')
    assert.deepEqual(await codecs(run), ['h264', 'aac'])
  })

  test('is encoded where they do not fit', async () => {
    const run = await film('webm')
    assert.equal(run.result.method, 'encode')
    assert.deepEqual(await codecs(run), ['vp9', 'opus'])
  })

  test('of VP9 and Opus is copied into MP4', async () => {
    const run = await convert(ffmpeg, fixture('film.webm'), 'mp4')
    assert.equal(run.result.method, 'stream-copy')
    assert.deepEqual(await codecs(run), ['vp9', 'opus'])
  })

  test('is encoded when an option asks for it, and only the streams that it is about', async () => {
    assert.equal((await film('mp4')).result.method, 'stream-copy')
    assert.equal((await film('mp4', { mode: 'encode' })).result.method, 'encode')
    assert.equal((await film('mp4', { crf: '30' })).result.method, 'encode')
    assert.equal((await film('mp4', { codec: 'libx264' })).result.method, 'stream-copy')
    assert.deepEqual(await codecs(await film('mp4', { codec: 'hevc' })), ['hevc', 'aac'])
    assert.deepEqual(await codecs(await film('mp4', { audioCodec: 'libmp3lame' })), ['h264', 'mp3'])
  })

  test('whose copy is bad is encoded instead', async () => {
    // The header says MPEG-4 sound, the packets are noise: it copies without an error and cannot be decoded.
    const broken = join((await film('mkv')).workDir, 'odd.avi')
    const whole = await readFile(fixture('film.avi'))
    await writeFile(
      broken,
      Buffer.concat([whole.subarray(0, 9000), Buffer.alloc(1000), whole.subarray(10_000)]),
    )
    const run = await convert(ffmpeg, broken, 'mp4', { from: 'avi' })
    assert.equal((await streams(run, 'video')).length, 1)
  })

  test('keeps all sound tracks with their languages, and its subtitles', async () => {
    for (const [to, subtitle, german] of [
      ['mp4', 'mov_text', 'deu'],
      // It has a number for each language, which is read as its older code.
      ['mov', 'mov_text', 'ger'],
      ['mkv', 'subrip', 'deu'],
      ['webm', 'webvtt', 'deu'],
    ] as const) {
      const run = await convert(ffmpeg, fixture('tracks.mkv'), to)
      assert.deepEqual(
        (await streams(run, 'audio')).map(({ tags }) => tags.language),
        ['eng', german],
        to,
      )
      assert.deepEqual(
        (await streams(run, 'subtitle')).map((stream) => stream.codec_name),
        [subtitle],
        to,
      )
      assert.deepEqual(run.warnings, [], to)
    }
  })

  test('keeps in QuickTime also languages that it has no number for', async () => {
    const source = join(scratchFolder('languages'), 'source.mkv')
    const tags = ['-metadata:s:a:0', 'language=hrv', '-metadata:s:a:1', 'language=deu', '-metadata:s:s:0']
    const inputs = ['-i', fixture('tracks.mkv'), '-map', '0', '-c', 'copy']
    await output('ffmpeg', '-v', 'error', '-y', ...inputs, ...tags, 'language=srp', source)
    const told = async (run: Awaited<ReturnType<typeof convert>>) => {
      const tracks = [...(await streams(run, 'audio')), ...(await streams(run, 'subtitle'))]
      return tracks.map(({ tags }) => tags.language)
    }
    const copied = await convert(ffmpeg, source, 'mov')
    assert.deepEqual(await told(copied), ['hrv', 'ger', 'srp'])
    assert.deepEqual(await readLanguages(copied.path), { audio: ['hrv', undefined], subtitles: ['srp'] })
    const titled = await convert(ffmpeg, copied.path, 'mov', {
      operation: 'metadata/write',
      options: { title: 'Okapi' },
    })
    assert.deepEqual(await told(titled), ['hrv', 'ger', 'srp'])
  })

  test('says that nobody knows which sound track is in which language, where the target has no place for that', async () => {
    const { warnings, messages: told } = await convert(ffmpeg, fixture('tracks.mkv'), 'avi')
    assert.deepEqual(warnings.toSorted(), ['METADATA_DROPPED', 'SUBTITLES_DROPPED'])
    assert.match(told.join(), /languages of the audio tracks \(eng, deu\)/)
  })

  test('says which tracks the target cannot hold', async () => {
    const run = await convert(ffmpeg, fixture('tracks.mkv'), 'flv')
    assert.deepEqual(run.warnings.toSorted(), ['AUDIO_TRACKS_DROPPED', 'SUBTITLES_DROPPED'])
    assert.equal((await streams(run, 'audio')).length, 1)
  })

  test('a second picture track is dropped, which is said', async () => {
    const two = join(scratchFolder('two-pictures'), 'film.mp4')
    const inputs = ['-i', fixture('film.mp4'), '-i', fixture('film.mp4')]
    await output('ffmpeg', '-v', 'error', ...inputs, '-map', '0', '-map', '1:v', '-c', 'copy', two)
    for (const [to, resolution] of [
      ['mkv', undefined],
      ['mp4', '240p'],
    ] as const) {
      const run = await convert(ffmpeg, two, to, { options: resolution ? { resolution } : {} })
      assert.equal((await streams(run, 'video')).length, 1)
      assert.deepEqual(run.warnings, ['VIDEO_TRACKS_DROPPED'], to)
    }
    assert.deepEqual((await convert(ffmpeg, two, 'mp3')).warnings, [])
  })

  test('that is to be shown turned is turned where the target cannot say so', async () => {
    const [stream] = await streams(await convert(ffmpeg, fixture('turned.mov'), 'webm'), 'video')
    assert.deepEqual([stream?.width, stream?.height], [48, 64])
    assert.equal((await convert(ffmpeg, fixture('turned.mov'), 'mp4')).result.method, 'stream-copy')
  })

  test('made of an animation shows its last picture for as long', async () => {
    const shape = { width: 40, height: 30 * 4, channels: 3, pageHeight: 30 } as const
    const pictures = sharp(Buffer.alloc(40 * 30 * 4 * 3, 'four pictures'), { raw: shape })
    const delay = [200, 200, 200, 3000]
    const gif = join(scratchFolder('animation'), 'hold.gif')
    await pictures.gif({ delay }).toFile(gif)
    const apng = (await convert(vips, gif, 'apng')).path
    for (const [source, to] of [
      [gif, 'mp4'],
      [gif, 'webm'],
      [gif, 'avi'],
      [apng, 'mp4'],
    ] as const) {
      const { path, result } = await convert(ffmpeg, source, to)
      const { duration } = (await probed(path)).format
      assert.ok(Math.abs(Number(duration) - 3.6) < 0.05, `${to} lasts ${duration} s`)
      assert.equal(result.details?.['durationS'], 3.6)
    }
  })

  test('with alpha is laid over black where the target has none, and keeps it where it can', async () => {
    const { path } = await convert(ffmpeg, fixture('alpha.webm'), 'mp4')
    const pixels = await output(
      'sh',
      '-c',
      `ffmpeg -v error -i ${path} -frames:v 1 -vf scale=1:1 -f rawvideo -pix_fmt gray - | od -An -tu1`,
    )
    assert.ok(Number(pixels) < 24, `the clear part became ${pixels.trim()}, not black`)
    const [kept] = await streams(
      await convert(ffmpeg, fixture('alpha.webm'), 'webm', { options: { crf: 40 } }),
      'video',
    )
    assert.equal(kept?.tags.alpha_mode, '1')
  })

  test('gives its sound', async () => {
    const run = await film('mp3')
    assert.deepEqual(await codecs(run), ['mp3'])
    assert.equal((await film('m4a')).result.method, 'stream-copy')
  })

  test('without sound cannot become sound', async () => {
    await refused(
      convert(ffmpeg, fixture('alpha.webm'), 'mp3'),
      'UNSUPPORTED_CONVERSION',
      /has no audio track/,
    )
  })
})

describe('a hostile film', () => {
  after(removeRuns)

  test('that is a playlist in disguise reads no file and no server', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const folder = dirname((await convert(ffmpeg, fixture('tone.wav'), 'flac')).path)
    const url = `http://127.0.0.1:${address.port}/a.ts`
    const disguises = {
      m3u8: `#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:1.0,\n${url}\n#EXTINF:1.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`,
      concat: "ffconcat version 1.0\nfile '/etc/passwd'\n",
    }
    for (const [name, text] of Object.entries(disguises)) {
      for (const from of ['mp4', 'avi', 'ts', 'mp3', 'wmv'] as const) {
        const path = join(folder, `${name}.${from}`)
        await writeFile(path, text)
        const running = convert(ffmpeg, path, from === 'mp3' ? 'wav' : 'mkv', { from })
        await refused(running, 'CORRUPT_FILE', undefined, `${name} as ${from}`)
      }
    }
    assert.equal(asked, 0)
    await new Promise((resolve) => server.close(resolve))
  })

  test('that is cut off is corrupt', async () => {
    const path = join((await convert(ffmpeg, fixture('tone.wav'), 'flac')).workDir, 'cut.mp4')
    await writeFile(path, (await readFile(fixture('film.mov'))).subarray(0, 3000))
    await refused(convert(ffmpeg, path, 'webm'), 'CORRUPT_FILE')
  })
})

test('sound of more samples than Vorbis takes with a bit rate has as many as it does take', async () => {
  const folder = dirname((await convert(ffmpeg, fixture('tone.wav'), 'flac')).path)
  const path = join(folder, 'studio.wav')
  const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=192000:duration=1']
  await output('ffmpeg', '-v', 'error', ...tone, '-c:a', 'pcm_s24le', path)
  const [sound] = await streams(await convert(ffmpeg, path, 'ogg'), 'audio')
  assert.deepEqual([sound?.codec_name, sound?.sample_rate], ['vorbis', '48000'])
})

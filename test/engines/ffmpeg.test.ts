import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { AppError } from '../../lib/errors.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { conformance } from './conformance.ts'
import { output, pictureSize, probed } from './judge.ts'
import { convert, fixture, type Run, type RunSettings, removeRuns } from './run-engine.ts'

const sounds: readonly FormatId[] = ['mp3', 'flac', 'ogg', 'm4a', 'webm', 'avi', 'mov']

/** One target for each codec and each muxer; `npm run conformance` tries them all. */
const films: readonly FormatId[] = [
  ...([
    'mov',
    'mkv',
    'webm',
    'avi',
    'xvid',
    'wmv',
    'flv',
    'f4v',
    'swf',
    '3gp',
    'mpeg',
    'vob',
    'm2ts',
  ] as const),
  ...(['ogv', 'mxf', 'wtv', 'rm', 'dv', 'amv', 'h264', 'ivf', 'mjpeg', 'y4m', 'nut', 'ismv'] as const),
  ...(['gif', 'webp', 'apng'] as const),
]
const tracks: readonly FormatId[] = [
  ...([
    'mp3',
    'flac',
    'aac',
    'ogg',
    'm4a',
    'wma',
    'aiff',
    'opus',
    'weba',
    'amr',
    'awb',
    'ac3',
    'dts',
  ] as const),
  ...([
    'caf',
    'au',
    'spx',
    'wv',
    'tta',
    'mp2',
    'ra',
    'latm',
    'mlp',
    'thd',
    'voc',
    'sf',
    'ast',
    'adx',
  ] as const),
  ...(['c2', 'sbc', 'gsm', 'g722', 'g726', 'al', 'sln', 'pcm', 'aptx', 'dfpwm', 'rf64'] as const),
]

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
  // From a film and from a tone to each kind of target, the other sources to the two most wanted.
  only: (from, to) =>
    (from === 'mp4' && films.includes(to)) ||
    (from === 'wav' && tracks.includes(to)) ||
    (sounds.includes(from) && ['mp4', 'mp3'].includes(to)) ||
    (from === 'flac' && ['opus', 'ac3', 'dts', 'amr', 'ogg', 'aac'].includes(to)) ||
    (from === 'gif' && to === 'mp4') ||
    (from === 'mkv' && ['webm', 'mp4'].includes(to)),
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

async function streams(run: Run, type: string) {
  const { streams } = await probed(run.path)
  return streams.filter((stream) => stream.codec_type === type)
}

const codecs = async (run: Run) => (await probed(run.path)).streams.map((stream) => stream.codec_name)

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
    for (const [to, subtitle] of [
      ['mp4', 'mov_text'],
      ['mkv', 'subrip'],
      ['webm', 'webvtt'],
    ] as const) {
      const run = await convert(ffmpeg, fixture('tracks.mkv'), to)
      assert.deepEqual(
        (await streams(run, 'audio')).map(({ tags }) => tags.language),
        ['eng', 'deu'],
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

  test('says which tracks the target cannot hold', async () => {
    const run = await convert(ffmpeg, fixture('tracks.mkv'), 'flv')
    assert.deepEqual(run.warnings.toSorted(), ['AUDIO_TRACKS_DROPPED', 'SUBTITLES_DROPPED'])
    assert.equal((await streams(run, 'audio')).length, 1)
  })

  test('that is to be shown turned is turned where the target cannot say so', async () => {
    const [stream] = await streams(await convert(ffmpeg, fixture('turned.mov'), 'webm'), 'video')
    assert.deepEqual([stream?.width, stream?.height], [48, 64])
    assert.equal((await convert(ffmpeg, fixture('turned.mov'), 'mp4')).result.method, 'stream-copy')
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
    await assert.rejects(convert(ffmpeg, fixture('alpha.webm'), 'mp3'), (error) => {
      return (
        error instanceof AppError &&
        error.code === 'UNSUPPORTED_CONVERSION' &&
        /has no sound/.test(error.message)
      )
    })
  })
})

describe('an option of a film', () => {
  after(removeRuns)
  const size = async (to: FormatId, options: Record<string, unknown>, source = 'film.mp4') => {
    const [stream] = await streams(await convert(ffmpeg, fixture(source), to, { options }), 'video')
    return [stream?.width, stream?.height]
  }

  test('sets the resolution by the shorter side or by a box, and keeps the shape', async () => {
    assert.deepEqual(await size('mp4', { resolution: '240P' }), [320, 240])
    assert.deepEqual(await size('mp4', { resolution: '32x32' }), [32, 24])
    assert.deepEqual(await size('mp4', { resolution: '240p' }, 'turned.mov'), [240, 320])
  })

  test('turns the picture', async () => {
    assert.deepEqual(await size('mp4', { rotate: '90' }), [48, 64])
    assert.deepEqual(await size('mp4', { rotate: 180 }), [64, 48])
  })

  test('sets pictures per second, bit rates, sample rate and two passes', async () => {
    const options = {
      fps: '5',
      videoBitrate: '100k',
      twoPass: 'true',
      audioBitrate: '64k',
      audioSampleRate: 22050,
    }
    const run = await convert(ffmpeg, fixture('film.mp4'), 'mp4', { options })
    const [video] = await streams(run, 'video')
    const [audio] = await streams(run, 'audio')
    assert.equal(video?.nb_read_packets, 5)
    assert.equal(audio?.sample_rate, '22050')
    assert.ok(run.progress.length > 2)
  })

  test('makes a better picture larger', async () => {
    const bytes = async (options: Record<string, unknown>) =>
      (await stat((await convert(ffmpeg, fixture('film.mp4'), 'mp4', { options })).path)).size
    assert.ok((await bytes({ quality: 'low' })) < (await bytes({ quality: 'highest' })))
    assert.ok((await bytes({ quality: 10 })) < (await bytes({ quality: 95 })))
    assert.ok((await bytes({ crf: 45 })) < (await bytes({ crf: 15 })))
  })

  test('takes each preset and each codec of its container', { concurrency: 2 }, async () => {
    const asked = [
      ['mp4', 'av1', 'av1'],
      ['mp4', 'mpeg4', 'mpeg4'],
      ['webm', 'vp8', 'vp8'],
      ['webm', 'libsvtav1', 'av1'],
      ['mov', 'prores', 'prores'],
      ['mkv', 'theora', 'theora'],
      ['avi', 'xvid', 'mpeg4'],
    ] as const
    for (const [to, codec, name] of asked) {
      const run = await convert(ffmpeg, fixture('film.mp4'), to, { options: { codec, preset: 'ultrafast' } })
      assert.equal((await streams(run, 'video'))[0]?.codec_name, name, codec)
    }
  })

  test('that means nothing to the codec is said to be left out', async () => {
    const { warnings } = await convert(ffmpeg, fixture('film.mp4'), 'mov', {
      options: { codec: 'prores', crf: 20, preset: 'fast' },
    })
    assert.deepEqual(warnings, ['OPTION_NOT_USED', 'OPTION_NOT_USED'])
  })

  test('of bit rates is not there where sound loses nothing', () => {
    for (const [to, present] of [
      ['flac', false],
      ['wav', false],
      ['mp3', true],
    ] as const) {
      const { options } = ffmpeg.capabilities.find((one) => one.to.includes(to)) ?? assert.fail()
      assert.equal('audioBitrate' in options.shape, present, to)
    }
  })

  test('out of bounds is refused', () => {
    const { options } = ffmpeg.capabilities.find(({ to }) => to.includes('mp4')) ?? assert.fail()
    const wrong = [
      { codec: 'vp8' },
      { codec: 'h264,scale=1' },
      { preset: 'placebo' },
      { crf: 64 },
      { crf: '-1' },
      { videoBitrate: '1' },
      { videoBitrate: '5 -f null' },
      { resolution: '99999x2' },
      { resolution: '1080p[in]' },
      { fps: 0 },
      { fps: 61 },
      { rotate: 45 },
      { audioSampleRate: 1 },
      { twoPass: 'perhaps' },
    ]
    for (const given of wrong) assert.equal(options.safeParse(given).success, false, JSON.stringify(given))
  })
})

describe('sound', () => {
  after(removeRuns)

  test('of six channels keeps them where the codec can and is mixed down where it cannot', async () => {
    for (const [to, channels] of [
      ['opus', 6],
      ['ac3', 6],
      ['aac', 6],
      ['wav', 6],
      ['mp3', 2],
      ['amr', 1],
    ] as const) {
      const [stream] = await streams(await convert(ffmpeg, fixture('surround.flac'), to), 'audio')
      assert.equal(stream?.channels, channels, to)
    }
  })

  test('keeps its title and its cover where the target holds one', async () => {
    for (const to of ['mp3', 'm4a', 'flac'] as const) {
      const run = await convert(ffmpeg, fixture('cover.mp3'), to, { options: { quality: 'low' } })
      assert.equal((await streams(run, 'video')).length, 1, to)
      assert.match(
        await output('ffprobe', '-v', 'error', '-show_entries', 'format_tags', run.path),
        /=Grüße/,
        to,
      )
    }
    assert.deepEqual(await codecs(await convert(ffmpeg, fixture('cover.mp3'), 'wav')), ['pcm_s16le'])
  })

  test('is copied into its own format, and encoded when a bit rate is asked for', async () => {
    assert.equal((await convert(ffmpeg, fixture('tone.mp3'), 'mp3')).result.method, 'stream-copy')
    const run = await convert(ffmpeg, fixture('tone.mp3'), 'mp3', { options: { audioBitrate: '64k' } })
    assert.equal(run.result.method, 'encode')
  })

  test('without loss is the same samples', async () => {
    const samples = (path: string) =>
      output('ffmpeg', '-v', 'error', '-i', path, '-f', 'md5', '-c:a', 'pcm_s16le', '-')
    const source = await samples(fixture('tone.wav'))
    for (const to of ['flac', 'alac', 'wv', 'tta', 'aiff', 'au', 'caf', 'w64'] as const) {
      assert.equal(await samples((await convert(ffmpeg, fixture('tone.wav'), to)).path), source, to)
    }
  })
})

describe('a GIF of a film', () => {
  after(removeRuns)
  const gif = (options: Record<string, unknown>) => convert(ffmpeg, fixture('film.mp4'), 'gif', { options })
  const frames = async (run: Run) => (await streams(run, 'video'))[0]?.nb_read_packets

  test('has the width, frames and part that were asked for', async () => {
    const run = await gif({ width: 32, fps: 10, start: '00:00:00.2', end: '0.7' })
    assert.deepEqual(await pictureSize(run.path, 'gif'), { width: 32, height: 24 })
    assert.equal(await frames(run), 5)
  })

  test('plays forward and back', async () => {
    assert.equal(await frames(await gif({ boomerang: 'true' })), 19)
  })

  test('repeats as often as asked', async () => {
    const loops = async (loop: number) => {
      const bytes = await readFile((await gif({ loop })).path)
      const at = bytes.indexOf('NETSCAPE2.0')
      return at < 0 ? undefined : bytes.readUInt16LE(at + 13)
    }
    assert.deepEqual([await loops(0), await loops(1), await loops(3)], [0, undefined, 2])
  })

  test('takes every dither and palette', async () => {
    for (const dither of ['none', 'floyd_steinberg', 'bayer:bayer_scale=5', 'sierra2']) {
      assert.equal(await frames(await gif({ dither, palette: 'full' })), 10, dither)
    }
  })

  test('fits into the size that was asked for', async () => {
    const whole = (await stat((await gif({ width: 400 })).path)).size
    const maxFileSize = Math.ceil(whole / 2)
    const run = await gif({ width: 400, maxFileSize })
    assert.ok((await stat(run.path)).size <= maxFileSize)
  })

  test('of a part that is not there is refused', async () => {
    for (const options of [{ start: 5 }, { start: 0.5, end: 0.2 }]) {
      await assert.rejects(
        gif(options),
        (error) => error instanceof AppError && error.code === 'INVALID_INPUT',
      )
    }
  })

  test('out of bounds is refused', () => {
    const { options } = ffmpeg.capabilities.find(({ to }) => to.includes('gif')) ?? assert.fail()
    for (const given of [
      { fps: 4 },
      { fps: 31 },
      { dither: 'bayer:bayer_scale=1,x' },
      { start: '1:2:3:4' },
      { start: 'now' },
      { loop: -1 },
      { maxFileSize: '1' },
    ]) {
      assert.equal(options.safeParse(given).success, false, JSON.stringify(given))
    }
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
        await assert.rejects(convert(ffmpeg, path, from === 'mp3' ? 'wav' : 'mkv', { from }), (error) => {
          assert.ok(error instanceof AppError, String(error))
          return error.code === 'CORRUPT_FILE'
        })
      }
    }
    assert.equal(asked, 0)
    await new Promise((resolve) => server.close(resolve))
  })

  test('that is cut off is corrupt', async () => {
    const path = join((await convert(ffmpeg, fixture('tone.wav'), 'flac')).workDir, 'cut.mp4')
    await writeFile(path, (await readFile(fixture('film.mov'))).subarray(0, 3000))
    await assert.rejects(
      convert(ffmpeg, path, 'webm'),
      (error) => error instanceof AppError && error.code === 'CORRUPT_FILE',
    )
  })
})

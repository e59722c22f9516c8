import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import sharp from 'sharp'
import { readLanguages } from '../../../lib/engines/ffmpeg/track-languages.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { vips } from '../../../lib/engines/vips.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { defined } from '../../../lib/validation/defined.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { testConformance } from '../support/conformance.ts'
import { probeCodecs, probeStreams, readStdout, runFfprobe } from '../support/inspect-result.ts'
import { convert, fixture, type RunSettings, removeRuns } from '../support/run-engine.ts'

/** Representative conversions that use different code paths; `npm run conformance` tests every conversion. */
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

testConformance(ffmpeg, {
  fixtures: {
    mp4: fixture('video.mp4'),
    wav: fixture('tone.wav'),
    gif: fixture('animated.gif'),
    mkv: fixture('tracks.mkv'),
    mp3: fixture('tone.mp3'),
    flac: fixture('surround.flac'),
    ogg: fixture('tone.ogg'),
    m4a: fixture('tone.m4a'),
    webm: fixture('video.webm'),
    avi: fixture('video.avi'),
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
    source: fixture('video.mp4'),
    to: 'webm',
    options: { resolution: '4k', preset: 'veryslow', fps: 60 },
  },
})

describe('video conversions', () => {
  after(removeRuns)
  const convertVideo = (to: FormatId, options?: RunSettings['options']) =>
    convert(ffmpeg, fixture('video.mp4'), to, { ...defined({ options }) })

  test('a video is converted with the method stream-copy if the target format supports its streams', async () => {
    const run = await convertVideo('mkv')
    assert.equal(run.result.method, 'stream-copy')
    assert.deepEqual(await probeCodecs(run), ['h264', 'aac'])
  })

  test('a video is re-encoded if the format does not support its streams', async () => {
    const run = await convertVideo('webm')
    assert.equal(run.result.method, 'encode')
    assert.deepEqual(await probeCodecs(run), ['vp9', 'opus'])
  })

  test('a video with VP9 and Opus is copied to MP4', async () => {
    const run = await convert(ffmpeg, fixture('video.webm'), 'mp4')
    assert.equal(run.result.method, 'stream-copy')
    assert.deepEqual(await probeCodecs(run), ['vp9', 'opus'])
  })

  test('a video option re-encodes only the streams that it affects', async () => {
    assert.equal((await convertVideo('mp4')).result.method, 'stream-copy')
    assert.equal((await convertVideo('mp4', { mode: 'encode' })).result.method, 'encode')
    assert.equal((await convertVideo('mp4', { crf: '30' })).result.method, 'encode')
    assert.equal((await convertVideo('mp4', { codec: 'libx264' })).result.method, 'stream-copy')
    assert.deepEqual(await probeCodecs(await convertVideo('mp4', { codec: 'hevc' })), ['hevc', 'aac'])
    assert.deepEqual(await probeCodecs(await convertVideo('mp4', { audioCodec: 'libmp3lame' })), [
      'h264',
      'mp3',
    ])
  })

  test('a video whose packets cannot all be copied is encoded instead, and the MP4 has a video track', async () => {
    // The header is valid, but the index points to zeros: the copy ends too early.
    const brokenVideo = join((await convertVideo('mkv')).workDir, 'odd.avi')
    const videoBytes = await readFile(fixture('video.avi'))
    await writeFile(brokenVideo, videoBytes.fill(0, 8000, videoBytes.length - 4000))
    const run = await convert(ffmpeg, brokenVideo, 'mp4', { from: 'avi' })
    assert.deepEqual([run.result.method, run.commands], ['encode', ['ffprobe', 'ffmpeg', 'ffmpeg']])
    assert.equal((await probeStreams(run, 'video')).length, 1)
  })

  test('a video keeps its subtitles and all audio tracks with their languages', async () => {
    for (const [to, subtitle, expectedLanguage] of [
      ['mp4', 'mov_text', 'deu'],
      // QuickTime stores languages as numbers; for German, ffprobe returns the older code `ger`.
      ['mov', 'mov_text', 'ger'],
      ['mkv', 'subrip', 'deu'],
      ['webm', 'webvtt', 'deu'],
    ] as const) {
      const run = await convert(ffmpeg, fixture('tracks.mkv'), to)
      assert.deepEqual(
        (await probeStreams(run, 'audio')).map(({ tags }) => tags.language),
        ['eng', expectedLanguage],
        to,
      )
      assert.deepEqual(
        (await probeStreams(run, 'subtitle')).map((stream) => stream.codec_name),
        [subtitle],
        to,
      )
      assert.deepEqual(run.warnings, [], to)
    }
  })

  test('a video converted to QuickTime keeps languages that have no QuickTime number', async () => {
    const source = join(scratchFolder('languages'), 'source.mkv')
    const tags = ['-metadata:s:a:0', 'language=hrv', '-metadata:s:a:1', 'language=deu', '-metadata:s:s:0']
    const inputs = ['-i', fixture('tracks.mkv'), '-map', '0', '-c', 'copy']
    await readStdout('ffmpeg', '-v', 'error', '-y', ...inputs, ...tags, 'language=srp', source)
    const readTrackLanguages = async (run: Awaited<ReturnType<typeof convert>>) => {
      const tracks = [...(await probeStreams(run, 'audio')), ...(await probeStreams(run, 'subtitle'))]
      return tracks.map(({ tags }) => tags.language)
    }
    const streamCopy = await convert(ffmpeg, source, 'mov')
    assert.deepEqual(await readTrackLanguages(streamCopy), ['hrv', 'ger', 'srp'])
    assert.deepEqual(await readLanguages(streamCopy.path), { audio: ['hrv', undefined], subtitles: ['srp'] })
    const titledRun = await convert(ffmpeg, streamCopy.path, 'mov', {
      operation: 'metadata/write',
      options: { title: 'Okapi' },
    })
    assert.deepEqual(await readTrackLanguages(titledRun), ['hrv', 'ger', 'srp'])
  })

  test('a video causes a warning if the format cannot store the languages of the audio tracks', async () => {
    const { warnings, messages } = await convert(ffmpeg, fixture('tracks.mkv'), 'avi')
    assert.deepEqual(warnings.toSorted(), ['METADATA_DROPPED', 'SUBTITLES_DROPPED'])
    assert.match(messages.join(), /languages of the audio tracks \(eng, deu\)/)
  })

  test('a video causes a warning for each track that the format does not support', async () => {
    const run = await convert(ffmpeg, fixture('tracks.mkv'), 'flv')
    assert.deepEqual(run.warnings.toSorted(), ['AUDIO_TRACKS_DROPPED', 'SUBTITLES_DROPPED'])
    assert.equal((await probeStreams(run, 'audio')).length, 1)
  })

  test('a video loses its second video track with a warning', async () => {
    const pathWithTwoTracks = join(scratchFolder('two-video-tracks'), 'source.mp4')
    const inputs = ['-i', fixture('video.mp4'), '-i', fixture('video.mp4')]
    await readStdout(
      'ffmpeg',
      '-v',
      'error',
      ...inputs,
      '-map',
      '0',
      '-map',
      '1:v',
      '-c',
      'copy',
      pathWithTwoTracks,
    )
    for (const [to, resolution] of [
      ['mkv', undefined],
      ['mp4', '240p'],
    ] as const) {
      const run = await convert(ffmpeg, pathWithTwoTracks, to, { options: resolution ? { resolution } : {} })
      assert.equal((await probeStreams(run, 'video')).length, 1)
      assert.deepEqual(run.warnings, ['VIDEO_TRACKS_DROPPED'], to)
    }
    assert.deepEqual((await convert(ffmpeg, pathWithTwoTracks, 'mp3')).warnings, [])
  })

  test('a video with a stored rotation is rotated if the format cannot store the rotation', async () => {
    const [stream] = await probeStreams(await convert(ffmpeg, fixture('turned.mov'), 'webm'), 'video')
    assert.deepEqual([stream?.width, stream?.height], [48, 64])
    assert.equal((await convert(ffmpeg, fixture('turned.mov'), 'mp4')).result.method, 'stream-copy')
  })

  test('a video made from an animation is as long as the animation, including the last frame', async () => {
    const shape = { width: 40, height: 30 * 4, channels: 3, pageHeight: 30 } as const
    const frames = sharp(Buffer.alloc(40 * 30 * 4 * 3, 'four frames!!'), { raw: shape })
    const delaysMs = [200, 200, 200, 3000]
    const gif = join(scratchFolder('animation'), 'hold.gif')
    await frames.gif({ delay: delaysMs }).toFile(gif)
    const apng = (await convert(vips, gif, 'apng')).path
    for (const [source, to] of [
      [gif, 'mp4'],
      [gif, 'webm'],
      [gif, 'avi'],
      [apng, 'mp4'],
    ] as const) {
      const { path, result } = await convert(ffmpeg, source, to)
      const { duration } = (await runFfprobe(path)).format
      assert.ok(Math.abs(Number(duration) - 3.6) < 0.05, `${to} lasts ${duration} s`)
      assert.equal(result.details?.['durationS'], 3.6)
    }
  })

  test('a video with transparency gets a black background unless the format supports transparency', async () => {
    const { path } = await convert(ffmpeg, fixture('alpha.webm'), 'mp4')
    const pixels = await readStdout(
      'sh',
      '-c',
      `ffmpeg -v error -i ${path} -frames:v 1 -vf scale=1:1 -f rawvideo -pix_fmt gray - | od -An -tu1`,
    )
    assert.ok(Number(pixels) < 24, `the transparent part became ${pixels.trim()}, not black`)
    const [keptStream] = await probeStreams(
      await convert(ffmpeg, fixture('alpha.webm'), 'webm', { options: { crf: 40 } }),
      'video',
    )
    assert.equal(keptStream?.tags.alpha_mode, '1')
  })

  test('a video can be converted to audio', async () => {
    const run = await convertVideo('mp3')
    assert.deepEqual(await probeCodecs(run), ['mp3'])
    assert.equal((await convertVideo('m4a')).result.method, 'stream-copy')
  })

  test('a video without audio cannot be converted to audio', async () => {
    await assertRefused(
      convert(ffmpeg, fixture('alpha.webm'), 'mp3'),
      'UNSUPPORTED_CONVERSION',
      /has no audio track/,
    )
  })
})

describe('hostile videos', () => {
  after(removeRuns)

  test('a hostile video that is a disguised playlist cannot open other files or servers', async () => {
    let requestCount = 0
    const server = createServer((_, response) => {
      requestCount++
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
        const runningConversion = convert(ffmpeg, path, from === 'mp3' ? 'wav' : 'mkv', { from })
        await assertRefused(runningConversion, 'CORRUPT_FILE', undefined, `${name} as ${from}`)
      }
    }
    assert.equal(requestCount, 0)
    await new Promise((resolve) => server.close(resolve))
  })

  test('a hostile video that is truncated is reported as corrupt', async () => {
    const path = join((await convert(ffmpeg, fixture('tone.wav'), 'flac')).workDir, 'cut.mp4')
    await writeFile(path, (await readFile(fixture('video.mov'))).subarray(0, 3000))
    await assertRefused(convert(ffmpeg, path, 'webm'), 'CORRUPT_FILE')
  })
})

test('audio with a higher sample rate than Vorbis supports at a fixed bit rate is resampled', async () => {
  const folder = dirname((await convert(ffmpeg, fixture('tone.wav'), 'flac')).path)
  const path = join(folder, 'studio.wav')
  const tone = ['-f', 'lavfi', '-i', 'sine=sample_rate=192000:duration=1']
  await readStdout('ffmpeg', '-v', 'error', ...tone, '-c:a', 'pcm_s24le', path)
  const [audio] = await probeStreams(await convert(ffmpeg, path, 'ogg'), 'audio')
  assert.deepEqual([audio?.codec_name, audio?.sample_rate], ['vorbis', '48000'])
})

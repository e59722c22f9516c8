// Run by `npm run test:slow`: tests what audio conversions keep.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { probeCodecs, probeStreams, readStdout } from '../support/inspect-result.ts'
import { convert, fixture, removeRuns } from '../support/run-engine.ts'

const folder = scratchFolder('audio')

/** Creates one second of audio at 48 kHz in which each channel has its own tone: 300 Hz, 500 Hz and so on. */
function createTones(layout: string, channels: number): string {
  const path = join(folder, `${layout}.wav`)
  const tones = Array.from({ length: channels }, (_, at) => `0.4*sin(2*PI*${300 + 200 * at}*t)`).join('|')
  const source = `aevalsrc=${tones}:s=48000:d=1:c=${layout}`
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:a', 'pcm_s16le', path])
  return path
}

/** Returns the number of the tone in each channel; a dash for silence. */
async function detectTones(path: string, toneCount: number): Promise<string> {
  const args = ['-v', 'error', '-i', path, '-ss', '0.3', '-t', '0.4', '-f', 'f32le', '-c:a', 'pcm_f32le', '-']
  const bytes = execFileSync('ffmpeg', args, { maxBuffer: 1 << 26 })
  const probeOutput = await readStdout(
    'ffprobe',
    '-v',
    'error',
    '-show_entries',
    'stream=channels,sample_rate',
    '-of',
    'csv=p=0',
    path,
  )
  const [rate = 0, channels = 0] = probeOutput.trim().split(',').map(Number)
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  const measureLoudness = (channel: number, hertz: number) => {
    let [re, im] = [0, 0]
    for (let at = channel, n = 0; at < samples.length; at += channels, n++) {
      re += (samples[at] ?? 0) * Math.cos((2 * Math.PI * hertz * n) / rate)
      im += (samples[at] ?? 0) * Math.sin((2 * Math.PI * hertz * n) / rate)
    }
    return (2 * Math.hypot(re, im) * channels) / samples.length
  }
  return Array.from({ length: channels }, (_, channel) => {
    const audibleTones = Array.from({ length: toneCount }, (_, tone) => tone).filter(
      (tone) => measureLoudness(channel, 300 + 200 * tone) > 0.05,
    )
    return audibleTones.join('+') || '-'
  }).join(' ')
}

describe('audio conversions', () => {
  after(removeRuns)

  test('audio keeps six channels if the codec supports them, and is mixed down otherwise', async () => {
    for (const [to, channels] of [
      ['opus', 6],
      ['ac3', 6],
      ['aac', 6],
      ['wav', 6],
      ['mp3', 2],
      ['amr', 1],
    ] as const) {
      const [stream] = await probeStreams(await convert(ffmpeg, fixture('surround.flac'), to), 'audio')
      assert.equal(stream?.channels, channels, to)
    }
  })

  test('audio keeps its title, and keeps its cover if the format supports one', async () => {
    for (const to of ['mp3', 'm4a', 'flac'] as const) {
      const run = await convert(ffmpeg, fixture('cover.mp3'), to, { options: { quality: 'low' } })
      assert.equal((await probeStreams(run, 'video')).length, 1, to)
      assert.match(
        await readStdout('ffprobe', '-v', 'error', '-show_entries', 'format_tags', run.path),
        /=Grüße/,
        to,
      )
    }
    assert.deepEqual(await probeCodecs(await convert(ffmpeg, fixture('cover.mp3'), 'wav')), ['pcm_s16le'])
  })

  test('audio converted to its own format is copied, but re-encoded if a bit rate is requested', async () => {
    assert.equal((await convert(ffmpeg, fixture('tone.mp3'), 'mp3')).result.method, 'stream-copy')
    const run = await convert(ffmpeg, fixture('tone.mp3'), 'mp3', { options: { audioBitrate: '64k' } })
    assert.equal(run.result.method, 'encode')
  })

  test('audio with three or more channels keeps the position of each channel', async () => {
    const sources = { '3.0': 3, quad: 4, '4.0': 4, '5.0': 5 } as const
    const targets = ['flac', 'm4a', 'opus', 'alac'] as const
    /** If the codec has no layout with exactly these speakers, the additional ones are silent. */
    const layoutsWithSilence: Readonly<Record<string, string>> = {
      'alac of quad': '0 1 - 2 3',
      'opus of 4.0': '0 1 2 - 3 - -',
    }
    for (const [layout, voices] of Object.entries(sources)) {
      const source = createTones(layout, voices)
      const order = Array.from({ length: voices }, (_, at) => at).join(' ')
      for (const to of targets) {
        const { path } = await convert(ffmpeg, source, to)
        assert.equal(
          await detectTones(path, voices),
          layoutsWithSilence[`${to} of ${layout}`] ?? order,
          `${to} of ${layout}`,
        )
      }
    }
  })

  test('audio with unnamed channels keeps the order of the channels', async () => {
    const tonesWithLayout = createTones('quad', 4)
    const pathWithoutLayout = join(folder, 'unnamed.au')
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-i',
      tonesWithLayout,
      '-c:a',
      'pcm_s16be',
      pathWithoutLayout,
    ])
    for (const to of ['flac', 'wav', 'ogg'] as const)
      assert.equal(await detectTones((await convert(ffmpeg, pathWithoutLayout, to)).path, 4), '0 1 2 3', to)
  })

  test('audio with 20, 24 or 32 bits per sample keeps them or causes a warning', async () => {
    const readSamples = (path: string) =>
      readStdout('ffmpeg', '-v', 'error', '-i', path, '-f', 'md5', '-c:a', 'pcm_s32le', '-')
    const createNoise = (name: string, codec: string, ...filters: string[]) => {
      const path = join(folder, name)
      const source = ['anoisesrc=seed=7:d=0.5:a=0.5', ...filters].join(',')
      execFileSync('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, '-c:a', codec, path])
      return path
    }
    const losslessFormats: readonly FormatId[] = ['wav', 'flac', 'alac', 'wv', 'tta', 'aiff']
    const wav24Bit = createNoise('deep24.wav', 'pcm_s24le')
    for (const source of [encode20BitFlac(wav24Bit), wav24Bit]) {
      for (const to of losslessFormats) {
        const run = await convert(ffmpeg, source, to)
        assert.equal(await readSamples(run.path), await readSamples(source), `${to} of ${source}`)
        assert.deepEqual(run.warnings, [], to)
      }
    }
    const wav32Bit = createNoise('deep32.wav', 'pcm_s32le')
    for (const to of ['wav', 'wv', 'aiff', 'caf'] as const)
      assert.equal(
        await readSamples((await convert(ffmpeg, wav32Bit, to)).path),
        await readSamples(wav32Bit),
        to,
      )
    for (const to of ['flac', 'alac'] as const)
      assert.deepEqual((await convert(ffmpeg, wav32Bit, to)).warnings, ['SAMPLES_ROUNDED'], to)
  })

  test('32-bit FLAC audio keeps identical samples in WAV', async () => {
    const deepPath = join(folder, 'deep.wav')
    const source = ['-f', 'lavfi', '-i', 'anoisesrc=seed=7:d=0.5:a=0.5']
    execFileSync('ffmpeg', ['-v', 'error', '-y', ...source, '-c:a', 'pcm_s32le', '-bitexact', deepPath])
    const flac = join(folder, 'deep.flac')
    execFileSync('flac', ['--silent', '--force', '-o', flac, deepPath])
    const readSamples = (path: string) =>
      readStdout('ffmpeg', '-v', 'error', '-i', path, '-f', 'md5', '-c:a', 'pcm_s32le', '-')
    assert.equal(await readSamples((await convert(ffmpeg, flac, 'wav')).path), await readSamples(deepPath))
  })

  test('an audio file without samples is refused as corrupt', async () => {
    const header = Buffer.from(
      'RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0data\0\0\0\0',
      'latin1',
    )
    const emptyWav = join(folder, 'empty.wav')
    writeFileSync(emptyWav, header)
    for (const to of ['mp3', 'flac', 'wav', 'm4a', 'ogg'] as const)
      await assertRefused(convert(ffmpeg, emptyWav, to), 'CORRUPT_FILE')
  })

  test('audio keeps identical samples in lossless formats', async () => {
    const readSamples = (path: string) =>
      readStdout('ffmpeg', '-v', 'error', '-i', path, '-f', 'md5', '-c:a', 'pcm_s16le', '-')
    const source = await readSamples(fixture('tone.wav'))
    for (const to of ['flac', 'alac', 'wv', 'tta', 'aiff', 'au', 'caf', 'w64'] as const) {
      assert.equal(await readSamples((await convert(ffmpeg, fixture('tone.wav'), to)).path), source, to)
    }
  })
})

/** Creates a 20-bit FLAC: the reference encoder makes it from a 24-bit WAV that declares 20 valid bits. */
function encode20BitFlac(wav: string): string {
  const raw = execFileSync('ffmpeg', ['-v', 'error', '-i', wav, '-f', 's24le', '-c:a', 'pcm_s24le', '-'], {
    maxBuffer: 1 << 26,
  })
  for (let at = 0; at < raw.length; at += 3) raw[at] = (raw[at] ?? 0) & 0xf0
  const format = Buffer.alloc(40)
  format.writeUInt16LE(0xfffe, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(44_100, 4)
  format.writeUInt32LE(44_100 * 3, 8)
  format.writeUInt16LE(3, 12)
  format.writeUInt16LE(24, 14)
  format.writeUInt16LE(22, 16)
  format.writeUInt16LE(20, 18)
  format.writeUInt32LE(4, 20)
  format.write('0100000000001000800000aa00389b71', 24, 'hex')
  const createChunk = (name: string, data: Buffer) => {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(data.length)
    return Buffer.concat([Buffer.from(name), size, data])
  }
  const body = Buffer.concat([Buffer.from('WAVE'), createChunk('fmt ', format), createChunk('data', raw)])
  const path = join(folder, 'deep20.wav')
  writeFileSync(path, createChunk('RIFF', body))
  execFileSync('flac', ['--silent', '--force', path])
  return path.replace('.wav', '.flac')
}

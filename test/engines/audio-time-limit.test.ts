import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { maxAudioSeconds } from '../../lib/engines/ffmpeg/audio-encode-time.ts'
import { mergeAudioOptions } from '../../lib/engines/ffmpeg/options.ts'
import { ffmpeg } from '../../lib/engines/ffmpeg.ts'
import { createTools } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { scratchFolder } from '../scratch-folder.ts'
import { fixture } from './run-engine.ts'

/** Twice a tone of a second with ten between, for a worker that has so many seconds. */
async function splitFor(timeoutS: number, to: FormatId = 'm4a') {
  const workDir = scratchFolder('merge-sound')
  const outDir = join(workDir, 'out')
  await mkdir(outDir)
  const inputs = []
  for (const name of ['source-1.m4a', 'source-2.m4a']) {
    const path = join(workDir, name)
    await copyFile(fixture('tone.m4a'), path)
    inputs.push({ path, filename: name, format: 'm4a', size: 1 } as const)
  }
  const tools = createTools({ workDir, limits: ffmpeg.limits, signal: new AbortController().signal })
  const options = mergeAudioOptions.parse({ gap: 10 })
  const work = { operation: 'merge', inputs, from: 'm4a', to, options, outDir } as const
  return ffmpeg.split?.(work, tools, { workers: 100, timeoutS })
}

/** The tone of a second in mono, which takes 0.014 s as m4a. */
async function convertFor(
  timeoutS: number,
  to: FormatId,
  { operation = 'convert', ...given }: { operation?: 'convert' | 'compress' } & Record<string, unknown> = {},
) {
  const workDir = scratchFolder('sound-time')
  const path = join(workDir, 'source.m4a')
  await copyFile(fixture('tone.m4a'), path)
  const inputs = [{ path, filename: 'tone.m4a', format: 'm4a', size: 1 }] as const
  const tools = createTools({ workDir, limits: ffmpeg.limits, signal: new AbortController().signal })
  const work = { operation, inputs, from: 'm4a', to, options: { ...given }, outDir: workDir } as const
  return ffmpeg.split?.(work, tools, { workers: 100, timeoutS })
}

const tooLong = (sentence: RegExp) => (error: Error) => {
  assert.match(error.message, sentence)
  return 'code' in error && error.code === 'TIMEOUT'
}

test('sound that takes longer to merge than one worker has is refused beforehand, with what would do', async () => {
  // Twelve seconds of mono, which take 0.17.
  const said =
    /^The pieces last together \d+ min; .* become m4a in the 0.1 s .* Merge fewer, or make mp3 or flac or wav of it\.$/
  await assert.rejects(splitFor(0.1), tooLong(said))
  assert.equal(await splitFor(0.3), undefined)
  assert.equal(await splitFor(0.1, 'flac'), undefined)
  assert.equal(await splitFor(Number.POSITIVE_INFINITY), undefined)
})

test('so is sound that takes longer to convert or to compress, unless it is copied or cut short enough', async () => {
  const parts =
    /^The sound lasts \d+ min; .* become aac in the 0.01 s .* Convert it in parts, with start and end, or make mp3 or flac or wav of it\.$/
  await assert.rejects(convertFor(0.01, 'aac', { mode: 'encode' }), tooLong(parts))
  assert.equal(await convertFor(0.01, 'aac'), undefined)
  assert.equal(await convertFor(0.01, 'aac', { mode: 'encode', end: 0.5 }), undefined)
  await assert.rejects(convertFor(0.005, 'mp3'), tooLong(/with start and end, or make flac or wav of it\.$/))
  assert.equal(await convertFor(0.005, 'mp3', { audioSampleRate: 16_000 }), undefined)
  await assert.rejects(convertFor(0.01, 'mp3', { channels: 2 }), tooLong(/become mp3/))
  await assert.rejects(convertFor(0.0005, 'wav'), tooLong(/with start and end\.$/))
  await assert.rejects(
    convertFor(0.01, 'm4a', { operation: 'compress', quality: 50 }),
    tooLong(/Compress parts of it, or make mp3/),
  )
  assert.equal(await convertFor(0.1, 'm4a', { operation: 'compress', quality: 50 }), undefined)
})

test('an hour of FLAC takes less than one of AAC, and six channels thrice as long as two', () => {
  const stereo = { channels: 2, sampleRate: 48_000 }
  const [aac = 0, flac = 0] = (['aac', 'flac'] as const).map((codec) => maxAudioSeconds(840, codec, stereo))
  assert.ok(flac > aac)
  // Seven hours and a half.
  assert.equal(Math.round(aac / 60), 452)
  assert.equal(maxAudioSeconds(840, 'aac', { channels: 6, sampleRate: 48_000 }), aac / 3)
  assert.equal(maxAudioSeconds(840, 'speex', stereo), undefined)
})

import assert from 'node:assert/strict'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { computeMaxAudioSeconds } from '../../../lib/engines/ffmpeg/audio-encode-time.ts'
import { mergeAudioOptions } from '../../../lib/engines/ffmpeg/options.ts'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { createTools } from '../../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { fixture } from '../support/run-engine.ts'

/** Splits a merge of two one-second tones with a gap of ten seconds. Each worker has this time limit. */
async function splitMerge(timeoutS: number, to: FormatId = 'm4a') {
  const workDir = scratchFolder('merge-audio')
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

/** Splits the conversion of a one-second mono tone. A conversion to M4A is estimated to take 0.014 s. */
async function splitConversion(
  timeoutS: number,
  to: FormatId,
  {
    operation = 'convert',
    ...options
  }: { operation?: 'convert' | 'compress' } & Record<string, unknown> = {},
) {
  const workDir = scratchFolder('audio-time-limit')
  const path = join(workDir, 'source.m4a')
  await copyFile(fixture('tone.m4a'), path)
  const inputs = [{ path, filename: 'tone.m4a', format: 'm4a', size: 1 }] as const
  const tools = createTools({ workDir, limits: ffmpeg.limits, signal: new AbortController().signal })
  const work = { operation, inputs, from: 'm4a', to, options: { ...options }, outDir: workDir } as const
  return ffmpeg.split?.(work, tools, { workers: 100, timeoutS })
}

const isTimeout = (sentence: RegExp) => (error: Error) => {
  assert.match(error.message, sentence)
  return 'code' in error && error.code === 'TIMEOUT'
}

test('merging audio is refused in advance, with advice, if it would exceed the time limit', async () => {
  // The merge contains twelve seconds of mono audio, whose conversion is estimated to take 0.17 s.
  const messagePattern =
    /^The merged files are \d+ min long; .* converted to m4a within .* 0.1 s\. Merge fewer files, or convert it to mp3 or flac or wav\.$/
  await assert.rejects(splitMerge(0.1), isTimeout(messagePattern))
  assert.equal(await splitMerge(0.3), undefined)
  assert.equal(await splitMerge(0.1, 'flac'), undefined)
  assert.equal(await splitMerge(Number.POSITIVE_INFINITY), undefined)
})

test('converting or compressing audio that would exceed the time limit is refused, unless it is copied or trimmed', async () => {
  const messagePattern =
    /^The audio is \d+ min long; .* converted to aac within .* 0.01 s\. Convert it in parts with the options start and end, or convert it to mp3 or flac or wav\.$/
  await assert.rejects(splitConversion(0.01, 'aac', { mode: 'encode' }), isTimeout(messagePattern))
  assert.equal(await splitConversion(0.01, 'aac'), undefined)
  assert.equal(await splitConversion(0.01, 'aac', { mode: 'encode', end: 0.5 }), undefined)
  await assert.rejects(
    splitConversion(0.005, 'mp3'),
    isTimeout(/with the options start and end, or convert it to flac or wav\.$/),
  )
  assert.equal(await splitConversion(0.005, 'mp3', { audioSampleRate: 16_000 }), undefined)
  await assert.rejects(splitConversion(0.01, 'mp3', { channels: 2 }), isTimeout(/converted to mp3/))
  await assert.rejects(splitConversion(0.0005, 'wav'), isTimeout(/with the options start and end\.$/))
  await assert.rejects(
    splitConversion(0.01, 'm4a', { operation: 'compress', quality: 50 }),
    isTimeout(/Compress parts of it, or convert it to mp3/),
  )
  assert.equal(await splitConversion(0.1, 'm4a', { operation: 'compress', quality: 50 }), undefined)
})

test('the time limit allows longer audio in FLAC than in AAC, and stereo audio three times as long as six channels', () => {
  const stereo = { channels: 2, sampleRate: 48_000 }
  const [aac = 0, flac = 0] = (['aac', 'flac'] as const).map((codec) =>
    computeMaxAudioSeconds(840, codec, stereo),
  )
  assert.ok(flac > aac)
  // These 452 minutes are about seven and a half hours.
  assert.equal(Math.round(aac / 60), 452)
  assert.equal(computeMaxAudioSeconds(840, 'aac', { channels: 6, sampleRate: 48_000 }), aac / 3)
  assert.equal(computeMaxAudioSeconds(840, 'speex', stereo), undefined)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { ffmpeg } from '../../../lib/engines/ffmpeg.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { convert } from '../support/run-engine.ts'

const run = (args: readonly string[]) =>
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args], { maxBuffer: 1 << 26 })

/** Returns the time in seconds of the first loud sample. */
function findFirstLoudS(path: string): number {
  const bytes = run(['-i', path, '-ac', '1', '-ar', '44100', '-f', 's16le', '-'])
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
  return samples.findIndex((sample) => Math.abs(sample) > 5000) / 44100
}

test('MP3 audio copied from Matroska loses nothing at its beginning', async () => {
  const video = join(scratchFolder('mp3-delay'), 'source.mkv')
  const source = "aevalsrc='if(gt(t,0.05),0.8*sin(2000*t),0)':d=1:s=44100"
  run(['-f', 'lavfi', '-i', source, '-c:a', 'libmp3lame', video])
  const { path, result } = await convert(ffmpeg, video, 'mp3')
  assert.equal(result.method, 'stream-copy')
  const [from, into] = [findFirstLoudS(video), findFirstLoudS(path)]
  // The decoder delay is 529 samples.
  assert.ok(Math.abs(into - (from - 529 / 44100)) < 0.005, `${into} of ${from}`)
})

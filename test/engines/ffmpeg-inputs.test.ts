import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { demuxersOf, hasTimes, inputGuard, localOnly } from '../../lib/engines/ffmpeg/inputs.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { fixture } from './run-engine.ts'

describe('what ffmpeg may open', () => {
  /** What it says of an input that names others. */
  function said(guard: readonly string[], input: string): string {
    const { stderr } = spawnSync(
      'ffmpeg',
      ['-v', 'error', '-nostdin', ...guard, '-i', input, '-f', 'null', '-'],
      {
        encoding: 'utf8',
      },
    )
    return stderr
  }

  test('is files and pipes, whatever a file names', () => {
    for (const protocol of ['concat', 'http', 'subfile,,start,0,end,1,,'])
      assert.match(said(localOnly, `${protocol}:x`), /not on whitelist 'file,pipe'/, protocol)
    for (const format of ['mp3', 'hevc', 'g726'] as const)
      assert.deepEqual(inputGuard(format).slice(0, 2), localOnly, format)
  })

  test('is of the format that it was found to be, by the demuxers of that alone', () => {
    const formatsOf = (format: FormatId) => inputGuard(format).slice(2, 4)
    assert.deepEqual(formatsOf('mkv'), ['-format_whitelist', 'matroska,webm'])
    assert.deepEqual(formatsOf('flac'), ['-format_whitelist', 'flac'])
    assert.deepEqual(inputGuard('ul').slice(2), [
      ...['-format_whitelist', 'mulaw', '-f', 'mulaw', '-sample_rate', '8000', '-channels', '1'],
    ])
    const film = fixture('film.mp4')
    assert.match(said(inputGuard('mkv'), film), /not on whitelist|Invalid data/i)
    assert.equal(said(inputGuard('mp4'), film), '')
  })

  test('is named where a file has no header, with what that would say', () => {
    const told: Partial<Record<FormatId, string>> = {
      al: 'alaw -sample_rate 8000 -channels 1',
      sln: 'sln -sample_rate 8000 -channels 1',
      pcm: 's16le -sample_rate 44100 -channels 2',
      g726: 'g726 -sample_rate 8000 -code_size 4',
      ...{ g722: 'g722', g723_1: 'g723_1', gsm: 'gsm', sbc: 'sbc', aptx: 'aptx', aptxhd: 'aptx_hd' },
      ...{ dfpwm: 'dfpwm', h261: 'h261', h263: 'h263', mjpeg: 'mjpeg', mp4v: 'm4v' },
    }
    for (const [format, words] of Object.entries(told)) {
      const guard = inputGuard(format as FormatId) // Object.entries forgets the names.
      const [demuxer] = words.split(' ')
      assert.deepEqual(guard.slice(2).join(' '), `-format_whitelist ${demuxer} -f ${words}`)
    }
  })

  test('is several where a format comes in forms of its own', () => {
    for (const [format, demuxers] of [
      ['mov', 'mov,mp4,m4a,3gp,3g2,mj2'],
      ['m4a', 'mov,mp4,m4a,3gp,3g2,mj2'],
      ['webm', 'matroska,webm'],
      ['vob', 'mpeg,mpegvideo'],
      ['ac3', 'ac3,eac3'],
      ['apng', 'apng,png_pipe'],
      ['opus', 'ogg'],
      ['m2ts', 'mpegts'],
    ] as const)
      assert.equal(demuxersOf(format), demuxers)
    assert.deepEqual((['mp4', 'hevc', 'aptxhd', 'y4m'] as const).map(hasTimes), [true, false, false, false])
  })
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { inputGuard, localOnly } from '../../lib/engines/ffmpeg/inputs.ts'
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
})

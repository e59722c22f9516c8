import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { SpaceWatch, spareBytes } from '../lib/disk-space.ts'
import { EngineCrash } from '../lib/engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../lib/engines/sandbox/exec.ts'
import { AppError } from '../lib/errors.ts'
import { makeSmallDisk } from './small-disk.ts'

const words = 'av_interleaved_write_frame(): No space left on device'
const failure = new ProcessFailure('ffmpeg', 1, words)
const told: readonly [what: string, error: unknown, isOfDisk: boolean][] = [
  ['a program that says so', failure, true],
  ['a program whose words were taken for damage', damaged(failure), true],
  ['the system', Object.assign(new Error('write'), { code: 'ENOSPC' }), true],
  ['the service, asked for a file', Object.assign(new Error('copyfile'), { name: 'ENOSPC' }), true],
  [
    'a program that complains of its file',
    damaged(new ProcessFailure('ffmpeg', 1, 'moov atom not found')),
    false,
  ],
  ['a program that dies, with room for what it does', new EngineCrash('convert', 'SIGABRT', ''), false],
  ['a refusal', new AppError('PDF_ENCRYPTED', 'Say the password.', undefined, { cause: failure }), false],
]

function damaged(cause: Error): AppError {
  return new AppError('CORRUPT_FILE', 'The film is damaged.', undefined, { cause })
}

for (const [what, error, isOfDisk] of told)
  test(`what ${what} tells is ${isOfDisk ? '' : 'not '}the story of a full disk`, async (t) => {
    const watch = new SpaceWatch(tmpdir())
    t.after(() => watch.stop())
    assert.equal((await watch.explain(error))?.code, isOfDisk ? 'INSUFFICIENT_DISK_SPACE' : undefined)
  })

test('a file that fills a disk that was empty is too large for it, and is told its size', async (t) => {
  const disk = makeSmallDisk(t, 40)
  if (typeof disk === 'string') return t.skip(disk)
  const watch = new SpaceWatch(disk.folder)
  t.after(() => watch.stop())
  disk.fill()
  const told = await watch.explain(damaged(failure))
  assert.deepEqual([told?.code, told?.details], ['FILE_TOO_LARGE', { diskMb: 40 }])
  await assert.rejects(watch.requireWhole(), { code: 'FILE_TOO_LARGE' })
  const late = new SpaceWatch(disk.folder)
  t.after(() => late.stop())
  assert.equal((await late.explain(damaged(failure)))?.code, 'INSUFFICIENT_DISK_SPACE')
})

test('nothing large is written into an eighth of a small disk, and into 96 MiB of a large one', () => {
  assert.equal(spareBytes(200e6), 25e6)
  assert.equal(spareBytes(1e12), 96 * 1024 ** 2)
})

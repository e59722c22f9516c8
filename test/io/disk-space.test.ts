import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../../lib/engines/sandbox/exec.ts'
import { AppError } from '../../lib/errors.ts'
import { DiskSpaceMonitor, getReservedBytes } from '../../lib/io/disk-space.ts'
import { makeSmallDisk } from '../support/small-disk.ts'

const words = 'av_interleaved_write_frame(): No space left on device'
const failure = new ProcessFailure('ffmpeg', 1, words)
const errorCases: readonly [caseName: string, error: unknown, isReportedAsFull: boolean][] = [
  ['a program error that says that no space is left', failure, true],
  ['a no-space error that was mistaken for a damaged file', createCorruptFileError(failure), true],
  ['an ENOSPC error of the operating system', Object.assign(new Error('write'), { code: 'ENOSPC' }), true],
  ['an ENOSPC error in a reply', Object.assign(new Error('copyfile'), { name: 'ENOSPC' }), true],
  [
    'a program error about its input file',
    createCorruptFileError(new ProcessFailure('ffmpeg', 1, 'moov atom not found')),
    false,
  ],
  ['a program crash while the disk has free space', new EngineCrash('convert', 'SIGABRT', ''), false],
  [
    'a missing password',
    new AppError('PDF_ENCRYPTED', 'Say the password.', undefined, { cause: failure }),
    false,
  ],
]

function createCorruptFileError(cause: Error): AppError {
  return new AppError('CORRUPT_FILE', 'The video is damaged.', undefined, { cause })
}

for (const [caseName, error, isDiskFull] of errorCases)
  test(`${caseName} is ${isDiskFull ? '' : 'not '}reported as a full disk`, async (t) => {
    const watch = new DiskSpaceMonitor(tmpdir())
    t.after(() => watch.stop())
    assert.equal(
      (await watch.explainDiskError(error))?.code,
      isDiskFull ? 'INSUFFICIENT_DISK_SPACE' : undefined,
    )
  })

test('a no-space error on a disk that was empty before is reported as FILE_TOO_LARGE with the size of the disk', async (t) => {
  const disk = makeSmallDisk(t, 40)
  if (typeof disk === 'string') return t.skip(disk)
  const watch = new DiskSpaceMonitor(disk.folder)
  t.after(() => watch.stop())
  disk.fill()
  const reportedError = await watch.explainDiskError(createCorruptFileError(failure))
  assert.deepEqual([reportedError?.code, reportedError?.details], ['FILE_TOO_LARGE', { diskMb: 40 }])
  await assert.rejects(watch.requireCompleteOutput(), { code: 'FILE_TOO_LARGE' })
  const secondMonitor = new DiskSpaceMonitor(disk.folder)
  t.after(() => secondMonitor.stop())
  assert.equal(
    (await secondMonitor.explainDiskError(createCorruptFileError(failure)))?.code,
    'INSUFFICIENT_DISK_SPACE',
  )
})

test('an eighth of a small disk, or 96 MiB of a large disk, is kept free of large files', () => {
  assert.equal(getReservedBytes(200e6), 25e6)
  assert.equal(getReservedBytes(1e12), 96 * 1024 ** 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { AppError } from '../../lib/errors.ts'
import { findInterruption } from '../../lib/jobs/run/find-interruption.ts'

const createCorruptFileError = (cause: unknown) =>
  new AppError('CORRUPT_FILE', 'It is damaged.', {}, { cause })

test('killed programs and system failures do not count as errors of the file', () => {
  const killedProgram = new EngineCrash('qpdf', 'SIGKILL', '')
  const ioError = Object.assign(new Error('i/o error'), { code: 'EIO' })
  for (const cause of [killedProgram, ioError]) {
    assert.equal(findInterruption(createCorruptFileError(cause)), cause)
    assert.equal(findInterruption(new AppError('CONVERSION_FAILED', 'It failed.', {}, { cause })), cause)
    assert.equal(findInterruption(createCorruptFileError(new Error('while reading', { cause }))), cause)
  }
})

test('a program that crashed without being killed does not count as interrupted', () => {
  const crash = new EngineCrash('qpdf', 'SIGSEGV', '')
  const missingOutput = Object.assign(new Error('no output'), { code: 'ENOENT' })
  const killedProgram = new EngineCrash('qpdf', 'SIGKILL', '')
  const otherErrors = [
    createCorruptFileError(crash),
    createCorruptFileError(missingOutput),
    createCorruptFileError(undefined),
    new AppError('FILE_TOO_LARGE', 'It is large.', {}, { cause: killedProgram }),
    killedProgram,
  ]
  for (const error of otherErrors) assert.equal(findInterruption(error), undefined)
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toEbookError } from '../../../lib/engines/calibre/ebook-error.ts'
import { EngineCrash } from '../../../lib/engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../../lib/formats/index.ts'
import { assertRefused } from '../../support/assert-refused.ts'

describe('errors of calibre', () => {
  const createFailure = (stderr: string) => new ProcessFailure('calibre', 1, stderr)
  const rejectWith = (error: unknown, format: FormatId) => Promise.reject(toEbookError(error, format))

  test('a calibre error about a password or DRM is returned as PDF_ENCRYPTED or UNSUPPORTED_FORMAT', async () => {
    for (const words of ['Document is Encrypted', 'needs a PASSWORD'])
      await assertRefused(rejectWith(createFailure(words), 'pdf'), 'PDF_ENCRYPTED', /decrypt-pdf first/)
    await assertRefused(
      rejectWith(createFailure('the book has DRM'), 'azw3'),
      'UNSUPPORTED_FORMAT',
      /protected with DRM/,
    )
    await assertRefused(rejectWith(createFailure('DRM'), 'pdf'), 'UNSUPPORTED_FORMAT', /protected with DRM/)
    await assertRefused(
      rejectWith(createFailure('drm'), 'mobi'),
      'CORRUPT_FILE',
      /\(mobi\) could not be read/,
    )
  })

  test('an error of calibre is reported as a damaged file if the cause is unknown', async () => {
    await assertRefused(
      rejectWith(createFailure('encrypted'), 'epub'),
      'CORRUPT_FILE',
      /\(epub\) could not be read: it is damaged/,
    )
    await assertRefused(
      rejectWith(new EngineCrash('calibre', 'SIGKILL', 'DRM'), 'fb2'),
      'CORRUPT_FILE',
      /\(fb2\)/,
    )
    await assertRefused(rejectWith(createFailure(''), 'pdf'), 'CORRUPT_FILE', /\(pdf\)/)
  })

  test('an error that is not a process failure of calibre is returned unchanged', () => {
    const diskFullError = new Error('ENOSPC')
    assert.equal(toEbookError(diskFullError, 'epub'), diskFullError)
  })
})

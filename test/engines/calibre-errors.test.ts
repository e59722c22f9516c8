import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ebookError } from '../../lib/engines/calibre/ebook-error.ts'
import { EngineCrash } from '../../lib/engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../../lib/engines/sandbox/exec.ts'
import type { FormatId } from '../../lib/formats/index.ts'
import { assertRefused } from '../assert-refused.ts'

describe('what calibre says of a book', () => {
  const failed = (stderr: string) => new ProcessFailure('calibre', 1, stderr)
  const told = (error: unknown, format: FormatId) => Promise.reject(ebookError(error, format))

  test('is told as what can be done about it', async () => {
    for (const words of ['Document is Encrypted', 'needs a PASSWORD'])
      await assertRefused(told(failed(words), 'pdf'), 'PDF_ENCRYPTED', /decrypt-pdf first/)
    await assertRefused(told(failed('the book has DRM'), 'azw3'), 'UNSUPPORTED_FORMAT', /protected by its seller/)
    await assertRefused(told(failed('DRM'), 'pdf'), 'UNSUPPORTED_FORMAT', /protected by its seller/)
    await assertRefused(told(failed('drm'), 'mobi'), 'CORRUPT_FILE', /\(mobi\) could not be read/)
  })

  test('is damage where nobody knows more, and of other books a password too', async () => {
    await assertRefused(
      told(failed('encrypted'), 'epub'),
      'CORRUPT_FILE',
      /\(epub\) could not be read: it is damaged/,
    )
    await assertRefused(told(new EngineCrash('calibre', 'SIGKILL', 'DRM'), 'fb2'), 'CORRUPT_FILE', /\(fb2\)/)
    await assertRefused(told(failed(''), 'pdf'), 'CORRUPT_FILE', /\(pdf\)/)
  })

  test('is left as it is where it comes from elsewhere', () => {
    const full = new Error('ENOSPC')
    assert.equal(ebookError(full, 'epub'), full)
  })
})

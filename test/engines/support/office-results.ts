import assert from 'node:assert/strict'
import { AppError, type ErrorCode } from '../../../lib/errors.ts'
import { scratchFolder } from '../../support/scratch-folder.ts'

export const scratch = scratchFolder('office-test')

export function refusal(code: ErrorCode, sentence: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\//)
    return true
  }
}

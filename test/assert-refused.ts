import assert from 'node:assert/strict'
import { AppError, type ErrorCode } from '../lib/errors.ts'

/** The error that a call ends with, of this code and in words that tell nothing of the machine. */
export async function assertRefused(
  call: Promise<unknown>,
  code: ErrorCode,
  sentence = /./,
  what = 'the call',
): Promise<AppError> {
  const error = await call.then(
    () => assert.fail(`${what} was not refused`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, `${what}: ${String(error)}`)
  assert.equal(error.code, code, `${what}: ${error.message}`)
  assert.match(error.message, sentence)
  assert.doesNotMatch(error.message, /undefined|\[object|\/work|\/tmp/)
  return error
}

import assert from 'node:assert/strict'
import { AppError, type ErrorCode } from '../../lib/errors.ts'

/** Asserts that a call fails with this code and a message without internals, and returns the error. */
export async function assertRefused(
  call: Promise<unknown>,
  code: ErrorCode,
  sentence = /./,
  callName = 'the call',
): Promise<AppError> {
  const error = await call.then(
    () => assert.fail(`${callName} was not refused`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof AppError, `${callName}: ${String(error)}`)
  assert.equal(error.code, code, `${callName}: ${error.message}`)
  assert.match(error.message, sentence)
  assert.doesNotMatch(error.message, /undefined|\[object|\/work|\/tmp/)
  return error
}

import { isFailure } from '../errors.ts'

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  partial: 4,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Thrown for invalid arguments. */
export class UsageError extends Error {}

/** Returns the exit code for a thrown value. */
export function getExitCode(thrownError: unknown): ExitCode {
  if (
    thrownError instanceof UsageError ||
    isFailure(thrownError, 'INVALID_INPUT', 'INVALID_REQUEST', 'FORMAT_NOT_FOUND')
  )
    return exitCodes.usage
  return isFailure(thrownError, 'UNREACHABLE') ? exitCodes.unreachable : exitCodes.failed
}

export const getErrorMessage = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

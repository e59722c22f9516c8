import { isFailure } from '../errors.ts'

/** Exit codes. */
export const exit = { done: 0, failed: 1, usage: 2, unreachable: 3, partly: 4, interrupted: 130 } as const
export type ExitCode = (typeof exit)[keyof typeof exit]

/** What was typed cannot work. */
export class UsageError extends Error {}

/** By what was thrown. */
export function exitCodeOf(thrown: unknown): ExitCode {
  if (thrown instanceof UsageError || isFailure(thrown, 'INVALID_INPUT', 'FORMAT_NOT_FOUND'))
    return exit.usage
  return isFailure(thrown, 'UNREACHABLE') ? exit.unreachable : exit.failed
}

export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)

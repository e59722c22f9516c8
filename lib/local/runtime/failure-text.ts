import { DamagedDataError } from './damaged-data-error.ts'

type ErrorClass = abstract new (...args: never[]) => Error

/**
 * Returns what a command prints if it fails. Of an expected error, only the message is printed, for example that a
 * setting, a port, a folder or a file is wrong. An error is expected if it has a cause or one of these classes. Any
 * other error is a bug and is printed with its stack.
 */
export function formatFailure(error: unknown, ...expectedErrors: readonly ErrorClass[]): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected =
    error.cause !== undefined || [DamagedDataError, ...expectedErrors].some((kind) => error instanceof kind)
  return isExpected ? error.message : (error.stack ?? error.message)
}

import { DamagedDataError } from './damaged-data-error.ts'

type ErrorClass = abstract new (...args: never[]) => Error

/**
 * Returns what a command prints if it fails. An expected error, recognized by its class or because it explains a cause,
 * is printed as its message: a setting, a port, a folder or a file is wrong. Anything else is a bug and is printed with
 * its stack.
 */
export function formatFailure(error: unknown, ...expectedErrors: readonly ErrorClass[]): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected =
    error.cause !== undefined || [DamagedDataError, ...expectedErrors].some((kind) => error instanceof kind)
  return isExpected ? error.message : (error.stack ?? error.message)
}

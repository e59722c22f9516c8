import { EngineCrash } from '../../engines/sandbox/engine-crash.ts'
import { AppError } from '../../errors.ts'

/** Signals that a program gets from outside: nothing in a file makes a program send them to itself. */
const outsideSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** Errors of the system while a file is read or a program started, which say nothing about the file. */
const systemErrors: ReadonlySet<string> = new Set([
  'EIO',
  'EAGAIN',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EPIPE',
  'ESTALE',
  'ECONNRESET',
  'ETIMEDOUT',
  'ABORT_ERR',
])

/**
 * Returns what interrupted the reading of a file that an engine therefore considers damaged; undefined if the file
 * itself is the reason.
 */
export function findInterruption(error: unknown): Error | undefined {
  if (!(error instanceof AppError) || error.code !== 'CORRUPT_FILE') return undefined
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause)
    if (isInterruption(cause)) return cause
  return undefined
}

function isInterruption(error: Error): boolean {
  if (error instanceof EngineCrash) return outsideSignals.has(error.signal)
  return 'code' in error && systemErrors.has(String(error.code))
}

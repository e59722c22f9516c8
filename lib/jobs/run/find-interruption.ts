import { EngineCrash } from '../../engines/sandbox/engine-crash.ts'
import { AppError } from '../../errors.ts'

/** Signals that a program only receives from outside: no file can make a program send them to itself. */
const externalSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** System errors while a file is read or a program is started, which say nothing about the file. */
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

/** Error codes that say something about the content of a file; engines derive them from the failure of a program. */
const contentErrorCodes: ReadonlySet<string> = new Set(['CORRUPT_FILE', 'CONVERSION_FAILED'])

/**
 * Finds an interruption among the causes of an error that blames the file, for example by calling it damaged. Returns
 * undefined if the file itself is the reason.
 */
export function findInterruption(error: unknown): Error | undefined {
  if (!(error instanceof AppError) || !contentErrorCodes.has(error.code)) return undefined
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause)
    if (isInterruption(cause)) return cause
  return undefined
}

function isInterruption(error: Error): boolean {
  if (error instanceof EngineCrash) return externalSignals.has(error.signal)
  return 'code' in error && systemErrors.has(String(error.code))
}

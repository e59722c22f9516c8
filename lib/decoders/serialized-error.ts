import * as z from 'zod'
import { EngineCrash } from '../engines/sandbox/engine-crash.ts'
import { ProcessFailure } from '../engines/sandbox/exec.ts'
import { type ErrorCode, errorCatalog } from '../error-catalog.ts'
import { AppError } from '../errors.ts'

const text = z.string()
const errorCodes = Object.keys(errorCatalog) as [ErrorCode, ...ErrorCode[]] // keys of a const table

/** An error that one process throws and another one rethrows. */
export type SerializedError = z.infer<typeof ErrorFields> & { readonly cause?: SerializedError | undefined }

const ErrorFields = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('app'),
    code: z.enum(errorCodes),
    message: text.max(4000),
    details: z.record(text.max(100), z.unknown()).optional(),
  }),
  z.object({ kind: z.literal('crash'), bin: text, signal: text, stderr: text }),
  z.object({ kind: z.literal('failure'), bin: text, exitCode: z.number(), stderr: text }),
  /** A bug, or a system error with its code. */
  z.object({ kind: z.literal('other'), stack: text, code: text.optional() }),
])

export const SerializedError: z.ZodType<SerializedError> = z.lazy(() =>
  z.intersection(ErrorFields, z.object({ cause: SerializedError.optional() })),
)

const maxCauses = 8

export function serializeError(error: unknown, causesLeft = maxCauses): SerializedError {
  const cause =
    error instanceof Error && error.cause !== undefined && causesLeft > 0 ? error.cause : undefined
  return {
    ...toErrorFields(error),
    ...(cause !== undefined && { cause: serializeError(cause, causesLeft - 1) }),
  }
}

function toErrorFields(error: unknown): z.infer<typeof ErrorFields> {
  if (error instanceof AppError) {
    const { code, message, details } = error
    return { kind: 'app', code, message, ...(details && { details: { ...details } }) }
  }
  if (error instanceof EngineCrash) {
    const { bin, signal, stderr } = error
    return { kind: 'crash', bin, signal, stderr }
  }
  if (error instanceof ProcessFailure) {
    const { bin, exitCode, stderr } = error
    return { kind: 'failure', bin, exitCode, stderr }
  }
  if (!(error instanceof Error)) return { kind: 'other', stack: String(error) }
  const code = 'code' in error ? { code: String(error.code) } : {}
  return { kind: 'other', stack: error.stack ?? error.message, ...code }
}

export function deserializeError(error: SerializedError): Error {
  const restoredError = createError(error)
  if (error.cause) restoredError.cause = deserializeError(error.cause)
  return restoredError
}

function createError(error: z.infer<typeof ErrorFields>): Error {
  switch (error.kind) {
    case 'app':
      return new AppError(error.code, error.message, error.details)
    case 'crash':
      return new EngineCrash(error.bin, error.signal, error.stderr)
    case 'failure':
      return new ProcessFailure(error.bin, error.exitCode, error.stderr)
    case 'other':
      return Object.assign(new Error(error.stack), error.code === undefined ? {} : { code: error.code })
  }
}

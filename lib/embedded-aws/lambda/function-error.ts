/** The failure of a function, as in the response body of Lambda's Invoke. */
export interface FunctionFailure {
  readonly errorType: string
  readonly errorMessage: string
  readonly trace?: readonly string[]
  /** Why the invocation was throttled. */
  readonly reason?: string
}

/** Error type of a timeout. */
export const timeoutErrorType = 'Sandbox.Timedout'

/** A failure reported by the function's process or by the runtime itself. */
export class FunctionError extends Error {
  readonly failure: FunctionFailure

  constructor(failure: FunctionFailure) {
    super(failure.errorMessage)
    this.name = failure.errorType
    this.failure = failure
  }
}

/** The failure of an invocation that was throttled, so that the function has not run. */
export class ThrottledInvocation extends FunctionError {}

/** Converts a thrown value like Lambda's Node runtime does. */
export function toFunctionFailure(thrownError: unknown): FunctionFailure {
  if (thrownError instanceof FunctionError) return thrownError.failure
  if (!(thrownError instanceof Error))
    return { errorType: typeof thrownError, errorMessage: String(thrownError), trace: [] }
  const { name, message, stack = '' } = thrownError
  return { errorType: name, errorMessage: message, trace: stack.split('\n').map((line) => line.trim()) }
}

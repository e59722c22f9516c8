/** How a function failed, as Lambda tells it in the body of an invocation. */
export interface FunctionFailure {
  readonly errorType: string
  readonly errorMessage: string
  readonly trace?: readonly string[]
}

/** Type of a failure by time. */
export const timeoutErrorType = 'Sandbox.Timedout'

/** A failure that was told already, by the process in which the function ran or by the runtime itself. */
export class FunctionError extends Error {
  readonly failure: FunctionFailure

  constructor(failure: FunctionFailure) {
    super(failure.errorMessage)
    this.name = failure.errorType
    this.failure = failure
  }
}

/** What Lambda's runtime for Node makes of something thrown. */
export function toFunctionFailure(thrown: unknown): FunctionFailure {
  if (thrown instanceof FunctionError) return thrown.failure
  if (!(thrown instanceof Error)) return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] }
  const { name, message, stack = '' } = thrown
  return { errorType: name, errorMessage: message, trace: stack.split('\n').map((line) => line.trim()) }
}

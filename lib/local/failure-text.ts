type ErrorClass = abstract new (...args: never[]) => Error

/**
 * What a command says when it fails. An error that was foreseen, by its class or by a cause that it explains, has a
 * sentence that is all that helps: a setting, a port or a folder is wrong. Anything else is a bug and shown whole.
 */
export function failureText(error: unknown, ...expectedErrors: readonly ErrorClass[]): string {
  if (!(error instanceof Error)) return String(error)
  const isExpected = error.cause !== undefined || expectedErrors.some((kind) => error instanceof kind)
  return isExpected ? error.message : (error.stack ?? error.message)
}

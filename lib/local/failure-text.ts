type ErrorClass = abstract new (...args: never[]) => Error

/**
 * What a command says when it fails. An error that was foreseen, by its class or by a cause that it explains, has a
 * sentence that is all that helps: a setting, a port or a folder is wrong. Anything else is a bug and shown whole.
 */
export function failureText(error: unknown, ...foreseen: readonly ErrorClass[]): string {
  if (!(error instanceof Error)) return String(error)
  const isForeseen = error.cause !== undefined || foreseen.some((kind) => error instanceof kind)
  return isForeseen ? error.message : (error.stack ?? error.message)
}

/** A place where an avoided word is the right one. An exception that matches nothing fails the test, so that none outlives its reason. */
export interface Exception {
  /** A file, or a folder with a slash at its end. */
  readonly path: string
  readonly words: readonly string[]
  readonly reason: string
}

export const exceptions: readonly Exception[] = []

/** The target that was last chosen for a format, kept in this browser. Storage may be denied; then nothing is kept. */

const key = (source: string) => `target of ${source}`

export function preferredTarget(source: string | undefined): string | undefined {
  try {
    return (source && localStorage.getItem(key(source))) || undefined
  } catch {
    return undefined
  }
}

export function rememberTarget(source: string | undefined, target: string): void {
  try {
    if (source) localStorage.setItem(key(source), target)
  } catch {
    // Denied or full: the next file starts with the usual target.
  }
}

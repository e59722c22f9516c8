import { after as nodeAfter, before as nodeBefore } from 'node:test'

const startedImports: Promise<unknown>[] = []

/** Runs something before all tests of a file. */
export function before(begin: () => Promise<unknown>): void {
  nodeBefore(async () => {
    const beginPromise = begin()
    startedImports.push(beginPromise)
    await beginPromise
  })
}

/**
 * Runs something after all tests. If a name pattern excludes all tests of the file, Node calls `after` while `before`
 * is still running: without waiting, what `before` starts would never be stopped.
 */
export function after(end: () => unknown): void {
  nodeAfter(async () => {
    await Promise.allSettled(startedImports)
    await end()
  })
}

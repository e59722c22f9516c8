import { after as nodeAfter, before as nodeBefore } from 'node:test'

const begun: Promise<unknown>[] = []

/** Begins something for all tests of a file. */
export function before(begin: () => Promise<unknown>): void {
  nodeBefore(async () => {
    const beginning = begin()
    begun.push(beginning)
    await beginning
  })
}

/**
 * Ends it after them. Where a name pattern leaves no test of the file, Node calls `after` while `before` is on its way:
 * without the wait, what it begins is never ended.
 */
export function after(end: () => unknown): void {
  nodeAfter(async () => {
    await Promise.allSettled(begun)
    await end()
  })
}

import { after } from 'node:test'

/**
 * Ends the process of a test file some time after its last test, even with open handles: a server that a failed test
 * did not close would keep it alive. (`--test-force-exit` ends it immediately, before all results are reported: names
 * of failed tests were lost.) Files that end on their own do not wait.
 *
 * @param afterMs delay after the last test, which must be longer than the `after` hooks of the file take
 */
export function endLeaking(afterMs: number): void {
  after(() => {
    setTimeout(() => process.exit(), afterMs).unref()
  })
}

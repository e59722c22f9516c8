import { after } from 'node:test'

/**
 * Ends the process of a test file some time after its last test, whatever it has left open: a server that a failed test
 * did not close keeps it alive. (`--test-force-exit` ends it at once, before all is told: names of failed tests were
 * lost.) Files that end by themselves do not wait.
 *
 * @param afterMs longer than what stands in `after` takes, which may come later
 */
export function endLeaking(afterMs: number): void {
  after(() => {
    setTimeout(() => process.exit(), afterMs).unref()
  })
}

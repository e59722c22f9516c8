import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 20

/** Waits for what nobody tells of. The pauses leave the processor to those that are waited for. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  what: string,
  seconds = 10,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `within ${seconds} s: ${what}`)
    await pause(everyMs)
  }
}

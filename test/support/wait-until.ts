import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

const everyMs = 20

/** Polls until a condition is true. The pauses leave the CPU to the processes that are waited for. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  description: string,
  seconds = 10,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `within ${seconds} s: ${description}`)
    await pause(everyMs)
  }
}

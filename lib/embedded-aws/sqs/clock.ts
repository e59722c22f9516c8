/** A clock in milliseconds since 1970. */
export interface SqsClock {
  now(): number
  /**
   * Returns a time that never decreases, so that setting the clock back does not change the order of a FIFO queue.
   * Visibility timeouts don't use this time: it stands still until the clock has caught up.
   */
  getEnqueueTime(): number
}

export function createSqsClock(lastEnqueueTime: number, now: () => number): SqsClock {
  let lastTime = lastEnqueueTime
  return {
    now,
    getEnqueueTime() {
      lastTime = Math.max(lastTime, now())
      return lastTime
    },
  }
}

/** Times are epoch milliseconds. */
export interface SqsClock {
  now(): number
  /**
   * Never earlier than the previous one, so that setting the clock back does not change the order of a FIFO queue.
   * Not used for visibility timeouts, which would then stop until the clock has caught up.
   */
  enqueueTime(): number
}

export function createSqsClock(lastEnqueueTime: number, now: () => number): SqsClock {
  let lastTime = lastEnqueueTime
  return {
    now,
    enqueueTime() {
      lastTime = Math.max(lastTime, now())
      return lastTime
    },
  }
}

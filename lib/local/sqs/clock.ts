/** Times are epoch milliseconds. */
export interface SqsClock {
  now(): number
  /**
   * Never earlier than the one before, so that a clock that is set back does not change the order of a FIFO
   * queue. Visibility does not use it: its timeouts would stand still until the clock has caught up.
   */
  enqueueTime(): number
}

export function createSqsClock(lastEnqueueTime: number, now: () => number): SqsClock {
  let last = lastEnqueueTime
  return {
    now,
    enqueueTime() {
      last = Math.max(last, now())
      return last
    },
  }
}

/** Times are epoch milliseconds. */
export interface Clock {
  now(): number
  /**
   * Never earlier than the one before, so that a clock that is set back does not change the order of a FIFO
   * queue. Visibility does not use it: its timeouts would stand still until the clock has caught up.
   */
  arrival(): number
}

export function makeClock(lastArrival: number, now: () => number): Clock {
  let last = lastArrival
  return {
    now,
    arrival() {
      last = Math.max(last, now())
      return last
    },
  }
}

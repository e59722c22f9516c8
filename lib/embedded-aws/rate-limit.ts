/** Once there are more keys than this, the buckets that are full again are dropped. */
const cleanupThresholdKeys = 10_000

interface Bucket {
  tokens: number
  filledAtMs: number
}

/** A token bucket per key, which holds at most the tokens of one second. */
export class RateLimit {
  readonly #perSecond: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, now: () => number = Date.now) {
    this.#perSecond = perSecond
    this.#now = now
  }

  hasTokens(key: string): boolean {
    const bucket = this.#buckets.get(key)
    return bucket === undefined || this.#tokensIn(bucket) > 0
  }

  /** Takes tokens. The balance of a bucket may become negative, because the cost may only be known afterwards. */
  take(key: string, count: number): void {
    const bucket = this.#buckets.get(key)
    const tokens = bucket ? this.#tokensIn(bucket) : this.#perSecond
    this.#buckets.set(key, { tokens: tokens - count, filledAtMs: this.#now() })
    if (this.#buckets.size > cleanupThresholdKeys) this.#forgetFull()
  }

  #tokensIn({ tokens, filledAtMs }: Bucket): number {
    return Math.min(this.#perSecond, tokens + ((this.#now() - filledAtMs) / 1000) * this.#perSecond)
  }

  #forgetFull(): void {
    for (const [key, bucket] of this.#buckets)
      if (this.#tokensIn(bucket) >= this.#perSecond) this.#buckets.delete(key)
  }
}

/** A range from `start` to `end` (exclusive) in bytes. */
export interface ByteRange {
  readonly start: number
  readonly end: number
  /** Whether the reader releases each chunk (`lib/io/buffer-pool.ts`); otherwise it gets copies. */
  readonly releasesBuffers?: boolean
}

// What the readers of headers are given, and give.
import type { MediaInfo } from './probe.ts'

/** What a file says of itself before its content begins. */
export interface MediaHeader {
  /** Of its streams only what a copy of them needs to know. */
  readonly media: MediaInfo
  /** There may be more in the file than `media` tells of, that would have to be kept or known. */
  readonly mayHaveMore: boolean
  /** It may say a title and the like, which stand in no `media` of it. */
  readonly mayHaveTags: boolean
  /** Seconds by which the times of its sound stand ahead of those that a player is told. */
  readonly audioDelayS?: number
}

/** Bytes of a file from a position on; fewer only at its end. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>

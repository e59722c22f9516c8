import type { MediaInfo } from './probe.ts'

/** What the header of a file states about its content. */
export interface MediaHeader {
  /** Contains only the stream properties that are needed to copy the streams. */
  readonly media: MediaInfo
  /** Whether the file may contain more than `media` describes, so that it must be probed before it is converted. */
  readonly mayBeIncomplete: boolean
  /** Whether the file may have tags, such as a title, that are missing in `media`. */
  readonly mayHaveTags: boolean
  /** Seconds by which stored audio timestamps are ahead of the presentation times. */
  readonly audioDelayS?: number
}

// An object as it is stored: its row, and where its bytes are.
import type { Span } from './blobs.ts'
import type { Checksum } from './checksums.ts'

export interface S3Tag {
  readonly key: string
  readonly value: string
}

/** Metadata of an object: headers to return, and tags. */
export interface ObjectDescription {
  readonly headers: Readonly<Record<string, string>>
  readonly tags: readonly S3Tag[]
}

export interface ObjectDraft extends ObjectDescription {
  readonly size: number
  /** ETag without quotes. */
  readonly etag: string
  readonly modified: number
  readonly checksum: Checksum | undefined
  /** Number of parts; 0 for an object that was not uploaded in parts. */
  readonly parts: number
}

export interface S3Object extends ObjectDraft {
  readonly id: number
  readonly bucket: string
  readonly key: string
}

/** A segment of an object's bytes: all of them, or one part with its own checksum. */
export interface Segment extends Span {
  readonly number: number
  /** Checksum in base64, or empty. */
  readonly checksum: string
}

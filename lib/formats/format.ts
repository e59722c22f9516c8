/** One row of the registry. Its category is the list that contains it. */
export interface FormatRow {
  /** Public id, usually the most common extension. */
  readonly id: string
  readonly name: string
  /** Without a dot, the most common one first. */
  readonly extensions: readonly string[]
  /** The registered MIME type first, then others that clients send. */
  readonly mimeTypes: readonly string[]
  /** Other names that requests can use; extensions need not be repeated here. */
  readonly aliases?: readonly string[]
  /** Encoding loses information. */
  readonly lossy?: true
  readonly multiPage?: true
  readonly animated?: true
  /** Contains shapes instead of pixels. */
  readonly vector?: true
  /** Contains pages with a fixed layout instead of editable text. */
  readonly fixedLayout?: true
  /** Suitable as an intermediate format of a route, because it retains what similar formats contain. */
  readonly via?: true
}

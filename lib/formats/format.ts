/** One row of the registry. Its category is the list that contains it. */
export interface FormatRow {
  /** Public id, usually the most common extension. */
  readonly id: string
  readonly name: string
  /** Extensions without a dot, the most common one first. */
  readonly extensions: readonly string[]
  /** MIME types: first the registered one, then others that clients send. */
  readonly mimeTypes: readonly string[]
  /** Other names that requests can use; extensions need not be repeated here. */
  readonly aliases?: readonly string[]
  /** Whether encoding loses information. */
  readonly lossy?: true
  readonly multiPage?: true
  readonly animated?: true
  /** Whether files contain shapes instead of pixels. */
  readonly vector?: true
  /** Whether files contain pages with a fixed layout instead of editable text. */
  readonly fixedLayout?: true
  /** Whether the format is suitable as an intermediate format, because it retains what similar formats contain. */
  readonly via?: true
}

/** One row of the registry. The category is the file it stands in. */
export interface FormatRow {
  /** Public id; as a rule the most used extension. */
  readonly id: string
  readonly name: string
  /** Without a dot, the usual one first. */
  readonly extensions: readonly string[]
  /** The registered one first, then others that clients send. */
  readonly mimeTypes: readonly string[]
  /** Other names by which a request may ask for it; extensions need not be repeated here. */
  readonly aliases?: readonly string[]
  /** Encoding it loses something. */
  readonly lossy?: true
  readonly multiPage?: true
  readonly animated?: true
  /** Shapes, not pixels. */
  readonly vector?: true
  /** Pages as they look, not text to edit. */
  readonly fixedLayout?: true
  /** Good as the middle of a route: it holds what its neighbors hold. */
  readonly via?: true
}

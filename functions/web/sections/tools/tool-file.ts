/** A file that a tool was given. */
export interface Chosen {
  readonly key: number
  readonly file: File
  /** Of a PDF that is merged: some of its pages; empty is all. */
  readonly pages: string
}

let last = 0
export const taken = (before: readonly Chosen[], files: readonly File[]): readonly Chosen[] => [
  ...before,
  ...files.map((file) => ({ key: ++last, file, pages: '' })),
]

/** A file that a tool was given. */
export interface ToolFile {
  readonly key: number
  readonly file: File
  /** Of a PDF that is merged: some of its pages; empty is all. */
  readonly pages: string
}

let lastKey = 0
export const appendFiles = (before: readonly ToolFile[], files: readonly File[]): readonly ToolFile[] => [
  ...before,
  ...files.map((file) => ({ key: ++lastKey, file, pages: '' })),
]

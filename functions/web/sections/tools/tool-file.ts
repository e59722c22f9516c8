/** A file that was added to a tool. */
export interface ToolFile {
  readonly key: number
  readonly file: File
  /** Pages to use when merging a PDF; empty means all. */
  readonly pages: string
}

let lastKey = 0
export const appendFiles = (
  filesBefore: readonly ToolFile[],
  files: readonly File[],
): readonly ToolFile[] => [...filesBefore, ...files.map((file) => ({ key: ++lastKey, file, pages: '' }))]

/** The file in a ZIP of pages that describes the others. */
export const manifestName = 'manifest.json'

/** A file created from one page. */
export interface PageFile {
  /** Counted from 1, as in the source. */
  readonly page: number
  readonly path: string
}

/** Returns a name such as `page-007.jpg`, padded so that names sort in page order. */
export function createPageFileName(page: number, lastPage: number, extension: string): string {
  const digits = Math.max(3, String(lastPage).length)
  return `page-${String(page).padStart(digits, '0')}.${extension}`
}

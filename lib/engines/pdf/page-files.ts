/** Name of the file that describes the other files in a ZIP of pages. */
export const manifestName = 'manifest.json'

/** A file created from one page. */
export interface PageFile {
  /** Number of the page in the source, counted from 1. */
  readonly page: number
  readonly path: string
}

/** Matches the file names that engines give to pages. */
export const pageNamePattern = /^\w[\w (),.-]{0,199}$/

/** A file in a ZIP of pages: a range of bytes, because nothing is compressed. */
export interface ZippedPage {
  readonly page: number
  readonly name: string
  readonly start: number
  /** In bytes. */
  readonly size: number
}

/** Returns a name such as `page-007.jpg`, padded so that names sort in page order. */
export function createPageFileName(page: number, lastPage: number, extension: string): string {
  const digitCount = Math.max(3, String(lastPage).length)
  return `page-${String(page).padStart(digitCount, '0')}.${extension}`
}

/** What was made of one page. */
export interface PageFile {
  /** Counted from 1, as in the source. */
  readonly page: number
  readonly path: string
}

/** `page-007.jpg`: names that sort as the pages do. */
export function pageFileName(page: number, lastPage: number, extension: string): string {
  const digits = Math.max(3, String(lastPage).length)
  return `page-${String(page).padStart(digits, '0')}.${extension}`
}

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

/**
 * Packs files into one ZIP in `outDir`, with `parameters` in its manifest, and gives its path. The packer is loaded
 * when pages are there to be packed: the planner and the API know the engines and never pack.
 */
export async function packPages(
  outDir: string,
  pages: readonly PageFile[],
  parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { zipPages } = await import('./pages-zip.ts')
  return zipPages(outDir, pages, parameters)
}

import type { PageFile } from './page-files.ts'

/**
 * Packs files into one ZIP in `outDir`, with `parameters` in its manifest, and returns its path. The ZIP writer is
 * imported on demand: the planner and the API import the engines but never pack files.
 */
export async function packPages(
  outDir: string,
  pages: readonly PageFile[],
  parameters: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { zipPages } = await import('./pages-zip.ts')
  return zipPages(outDir, pages, parameters)
}

/** Joins ZIPs with pages of the same document into one, in order, and returns its path. */
export async function joinPageArchives(outDir: string, archives: readonly string[]): Promise<string> {
  const { joinZips } = await import('./pages-zip.ts')
  return joinZips(outDir, archives)
}

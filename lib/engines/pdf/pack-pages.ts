import type { PageFile } from './page-files.ts'

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

/** One such ZIP of several that hold pages of the same document, in their order. */
export async function joinPages(outDir: string, archives: readonly string[]): Promise<string> {
  const { joinZips } = await import('./pages-zip.ts')
  return joinZips(outDir, archives)
}

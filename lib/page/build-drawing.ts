import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { drawingDataFiles, drawingScript } from '../../functions/web/grid/drawing-files.ts'
import { webFolder } from './asset-folder.ts'
import { browserTargets } from './browsers.ts'
import { type CompressedFile, compress } from './compression.ts'

/** Brotli effort, which is lower than for the page, because the first visitor waits for the compression. */
const brotliEffort = 7

/**
 * Builds the files that draw PDFs in the browser; returns them by name. The files are the same in all languages and
 * much larger than the page, so they are built when first requested. On AWS, the package contains them.
 */
export async function buildDrawingFiles(): Promise<Readonly<Record<string, CompressedFile>>> {
  const { outputFiles } = await build({
    entryPoints: [join(webFolder, 'grid/drawing-worker.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: [...browserTargets],
    legalComments: 'none',
    logLevel: 'silent',
  })
  const buildScript = async () => [
    drawingScript,
    await compress(outputFiles[0]?.contents ?? new Uint8Array(), brotliEffort),
  ]
  const data = Object.entries(drawingDataFiles).flatMap(([folder, names]) =>
    names.map(async (name) => {
      const path = join(webFolder, '../../node_modules/pdfjs-dist', folder, name)
      return [name, await compress(await readFile(path), brotliEffort)]
    }),
  )
  return Object.fromEntries(await Promise.all([buildScript(), ...data]))
}

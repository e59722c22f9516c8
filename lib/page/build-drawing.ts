import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { drawingDataFiles, drawingScript } from '../../functions/web/grid/drawing-files.ts'
import { webFolder } from '../asset-folder.ts'
import { browserTargets } from './browsers.ts'
import { type CompressedFile, compress } from './compression.ts'

/** Somebody waits for it the first time. */
const brotliEffort = 7

/**
 * What draws PDFs in the browser, by name. It is the same in every language and an order of magnitude larger than the page,
 * so it is made only when it is asked for; the package of a function holds it as it was made at packaging.
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
  const script = async () => [
    drawingScript,
    await compress(outputFiles[0]?.contents ?? new Uint8Array(), brotliEffort),
  ]
  const data = Object.entries(drawingDataFiles).flatMap(([folder, names]) =>
    names.map(async (name) => {
      const path = join(webFolder, '../../node_modules/pdfjs-dist', folder, name)
      return [name, await compress(await readFile(path), brotliEffort)]
    }),
  )
  return Object.fromEntries(await Promise.all([script(), ...data]))
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { scratchFolder } from '../../support/scratch-folder.ts'
import { readStdout } from './inspect-result.ts'

export const folder = scratchFolder('pages')

export async function writePage(html: string | Buffer, name = 'page.html'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, html)
  return path
}

export const colorAt = async (path: string, x: number, y: number) => {
  const { data, info } = await sharp(path).toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + info.channels)]
}

/** Renders a page of a PDF. */
export const renderPdfPage = async (path: string, number: number, dpi = 36) => {
  const base = join(folder, `drawn-${number}`)
  await readStdout('pdftoppm', '-png', '-r', String(dpi), '-f', String(number), '-singlefile', path, base)
  return `${base}.png`
}

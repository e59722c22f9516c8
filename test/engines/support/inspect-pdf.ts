// Reads the content of PDFs with qpdf and Poppler.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import sharp from 'sharp'
import * as z from 'zod'
import { python3 } from '../../support/python.ts'
import { readStdout } from './inspect-result.ts'
import type { Run } from './run-engine.ts'

/** Returns texts such as `Alpha page3` in page order. */
export const readPageNames = async (path: string, ...args: string[]) =>
  [...(await readStdout('pdftotext', ...args, path, '-')).matchAll(/\w+ page\d/g)].map(([name]) => name)

interface QpdfOutlineItem {
  title: string
  page: number | null
  kids: QpdfOutlineItem[]
}
const QpdfOutlineItem: z.ZodType<QpdfOutlineItem> = z.lazy(() =>
  z
    .object({ title: z.string(), destpageposfrom1: z.int().nullable(), kids: z.array(QpdfOutlineItem) })
    .transform(({ title, destpageposfrom1, kids }) => ({
      title: title.replace(/^u:/, ''),
      page: destpageposfrom1,
      kids,
    })),
)

/** Returns the outline as read by qpdf: `[title, page, ...children]`. */
export async function readOutlineItems(path: string): Promise<unknown[]> {
  const { outlines } = z
    .object({ outlines: z.array(QpdfOutlineItem) })
    .parse(JSON.parse(await readStdout('qpdf', '--json', '--json-key=outlines', path)))
  const toArray = ({ title, page, kids }: QpdfOutlineItem): unknown[] => [title, page, ...kids.map(toArray)]
  return outlines.map(toArray)
}

const QpdfDump = z.object({
  pages: z.array(z.object({ object: z.string() })),
  qpdf: z.tuple([z.unknown(), z.record(z.string(), z.looseObject({ value: z.unknown().optional() }))]),
})
const PageDict = z.looseObject({ '/Annots': z.array(z.string()) })
const LinkDict = z.looseObject({ '/Dest': z.tuple([z.string()], z.unknown()).optional() })

/** Returns the page numbers that the links of a page lead to. */
export async function readLinkTargets(path: string, page: number): Promise<number[]> {
  const dump = QpdfDump.parse(
    JSON.parse(await readStdout('qpdf', '--json', '--json-key=pages', '--json-key=qpdf', path)),
  )
  const pages = dump.pages.map(({ object }) => object)
  const getValue = (ref: string | undefined) => dump.qpdf[1][`obj:${ref}`]?.value
  const annotations = PageDict.parse(getValue(pages[page - 1]))['/Annots']
  const destinations = annotations.map((ref) => LinkDict.parse(getValue(ref))['/Dest']?.[0])
  return destinations.flatMap((ref) => (ref === undefined ? [] : [pages.indexOf(ref) + 1]))
}

/** Unzips the result of a run and returns the folder. */
export async function unzipResult({ path, workDir }: Run): Promise<string> {
  const folder = join(workDir, 'unpacked')
  await readStdout(python3, '-m', 'zipfile', '-e', path, folder)
  return folder
}

export async function assertValidPdf(path: string): Promise<void> {
  await readStdout('qpdf', '--check', path)
}

/** Returns the whole file with decompressed streams, to search for any remaining text. */
export const readUncompressed = (path: string) =>
  readStdout('qpdf', '--qdf', '--object-streams=disable', path, '-')

/** Renders a page; `color` returns the mean color of the cell at column `x` and row `y` of a 3 x 3 grid. */
export async function renderPage(
  path: string,
  page = 1,
): Promise<{ width: number; height: number; color(x: number, y: number): Promise<number[]> }> {
  const pageArgs = ['-f', String(page), '-l', String(page)]
  const png = execFileSync('pdftoppm', ['-cropbox', '-png', '-r', '72', ...pageArgs, path])
  const { width = 0, height = 0 } = await sharp(png).metadata()
  const [w, h] = [Math.floor(width / 3), Math.floor(height / 3)]
  const readColor = async (x: number, y: number) => {
    const area = await sharp(png)
      .extract({ left: x * w, top: y * h, width: w, height: h })
      .toColourspace('srgb')
      .png()
      .toBuffer()
    return (await sharp(area).stats()).channels.slice(0, 3).map(({ mean }) => Math.round(mean))
  }
  return { width, height, color: readColor }
}

export const isWhite = (color: readonly number[]) => color.every((level) => level > 254)

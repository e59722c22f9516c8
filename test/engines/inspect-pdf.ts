// What stands in a PDF, as qpdf and Poppler tell it.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import sharp from 'sharp'
import * as z from 'zod'
import { python3 } from '../python.ts'
import { output } from './judge.ts'
import type { Run } from './run-engine.ts'

/** `Alpha page3` of each page that says so, in order. */
export const pageNames = async (path: string, ...args: string[]) =>
  [...(await output('pdftotext', ...args, path, '-')).matchAll(/\w+ page\d/g)].map(([name]) => name)

interface Item {
  title: string
  page: number | null
  kids: Item[]
}
const Item: z.ZodType<Item> = z.lazy(() =>
  z
    .object({ title: z.string(), destpageposfrom1: z.int().nullable(), kids: z.array(Item) })
    .transform(({ title, destpageposfrom1, kids }) => ({
      title: title.replace(/^u:/, ''),
      page: destpageposfrom1,
      kids,
    })),
)

/** The outline by qpdf's own reading of it: `[title, page, children]`. */
export async function outlineOf(path: string): Promise<unknown[]> {
  const { outlines } = z
    .object({ outlines: z.array(Item) })
    .parse(JSON.parse(await output('qpdf', '--json', '--json-key=outlines', path)))
  const brief = ({ title, page, kids }: Item): unknown[] => [title, page, ...kids.map(brief)]
  return outlines.map(brief)
}

const Dump = z.object({
  pages: z.array(z.object({ object: z.string() })),
  qpdf: z.tuple([z.unknown(), z.record(z.string(), z.looseObject({ value: z.unknown().optional() }))]),
})
const PageDict = z.looseObject({ '/Annots': z.array(z.string()) })
const LinkDict = z.looseObject({ '/Dest': z.tuple([z.string()], z.unknown()).optional() })

/** Pages that the links of a page lead to. */
export async function linksOf(path: string, page: number): Promise<number[]> {
  const dump = Dump.parse(
    JSON.parse(await output('qpdf', '--json', '--json-key=pages', '--json-key=qpdf', path)),
  )
  const pages = dump.pages.map(({ object }) => object)
  const value = (ref: string | undefined) => dump.qpdf[1][`obj:${ref}`]?.value
  const annotations = PageDict.parse(value(pages[page - 1]))['/Annots']
  const places = annotations.map((ref) => LinkDict.parse(value(ref))['/Dest']?.[0])
  return places.flatMap((ref) => (ref === undefined ? [] : [pages.indexOf(ref) + 1]))
}

/** The folder into which the ZIP of a run was unpacked. */
export async function unpacked({ path, workDir }: Run): Promise<string> {
  const folder = join(workDir, 'unpacked')
  await output(python3, '-m', 'zipfile', '-e', path, folder)
  return folder
}

export async function assertWhole(path: string): Promise<void> {
  await output('qpdf', '--check', path)
}

/** Everything in a file that is readable in any way, streams included. */
export const inside = (path: string) => output('qpdf', '--qdf', '--object-streams=disable', path, '-')

/** A page as pixels: its size, and the mean color of the cell at column `x` and row `y` of a grid of 3 by 3. */
export async function drawn(
  path: string,
  page = 1,
): Promise<{ width: number; height: number; color(x: number, y: number): Promise<number[]> }> {
  const only = ['-f', String(page), '-l', String(page)]
  const png = execFileSync('pdftoppm', ['-cropbox', '-png', '-r', '72', ...only, path])
  const { width = 0, height = 0 } = await sharp(png).metadata()
  const [w, h] = [Math.floor(width / 3), Math.floor(height / 3)]
  const color = async (x: number, y: number) => {
    const part = await sharp(png)
      .extract({ left: x * w, top: y * h, width: w, height: h })
      .toColourspace('srgb')
      .png()
      .toBuffer()
    return (await sharp(part).stats()).channels.slice(0, 3).map(({ mean }) => Math.round(mean))
  }
  return { width, height, color }
}

export const isPaper = (color: readonly number[]) => color.every((level) => level > 254)

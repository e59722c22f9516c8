import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { filterOutline, type PdfPageSource } from './assemble.ts'
import { runMutoolScript } from './mutool.ts'
import { type OutlineItem, readNavigation, writeOutline } from './navigation.ts'
import { type PdfDict, PdfObjects, type PdfValue } from './objects.ts'

/** Copies bookmarks to the parts of a document. Each part gets the bookmarks that lead to its pages. */
export async function copyOutlines(
  source: string,
  sources: readonly PdfPageSource[],
  tools: Tools,
): Promise<void> {
  const outline = await readSourceOutline(source, tools)
  const additions = sources.flatMap(({ path, pages }) => {
    const items = filterOutline(outline, pages)
    return items.length === 0 ? [] : [{ path, ...toScriptObjects(items) }]
  })
  if (additions.length === 0) return
  const listPath = join(tools.workDir, 'outlines.json')
  await writeFile(listPath, JSON.stringify(additions))
  await runMutoolScript('outlines', [listPath], tools)
}

/** Returns an empty outline if the source has none. If the outline cannot be read, also adds a warning. */
async function readSourceOutline(path: string, tools: Tools): Promise<readonly OutlineItem[]> {
  const { stdout } = await tools.exec('mutool', ['show', path, 'trailer/Root/Outlines'], { okCodes: [0, 1] })
  if (!stdout.includes('/First')) return []
  try {
    return readNavigation(await PdfObjects.load(path, tools)).outline
  } catch (error) {
    // Splitting must still work for PDFs that are too large to be read into memory.
    if (!(error instanceof AppError) || error.code !== 'FILE_TOO_LARGE') throw error
    tools.warn('BOOKMARKS_DROPPED', 'The bookmarks were dropped: the PDF has too many objects to read them.')
    return []
  }
}

/** Serializes an outline for `outlines.js`, where `o:0` refers to the first object and `p:0` to the first page. */
function toScriptObjects(items: readonly OutlineItem[]) {
  const root: PdfDict = {}
  const objects: PdfValue[] = []
  const set = (ref: string, value: PdfValue) => {
    objects[Number(ref.slice('o:'.length))] = value
  }
  const add = (value: PdfValue) => `o:${objects.push(value) - 1}`
  writeOutline({ root, markRootChanged: () => undefined, add, set }, items, (page) => `p:${page}`)
  return { root, objects }
}

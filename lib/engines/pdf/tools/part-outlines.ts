import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { keptOutline, type Part } from './assemble.ts'
import { runScript } from './mutool.ts'
import { navigationOf, type OutlineItem, writeOutline } from './navigation.ts'
import { type PdfDict, PdfObjects, type PdfValue } from './objects.ts'

/** Gives each part of a document, which holds these of its pages, the bookmarks that lead to them. */
export async function keepOutlines(source: string, parts: readonly Part[], tools: Tools): Promise<void> {
  const outline = await outlineOf(source, tools)
  const additions = parts.flatMap(({ path, pages }) => {
    const items = keptOutline(outline, pages)
    return items.length === 0 ? [] : [{ path, ...objectsOf(items) }]
  })
  if (additions.length === 0) return
  const list = join(tools.workDir, 'outlines.json')
  await writeFile(list, JSON.stringify(additions))
  await runScript('outlines', [list], tools)
}

/** @returns none where there is none, or where it cannot be read, which is told. */
async function outlineOf(path: string, tools: Tools): Promise<readonly OutlineItem[]> {
  const { stdout } = await tools.exec('mutool', ['show', path, 'trailer/Root/Outlines'], { okCodes: [0, 1] })
  if (!stdout.includes('/First')) return []
  try {
    return navigationOf(await PdfObjects.load(path, tools)).outline
  } catch (error) {
    // Who splits a PDF because it is too large for other tools gets his parts.
    if (!(error instanceof AppError) || error.code !== 'FILE_TOO_LARGE') throw error
    tools.warn('BOOKMARKS_DROPPED', 'The bookmarks were dropped: the PDF has too many parts to read them.')
    return []
  }
}

/** For `outlines.js`: `o:0` is the first of the objects, `p:0` the first page. */
function objectsOf(items: readonly OutlineItem[]) {
  const root: PdfDict = {}
  const objects: PdfValue[] = []
  const set = (ref: string, value: PdfValue) => {
    objects[Number(ref.slice('o:'.length))] = value
  }
  const add = (value: PdfValue) => `o:${objects.push(value) - 1}`
  writeOutline({ root, touchRoot: () => undefined, add, set }, items, (page) => `p:${page}`)
  return { root, objects }
}

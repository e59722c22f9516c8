import { join } from 'node:path'
import type { Tools } from '../../engine.ts'
import { countCharactersByPage } from '../ocr/recognize.ts'
import { formatPageRange } from '../page-range.ts'
import { runQpdf } from '../qpdf.ts'
import { isPdfDict, PdfObjects, type PdfValue } from './objects.ts'

/** A page that has kept a smaller share of its characters has become an image. */
const minTextShare = 0.9

type DistillText = (input: string, output: string, pageRange: string) => Promise<void>

/**
 * PDF/A-1 forbids transparency, so Ghostscript turns pages that use it into images. Puts the text of such pages behind
 * their images, where readers can search and copy it.
 * @param distillText writes the text of the pages in a range, with the settings of the PDF/A.
 */
export async function restoreText(
  sourcePath: string,
  pdfaPath: string,
  distillText: DistillText,
  tools: Tools,
): Promise<string> {
  const before = await countCharactersByPage(sourcePath, tools)
  const after = await countCharactersByPage(pdfaPath, tools)
  const pages = before.flatMap((count, index) =>
    (after[index] ?? 0) < count * minTextShare ? [index + 1] : [],
  )
  if (pages.length === 0) return pdfaPath
  try {
    return await addText({ sourcePath, pdfaPath, pages }, distillText, tools)
  } catch {
    // The PDF/A is valid without the text, and the later word count reports what is missing.
    tools.signal.throwIfAborted()
    return pdfaPath
  }
}

async function addText(
  { sourcePath, pdfaPath, pages }: { sourcePath: string; pdfaPath: string; pages: readonly number[] },
  distillText: DistillText,
  tools: Tools,
): Promise<string> {
  const opaquePath = join(tools.workDir, 'opaque.pdf')
  const objects = await PdfObjects.load(sourcePath, tools)
  removeTransparency(objects)
  await objects.save(opaquePath, tools)
  const textOnlyPath = join(tools.workDir, 'text-only.pdf')
  await distillText(opaquePath, textOnlyPath, formatPageRange(pages))
  const path = join(tools.workDir, 'with-text.pdf')
  const underlay = { file: textOnlyPath, from: '1-z', to: pages.join(',') }
  await runQpdf({ inputFile: pdfaPath, underlay, outputFile: path }, tools)
  return path
}

/** Entries for transparency in graphics states, images, groups and annotations (ISO 32000-2, 11). */
const transparencyKeys = ['/SMask', '/SMaskInData', '/ca', '/CA', '/BM', '/Group']

function removeTransparency(objects: PdfObjects): void {
  const removeFrom = (value: PdfValue): boolean => {
    if (Array.isArray(value)) return value.map(removeFrom).includes(true)
    if (!isPdfDict(value)) return false
    const foundKeys = transparencyKeys.filter((key) => key in value)
    for (const key of foundKeys) delete value[key]
    return Object.values(value).map(removeFrom).includes(true) || foundKeys.length > 0
  }
  for (const ref of objects.refs) if (removeFrom(objects.resolve(ref))) objects.markChanged(ref)
}

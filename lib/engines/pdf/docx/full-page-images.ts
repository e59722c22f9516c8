import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type * as docx from 'docx'
import type { DocumentInfo } from '../open-pdf.ts'
import { toDocumentProperties } from './docx-request.ts'
import { toPageSize } from './section-options.ts'
import type { DocxLibrary } from './text-runs.ts'
import { toPixels } from './units.ts'

/** Size of a page in points. */
interface PageSize {
  readonly width: number
  readonly height: number
}

/** Creates a section without margins. */
export const createFullPageSection = (
  library: DocxLibrary,
  size: PageSize,
  children: readonly docx.Paragraph[],
): docx.ISectionOptions => ({
  properties: {
    page: {
      size: toPageSize(library, size),
      margin: { left: 0, top: 0, right: 0, bottom: 0, header: 0, footer: 0 },
    },
  },
  children: [...children],
})

/** Returns a JPEG that covers the page behind its text. */
export async function createBackgroundImage(
  library: DocxLibrary,
  size: PageSize,
  jpeg: string,
): Promise<docx.ImageRun> {
  const start = { relative: 'page', offset: 0 } as const
  return new library.ImageRun({
    type: 'jpg',
    data: await readFile(jpeg),
    transformation: { width: toPixels(size.width), height: toPixels(size.height) },
    floating: { horizontalPosition: start, verticalPosition: start, behindDocument: true },
  })
}

/** Writes the document and returns its path. */
export async function writeSections(
  library: DocxLibrary,
  sections: readonly docx.ISectionOptions[],
  outDir: string,
  documentInfo: DocumentInfo,
): Promise<string> {
  const document = new library.Document({
    ...toDocumentProperties(documentInfo),
    compatibility: { version: 15 },
    sections,
  })
  const path = join(outDir, 'output.docx')
  await writeFile(path, await library.Packer.toBuffer(document))
  return path
}

import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { openPdf } from '../open-pdf.ts'
import type { DocxRequest, DocxResult } from './docx-request.ts'
import { readWithPoppler } from './fallback-text.ts'
import { buildFixedLayout, writeFixedLayout } from './fixed-layout.ts'
import { buildFlowingLayout } from './flowing-layout.ts'
import { buildImagesOnly } from './images-only.ts'
import type { PageContent } from './page-content.ts'

/**
 * The interface: "When layout reconstruction fails, a rendering import runs instead, so a file is still returned."
 * LibreOffice's import of PDFs was tried for it and dropped: it does not open its own files again.
 */
export async function buildDocx(request: DocxRequest, tools: Tools): Promise<DocxResult> {
  try {
    return await (request.isFixedLayout ? buildFixedLayout : buildFlowingLayout)(request, tools)
  } catch (error) {
    if (isFinal(error, tools)) throw error
  }
  try {
    const file = await buildFromPoppler(request, tools)
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The layout of the PDF could not be rebuilt, so each line stands where it stood on its page, over a picture of the rest.',
    )
    return { file, pagesRecognized: [] }
  } catch (error) {
    if (isFinal(error, tools)) throw error
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The text of the PDF could not be rebuilt, so the document holds a picture of each page.',
    )
    return { file: await buildImagesOnly(request, tools), pagesRecognized: [] }
  }
}

const isFinal = (error: unknown, { signal }: Tools) =>
  signal.aborted || (error instanceof AppError && error.code !== 'TIMEOUT')

/** Poppler's words over pictures of the pages: what does without MuPDF. */
async function buildFromPoppler(request: DocxRequest, tools: Tools): Promise<string> {
  const { path, pages } = request
  const { sizes } = await openPdf(path, undefined, tools)
  const read: PageContent[] = []
  for (const number of pages) {
    const { width, height } = sizes[number - 1] ?? { width: 595, height: 842 }
    const empty: PageContent = {
      ...{
        number,
        width,
        height,
        textSegments: [],
        images: [],
        vectors: [],
        rotatedText: [],
        undecodedWords: [],
      },
    }
    read.push({ ...empty, textSegments: await readWithPoppler(path, empty, tools) })
  }
  // Pictures without words are the fallback after this one, which draws text that is made of lines as well.
  if (read.every(({ textSegments }) => textSegments.length === 0))
    throw new Error('Poppler reads no words either.')
  return writeFixedLayout(request, read, tools, () => true)
}

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
 * Builds the document. If the layout cannot be rebuilt, falls back to lines at fixed positions, and then to images of
 * the pages, so that a file is still returned. LibreOffice's PDF import is no fallback, because LibreOffice cannot
 * reopen the files that it writes.
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
      'The layout of the PDF could not be rebuilt, so each line keeps its position on the page, over an image of everything else.',
    )
    return { file, pagesRecognized: [] }
  } catch (error) {
    if (isFinal(error, tools)) throw error
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The text of the PDF could not be rebuilt, so the document contains an image of each page.',
    )
    return { file: await buildImagesOnly(request, tools), pagesRecognized: [] }
  }
}

const isFinal = (error: unknown, { signal }: Tools) =>
  signal.aborted || (error instanceof AppError && error.code !== 'TIMEOUT')

/** Builds the document without MuPDF: Poppler's words over images of the pages. */
async function buildFromPoppler(request: DocxRequest, tools: Tools): Promise<string> {
  const { path, pages } = request
  const { sizes } = await openPdf(path, undefined, tools)
  const parsedPages: PageContent[] = []
  for (const pageNumber of pages) {
    const { width, height } = sizes[pageNumber - 1] ?? { width: 595, height: 842 }
    const emptyPage: PageContent = {
      number: pageNumber,
      width,
      height,
      textSegments: [],
      images: [],
      vectors: [],
      rotatedText: [],
      undecodedWords: [],
    }
    parsedPages.push({ ...emptyPage, textSegments: await readWithPoppler(path, emptyPage, tools) })
  }
  // If there are no words, the next fallback is better: its page images also include text drawn as shapes.
  if (parsedPages.every(({ textSegments }) => textSegments.length === 0))
    throw new Error('Poppler found no words either.')
  return writeFixedLayout(request, parsedPages, tools, () => true)
}

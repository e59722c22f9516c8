import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { openPdf } from '../open-pdf.ts'
import type { Writing, Written } from './docx-request.ts'
import { readAgain } from './fallback-text.ts'
import { exactDocx, writeExact } from './fixed-layout.ts'
import { flowDocx } from './flowing-layout.ts'
import { picturesDocx } from './images-only.ts'
import type { Page } from './page-content.ts'

/**
 * The interface: "When layout reconstruction fails, a rendering import runs instead, so a file is still returned."
 * LibreOffice's import of PDFs was tried for it and dropped: it does not open its own files again.
 */
export async function rebuild(writing: Writing, tools: Tools): Promise<Written> {
  try {
    return await (writing.exact ? exactDocx : flowDocx)(writing, tools)
  } catch (error) {
    if (isFinal(error, tools)) throw error
  }
  try {
    const file = await renderedDocx(writing, tools)
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The layout of the PDF could not be rebuilt, so each line stands where it stood on its page, over a picture of the rest.',
    )
    return { file, recognized: [] }
  } catch (error) {
    if (isFinal(error, tools)) throw error
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The text of the PDF could not be rebuilt, so the document holds a picture of each page.',
    )
    return { file: await picturesDocx(writing, tools), recognized: [] }
  }
}

const isFinal = (error: unknown, { signal }: Tools) =>
  signal.aborted || (error instanceof AppError && error.code !== 'TIMEOUT')

/** Poppler's words over pictures of the pages: what does without MuPDF. */
async function renderedDocx(writing: Writing, tools: Tools): Promise<string> {
  const { path, pages } = writing
  const { sizes } = await openPdf(path, undefined, tools)
  const read: Page[] = []
  for (const number of pages) {
    const { width, height } = sizes[number - 1] ?? { width: 595, height: 842 }
    const empty: Page = {
      ...{ number, width, height, pieces: [], images: [], vectors: [], turned: [], unread: [] },
    }
    read.push({ ...empty, pieces: await readAgain(path, empty, tools) })
  }
  // Pictures without words are the fallback after this one, which draws text that is made of lines as well.
  if (read.every(({ pieces }) => pieces.length === 0)) throw new Error('Poppler reads no words either.')
  return writeExact(writing, read, tools, () => true)
}

import { AppError } from '../../../errors.ts'
import type { Tools } from '../../engine.ts'
import { exactDocx } from './exact.ts'
import { flowDocx } from './flow.ts'
import { picturesDocx } from './page-pictures.ts'
import type { Writing } from './writing.ts'

/**
 * The interface: "When layout reconstruction fails, a rendering import runs instead, so a file is still returned."
 * LibreOffice's import of PDFs was tried for it and dropped: it does not open its own files again.
 */
export async function rebuild(writing: Writing, tools: Tools): Promise<string> {
  try {
    return await (writing.exact ? exactDocx : flowDocx)(writing, tools)
  } catch (error) {
    if (tools.signal.aborted || (error instanceof AppError && error.code !== 'TIMEOUT')) throw error
    tools.warn(
      'LAYOUT_NOT_REBUILT',
      'The text of the PDF could not be rebuilt, so the document holds a picture of each page.',
    )
    return picturesDocx(writing, tools)
  }
}

import { join } from 'node:path'
import { createDocumentPasswordMissingError } from '../../../formats/locked-office.ts'
import type { InputFile, Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { runPython } from '../../sandbox/python.ts'
import { rejectStrictOffice } from '../../strict-office.ts'

/** Exit codes of `layers/document/word_text.py`. */
const exitCodes = { notWord: 3, encrypted: 4, nothing: 5 } as const

/**
 * Moves text boxes, shapes, diagrams and comments of a Word document into its text, because pandoc and calibre drop
 * content anchored to paragraphs. Returns the document itself if it has no such content. Also returns the file itself
 * if it is not a Word document, because its reader reports that. Numbers that a list of the target cannot show become
 * text; in some formats, lists have only decimal numbers.
 * @throws AppError FILE_ENCRYPTED; UNSUPPORTED_FORMAT for Strict Office Open XML.
 */
export async function inlineWordText(
  input: InputFile,
  tools: Tools,
  lists: 'all' | 'decimal' = 'all',
): Promise<InputFile> {
  await rejectStrictOffice(input)
  const path = join(tools.workDir, 'whole-text.docx')
  try {
    await runPython('document/word_text.py', [input.path, path, lists], tools, { timeoutS: 120 })
    return { ...input, path }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (error.exitCode === exitCodes.encrypted) throw createDocumentPasswordMissingError(error)
    if (error.exitCode === exitCodes.nothing || error.exitCode === exitCodes.notWord) return input
    throw error
  }
}

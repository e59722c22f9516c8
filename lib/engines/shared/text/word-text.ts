import { join } from 'node:path'
import * as z from 'zod'
import { createDocumentPasswordMissingError } from '../../../formats/locked-office.ts'
import { describeNames } from '../../../model/warning-details.ts'
import type { InputFile, Tools } from '../../engine.ts'
import { ProcessFailure } from '../../sandbox/exec.ts'
import { runPython } from '../../sandbox/python.ts'
import { rejectStrictOffice } from '../../strict-office.ts'

/** Exit codes of `layers/document/word_text.py`. */
const exitCodes = { notWord: 3, encrypted: 4, nothing: 5 } as const

const Facts = z.object({ damaged: z.array(z.string()) })

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
    const args = [input.path, path, lists]
    const { stdout } = await runPython('document/word_text.py', args, tools, { timeoutS: 120 })
    warnAboutDamagedParts(Facts.parse(JSON.parse(stdout)).damaged, tools)
    return { ...input, path }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (error.exitCode === exitCodes.encrypted) throw createDocumentPasswordMissingError(error)
    if (error.exitCode === exitCodes.nothing || error.exitCode === exitCodes.notWord) return input
    throw error
  }
}

/** @param names parts with text that are missing, or of which only the beginning could be read. */
export function warnAboutDamagedParts(names: readonly string[], tools: Tools): void {
  if (names.length === 0) return
  tools.warn(
    'MAY_BE_DAMAGED',
    `Parts of the document are damaged or missing: ${names.join(', ')}. Check whether text of headers, footers, notes or comments is missing.`,
    describeNames(names),
  )
}

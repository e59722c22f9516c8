import { join } from 'node:path'
import { documentLocked } from '../../formats/locked-office.ts'
import type { InputFile, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'
import { refuseStrict } from '../strict-office.ts'

/** Exit codes of `layers/document/word_text.py`. */
const codes = { notWord: 3, encrypted: 4, nothing: 5 } as const

/**
 * A Word document whose text boxes, shapes, diagrams and comments stand in its text, as pandoc and calibre leave out
 * what hangs on a paragraph. The document itself where it has nothing of the kind, or is none: its reader says that.
 * @throws AppError FILE_ENCRYPTED; UNSUPPORTED_FORMAT for the strict kind.
 */
export async function wholeText(input: InputFile, tools: Tools): Promise<InputFile> {
  await refuseStrict(input)
  const path = join(tools.workDir, 'whole-text.docx')
  try {
    await runPython('document/word_text.py', [input.path, path], tools, { timeoutS: 120 })
    return { ...input, path }
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    if (error.exitCode === codes.encrypted) throw documentLocked(error)
    if (error.exitCode === codes.nothing || error.exitCode === codes.notWord) return input
    throw error
  }
}

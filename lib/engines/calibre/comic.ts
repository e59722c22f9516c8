import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { getMaxUnpackedBytes } from '../../formats/archive-limits.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'

/**
 * Writes a PDF with one image per page, in the order of the file names.
 * @returns the number of pages.
 * @throws AppError CORRUPT_FILE.
 */
export async function convertComicToPdf(
  source: string,
  target: string,
  format: FormatId,
  tools: Tools,
): Promise<number> {
  try {
    const { stdout } = await runPython('document/comic_pages.py', [source, target], tools)
    tools.progress(1)
    return Number(stdout.trim())
  } catch (error) {
    throw createUnreadableComicError(error, format)
  }
}

/**
 * Returns the path of the comic as a ZIP. Entries are copied from archive to archive, without unpacking to files.
 * @throws AppError CORRUPT_FILE.
 */
export async function convertComicToZip(input: InputFile, tools: Tools): Promise<string> {
  if (input.format === 'cbz') return input.path
  const path = join(tools.workDir, 'comic.cbz')
  const args = ['--format=zip', '--options=zip:compression=store', '-cf', path, `@${input.path}`]
  try {
    await tools.exec('bsdtar', args, { maxFileBytes: getMaxUnpackedBytes(input.size) })
    return path
  } catch (error) {
    throw createUnreadableComicError(error, input.format)
  }
}

/** Returns CORRUPT_FILE if a program failed or crashed on the file. Returns any other error unchanged. */
export function createUnreadableComicError(error: unknown, format: FormatId): unknown {
  if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) return error
  const message = `The ${formatById(format).name} (${format}) is damaged, or its content is encrypted.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, { cause: error })
}

import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { InputFile, Tools } from '../engine.ts'
import { EngineCrash } from '../sandbox/engine-crash.ts'
import { ProcessFailure } from '../sandbox/exec.ts'
import { runPython } from '../sandbox/python.ts'
import { allowedBytes } from '../seven-zip/limits.ts'

/**
 * One picture to a page, in the order of their names.
 * @returns the number of pages.
 * @throws AppError CORRUPT_FILE.
 */
export async function comicAsPdf(
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
    throw unreadable(error, format)
  }
}

/**
 * A comic as a ZIP, and where it lies. Entries are copied from archive to archive: none becomes a file.
 * @throws AppError CORRUPT_FILE.
 */
export async function comicAsZip(input: InputFile, tools: Tools): Promise<string> {
  if (input.format === 'cbz') return input.path
  const path = join(tools.workDir, 'comic.cbz')
  const args = ['--format=zip', '--options=zip:compression=store', '-cf', path, `@${input.path}`]
  try {
    await tools.exec('bsdtar', args, { maxFileBytes: allowedBytes(input.size) })
    return path
  } catch (error) {
    throw unreadable(error, input.format)
  }
}

/** What to throw instead: CORRUPT_FILE when a program failed or died over the file, any other error as it is. */
export function unreadable(error: unknown, format: FormatId): unknown {
  if (!(error instanceof ProcessFailure || error instanceof EngineCrash)) return error
  const sentence = `The ${formatById(format).name} (${format}) is damaged, or its content is encrypted.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, { cause: error })
}

import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** One Ghostscript run: its input, device and output. */
interface GhostscriptJob {
  /** Ghostscript device, which determines the output format. */
  readonly device: string
  readonly input: string
  /** Format named in error messages. */
  readonly format: FormatId
  /** Output path, with `%d` for one file per page. */
  readonly output: string
  /** Additional switches, one argument each. */
  readonly switches?: readonly string[]
}

/**
 * Prevents PostScript in the file from reading, writing or executing anything: SAFER mode, in a sandbox without other
 * files.
 */
const safetySwitches = ['-dSAFER', '-dBATCH', '-dNOPAUSE', '-dNOPROMPT'] as const

/** Runs Ghostscript on PostScript or a PDF. @throws AppError CORRUPT_FILE. */
export async function runGhostscript(job: GhostscriptJob, tools: Tools): Promise<void> {
  const { device, input, output, switches = [], format } = job
  const args = [...safetySwitches, `-sDEVICE=${device}`, ...switches, `-sOutputFile=${output}`, '-f', input]
  try {
    await tools.exec('gs', args)
  } catch (error) {
    throw error instanceof ProcessFailure ? createUnreadableDrawingError(format, error) : error
  }
}

export function createUnreadableDrawingError(format: FormatId, cause?: Error): AppError {
  const message = `The ${formatById(format).name} (${format}) is damaged or contains no drawing.`
  return new AppError('CORRUPT_FILE', message, { field: 'file', format }, cause && { cause })
}

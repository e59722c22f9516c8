import { AppError } from '../../errors.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** What Ghostscript runs, and what it makes of that. */
export interface Drawing {
  /** Device of Ghostscript, which is also what kind of file it writes. */
  readonly device: string
  readonly input: string
  /** For the sentence of an error. */
  readonly format: FormatId
  /** With `%d` where each page becomes a file. */
  readonly output: string
  /** More switches, each as one argument. */
  readonly switches?: readonly string[]
}

/** A program in the file may read, write and start nothing: SAFER, in a sandbox that has nothing to read. */
const always = ['-dSAFER', '-dBATCH', '-dNOPAUSE', '-dNOPROMPT'] as const

/** Runs a PostScript program or a PDF and lets a device write what it draws. @throws AppError CORRUPT_FILE. */
export async function drawByGhostscript(drawing: Drawing, tools: Tools): Promise<void> {
  const { device, input, output, switches = [], format } = drawing
  const args = [...always, `-sDEVICE=${device}`, ...switches, `-sOutputFile=${output}`, '-f', input]
  try {
    await tools.exec('gs', args)
  } catch (error) {
    throw error instanceof ProcessFailure ? unreadable(format, error) : error
  }
}

export function unreadable(format: FormatId, cause?: Error): AppError {
  const sentence = `The ${formatById(format).name} (${format}) is damaged or draws nothing.`
  return new AppError('CORRUPT_FILE', sentence, { field: 'file', format }, cause && { cause })
}

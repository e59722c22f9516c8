import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { createPdfPasswordWrongError } from '../../formats/locked-pdf.ts'
import type { ExecOptions, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** A job as described by `qpdf --job-json-help`. */
type QpdfJob = Readonly<Record<string, unknown>>

/**
 * Runs qpdf with a job file: other processes can read command-line arguments, which would include passwords.
 * @returns warnings from qpdf, empty for an intact file.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED.
 */
export async function runQpdf(
  job: QpdfJob,
  tools: Tools,
  limits: Pick<ExecOptions, 'maxFileBytes'> = {},
): Promise<string> {
  const path = join(tools.workDir, `job-${randomUUID()}.json`)
  // PDF/A requires an end of line before the keyword (ISO 19005-2, 6.1.7.1); qpdf leaves it out by default.
  const completeJob = 'jsonOutput' in job ? job : { newlineBeforeEndstream: '', ...job }
  await writeFile(path, JSON.stringify(completeJob), { mode: 0o600 })
  try {
    // Exit code 3 is success with warnings.
    const { stderr } = await tools.exec('qpdf', [`--job-json-file=${path}`], { okCodes: [0, 3], ...limits })
    return stderr
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw /invalid password/i.test(error.stderr)
      ? createPdfPasswordWrongError({}, error)
      : createCorruptPdfError(error)
  } finally {
    await rm(path, { force: true })
  }
}

/** Creates the error for a PDF that a program cannot read. */
export function createCorruptPdfError(cause: Error): AppError {
  return new AppError('CORRUPT_FILE', 'The PDF is damaged or incomplete.', undefined, { cause })
}

/** Converts the failure of a program into a CORRUPT_FILE error; returns any other error unchanged. */
export function toPdfError(error: unknown): unknown {
  return error instanceof ProcessFailure ? createCorruptPdfError(error) : error
}

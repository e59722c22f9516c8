import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../../errors.ts'
import { passwordWrong } from '../../formats/locked-pdf.ts'
import type { ExecOptions, Tools } from '../engine.ts'
import { ProcessFailure } from '../sandbox/exec.ts'

/** A job as `qpdf --job-json-help` describes it. */
export type QpdfJob = Readonly<Record<string, unknown>>

/**
 * Runs qpdf by a job file: arguments can be read by others, and passwords are among them.
 * @returns what it complained about, empty for a sound file.
 * @throws AppError CORRUPT_FILE, PDF_ENCRYPTED.
 */
export async function qpdf(
  job: QpdfJob,
  tools: Tools,
  limits: Pick<ExecOptions, 'maxFileBytes'> = {},
): Promise<string> {
  const path = join(tools.workDir, `job-${randomUUID()}.json`)
  await writeFile(path, JSON.stringify(job), { mode: 0o600 })
  try {
    // 3 is a success with warnings.
    const { stderr } = await tools.exec('qpdf', [`--job-json-file=${path}`], { okCodes: [0, 3], ...limits })
    return stderr
  } catch (error) {
    if (!(error instanceof ProcessFailure)) throw error
    throw /invalid password/i.test(error.stderr) ? passwordWrong({}, error) : damaged(error)
  } finally {
    await rm(path, { force: true })
  }
}

/** For any program that cannot read a PDF. */
export function damaged(cause: Error): AppError {
  return new AppError('CORRUPT_FILE', 'The PDF is damaged or incomplete.', undefined, { cause })
}

/** What to throw instead: CORRUPT_FILE when a program failed over a PDF, any other error as it is. */
export function unreadablePdf(error: unknown): unknown {
  return error instanceof ProcessFailure ? damaged(error) : error
}

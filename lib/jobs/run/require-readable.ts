import { open } from 'node:fs/promises'
import { detectFormat } from '../../decoders/detect-format.ts'
import { countingPool, readSummary } from '../../decoders/read-summary.ts'
import type { EngineResult } from '../../engines/engine.ts'
import type { ErrorCode } from '../../error-catalog.ts'
import { AppError } from '../../errors.ts'
import type { ContentSummary } from '../../fidelity/content-summary.ts'
import { createReader } from '../../formats/detect/byte-source.ts'
import { textFormats } from '../../formats/detect/families.ts'
import { type FormatId, formatById } from '../../formats/index.ts'
import type { Log } from '../../log.ts'
import type { ConversionStep } from '../../model/job.ts'

/** Programs cannot open the result, but the result of another route may be valid. */
class UnreadableResultError extends AppError {
  constructor(from: string, to: string) {
    super(
      'CONVERSION_FAILED',
      `The ${to} made from the ${from} cannot be opened: it is empty or damaged. Choose other options or another target, or save the file again in the program that created it.`,
      { from, to, reason: 'unreadable-result' },
    )
  }
}

/** Codes that mean that a result is invalid. A file with another error, such as an encrypted PDF, may be valid. */
const refusalCodes: readonly ErrorCode[] = ['CORRUPT_FILE', 'UNSUPPORTED_FORMAT', 'INVALID_INPUT']

/**
 * Opens the files of the last step as if they were uploads: each must be complete and have content of its format.
 * @throws UnreadableResultError
 */
export async function requireReadable(
  { from, to }: Pick<ConversionStep, 'from' | 'to'>,
  { files, images }: Pick<EngineResult, 'files' | 'images'>,
  log: Log,
): Promise<void> {
  for (const file of files) {
    const format = file.format ?? (to as FormatId) // the engine was found by this format
    if (file.filename !== undefined || textFormats.includes(format) || images?.has(file.path)) continue
    const problem = await findProblem(file.path, format, log)
    if (problem === undefined) continue
    log.info({ from, to: format, problem }, 'rejected a result that cannot be opened')
    throw new UnreadableResultError(from, format)
  }
}

async function findProblem(path: string, format: FormatId, log: Log): Promise<string | undefined> {
  const { extensions, category } = formatById(format)
  await using file = await open(path)
  const { size } = await file.stat()
  const source = { filename: `result.${extensions[0] ?? format}`, size, read: createReader(file) }
  try {
    await detectFormat(source, {}, countingPool)
  } catch (error) {
    // A bug in detection must not fail the conversion.
    if (!(error instanceof AppError)) log.error({ error, format }, 'a result could not be checked')
    else if (refusalCodes.includes(error.code)) return error.message
  }
  if (category !== 'audio' && category !== 'video') return undefined
  const summary = await readSummary(path, format, { isResult: true }).catch(() => undefined)
  return summary && isBlank(summary) ? 'it contains neither video nor audio' : undefined
}

/** Whether a media file contains no video or audio, according to its header. */
function isBlank({ features, seconds = 0, counts: { frames, samples } }: ContentSummary): boolean {
  if (Math.max(seconds, frames ?? 0, samples ?? 0) > 0) return false
  // The duration is not enough, because some headers omit it.
  return features.length === 0 || frames === 0 || samples === 0
}

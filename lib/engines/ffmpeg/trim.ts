import { AppError } from '../../errors.ts'
import type { MediaInfo } from './probe.ts'

interface Trim {
  /** Arguments that precede `-i`. */
  readonly args: readonly string[]
  /** Remaining duration in seconds; undefined if unknown. */
  readonly durationS: number | undefined
}

/** Resolves the range from `start` to `end` (seconds). @throws AppError INVALID_INPUT if the range is empty. */
export function resolveTrim(
  { start = 0, end }: { readonly start?: number | undefined; readonly end?: number | undefined },
  { durationS }: MediaInfo,
): Trim {
  if (end !== undefined && end <= start)
    throw new AppError('INVALID_INPUT', 'end: expected a time after start.', {
      field: 'end',
      reason: 'end-before-start',
    })
  if (durationS !== undefined && start >= durationS) {
    const message = `start: expected a time before the end of the file, which is ${durationS} seconds long.`
    throw new AppError('INVALID_INPUT', message, {
      field: 'start',
      reason: 'after-end',
      lengthS: durationS,
    })
  }
  const endS = Math.min(end ?? Number.POSITIVE_INFINITY, durationS ?? Number.POSITIVE_INFINITY)
  return {
    args: [
      ...(start > 0 ? ['-ss', String(start)] : []),
      ...(end === undefined ? [] : ['-t', String(end - start)]),
    ],
    durationS: Number.isFinite(endS) ? endS - start : undefined,
  }
}

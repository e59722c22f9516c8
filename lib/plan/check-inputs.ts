import { AppError } from '../errors.ts'
import type { StoredFile } from '../model/job.ts'
import type { Operation } from '../model/operations.ts'
import type { Route } from './index.ts'

interface InputRules {
  readonly route: Route
  readonly operation: Operation
  /** Request field that contains the files. */
  readonly field: string
}

/**
 * Checks the number and formats of the files after the first.
 * @throws AppError INVALID_INPUT; INVALID_REQUEST if the operation takes only one file.
 */
export function requireCompatibleInputs(
  moreFiles: readonly StoredFile[],
  { route, operation, field }: InputRules,
): void {
  const rule = route.steps[0].capability.more
  if (!rule) {
    if (moreFiles.length === 0) return
    throw createOneFileError(operation, field, moreFiles.length + 1)
  }
  const fileCount = moreFiles.length + 1
  const [min, max] = [rule.min + 1, rule.max + 1]
  if (fileCount < min || fileCount > max) {
    throw new AppError('INVALID_INPUT', `${field}: expected ${min} to ${max} files, got ${fileCount}.`, {
      field,
      min,
      max,
      got: fileCount,
    })
  }
  for (const [index, { format, filename }] of moreFiles.entries()) {
    if (rule.from.some((id) => id === format)) continue
    throw new AppError(
      'INVALID_INPUT',
      `${field}: file ${index + 2} (${filename}) is ${format}, which cannot be combined with the first file; expected ${rule.from.join(', ')}.`,
      { field, index: index + 1, format, expected: rule.from },
    )
  }
}

export const createOneFileError = (operation: Operation, field: string, fileCount: number) =>
  new AppError(
    'INVALID_REQUEST',
    `${field}: ${operation} takes one file, got ${fileCount}. Send only one file.`,
    {
      field,
      max: 1,
      got: fileCount,
    },
  )

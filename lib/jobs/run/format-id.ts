import { AppError } from '../../errors.ts'
import { type FormatId, formatById, isFormatId } from '../../formats/index.ts'

/** Validates a format id from a record, which another version may have written. @throws AppError UNSUPPORTED_FORMAT */
export function requireFormatId(id: string): FormatId {
  if (isFormatId(id)) return id
  throw new AppError('UNSUPPORTED_FORMAT', `The format ${id} is no longer supported.`)
}

export const getExtension = (id: FormatId): string => formatById(id).extensions[0] ?? id

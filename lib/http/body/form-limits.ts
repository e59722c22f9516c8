import { AppError } from '../../errors.ts'

/** Limits of a form, which only attacks are expected to exceed. */
export const formLimits = {
  fields: 200,
  /** Maximum number of characters in the name of a field. */
  nameLength: 200,
  fieldBytes: 1024 * 1024,
  /** Maximum size in bytes of all fields together, without files. */
  bytes: 4 * 1024 * 1024,
  /** Maximum number of fields and files. */
  parts: 400,
  headerPairs: 100,
} as const

/**
 * Checks the name of a form field.
 * @param name undefined for a part that has none.
 * @throws AppError INVALID_INPUT, INVALID_REQUEST.
 */
export function checkFieldName(name: string | undefined): string {
  if (name === undefined)
    throw new AppError(
      'INVALID_REQUEST',
      'A part of the form has no name. Let your HTTP client create the form.',
    )
  if (name.length <= formLimits.nameLength) return name
  const field = name.slice(0, 64)
  throw new AppError(
    'INVALID_INPUT',
    `${field}…: expected a field name of at most ${formLimits.nameLength} characters, got ${name.length}.`,
    { field },
  )
}

export const createFormTooLargeError = () =>
  new AppError(
    'INVALID_REQUEST',
    `The fields of the form are larger than ${formLimits.bytes / 1024 ** 2} MiB together. Send files in parts with a file name.`,
    { maxBytes: formLimits.bytes },
  )

export const createTooManyFieldsError = () =>
  new AppError(
    'INVALID_REQUEST',
    `The form has too many parts: expected at most ${formLimits.fields} fields, and ${formLimits.parts} parts including files.`,
    { max: formLimits.parts },
  )

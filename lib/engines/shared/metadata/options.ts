import * as z from 'zod'
import { AppError } from '../../../errors.ts'
import { flag } from '../../options.ts'

const textOption = z
  .string()
  .max(2000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would start another argument.
  .regex(/^[^\0-\x1f\x7f]*$/, 'expected one line of text')
  .optional()

/** Metadata fields that can be written, with the same names for all formats. */
export const MetadataOptions = z.object({
  title: textOption.describe(
    'An empty value removes the field; if the option is omitted, the field is kept. The other metadata fields work the same way.',
  ),
  author: textOption.describe('The author, or the artist of a song.'),
  subject: textOption,
  description: textOption.describe('A comment or caption.'),
  keywords: textOption.describe('Separated by commas.'),
  copyright: textOption,
  creationDate: z
    .union([z.literal(''), z.iso.date(), z.iso.datetime({ offset: true, local: true })])
    .optional()
    .describe('Creation date, such as 2026-01-31 or 2026-01-31T12:00:00Z.'),
  strip: flag()
    .default(false)
    .describe(
      'First removes all existing metadata, such as location, camera and software; the appearance stays the same.',
    ),
})
export type MetadataOptions = z.infer<typeof MetadataOptions>

const metadataNames = [
  'title',
  'author',
  'subject',
  'description',
  'keywords',
  'copyright',
  'creationDate',
] as const satisfies readonly (keyof MetadataOptions)[]
export type MetadataName = (typeof metadataNames)[number]

/** Returns the fields to write. @throws AppError INVALID_INPUT when there is nothing to do. */
export function getRequestedFields(options: MetadataOptions): Map<MetadataName, string> {
  const fields = new Map(
    metadataNames.flatMap((name): [MetadataName, string][] => {
      const value = options[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  if (fields.size > 0 || options.strip) return fields
  const message = `title: expected at least one of ${metadataNames.join(', ')}, or strip.`
  throw new AppError('INVALID_INPUT', message, { field: 'title' })
}

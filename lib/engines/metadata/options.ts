import * as z from 'zod'
import { AppError } from '../../errors.ts'
import { flag } from '../options.ts'

const text = z
  .string()
  .max(2000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: line ends would begin another argument.
  .regex(/^[^\0-\x1f\x7f]*$/, 'expected one line of text')
  .optional()

/** What is written into files, under the names that it goes by for all of them. */
export const MetadataOptions = z.object({
  title: text.describe('Empty removes it, left out keeps it; so with the others.'),
  author: text.describe('Who made it; the artist of a song.'),
  subject: text,
  description: text.describe('A comment or caption.'),
  keywords: text.describe('With a comma between.'),
  copyright: text,
  creationDate: z
    .union([z.literal(''), z.iso.date(), z.iso.datetime({ offset: true, local: true })])
    .optional()
    .describe('As 2026-01-31 or 2026-01-31T12:00:00Z.'),
  strip: flag()
    .default(false)
    .describe('First removes all that there is, as places, cameras and programs; what it looks like stays.'),
})
export type MetadataOptions = z.infer<typeof MetadataOptions>

export const metadataNames = [
  'title',
  'author',
  'subject',
  'description',
  'keywords',
  'copyright',
  'creationDate',
] as const satisfies readonly (keyof MetadataOptions)[]
export type MetadataName = (typeof metadataNames)[number]

/** Those that are to be written. @throws AppError INVALID_INPUT when nothing is to be done. */
export function givenTexts(options: MetadataOptions): Map<MetadataName, string> {
  const given = new Map(
    metadataNames.flatMap((name): [MetadataName, string][] => {
      const value = options[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  if (given.size > 0 || options.strip) return given
  const sentence = `title: expected at least one of ${metadataNames.join(', ')}, or strip.`
  throw new AppError('INVALID_INPUT', sentence, { field: 'title' })
}

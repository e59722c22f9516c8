import * as z from 'zod'

/** Names that people give to themselves and to what they make: shown on pages, in letters and in logs of others. */

/** Control characters and ends of lines, which write more than a name, and what turns the direction of the text around it. */
const hostile = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
const hostiles = new RegExp(hostile, 'gu')
/** Letters, digits, marks and pictures; of what is only ignored in showing a text no name can be made. */
const visible = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u

export const isPlain = (text: string): boolean => !hostile.test(text)

const words =
  'expected a name that can be read: with letters or digits, without control characters and marks that turn the direction of text around'

/** Without the blanks around it. @param most UTF-16 code units. */
export const readableName = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((name) => isPlain(name) && visible.test(name), words)

export const mostOfAccountName = 200
export const accountName = readableName(mostOfAccountName)

/** A name as somebody else's service has it, who cannot be asked for another. */
export function asAccountName(given: string, otherwise: string): string {
  const name = given.replace(hostiles, ' ').slice(0, mostOfAccountName).toWellFormed()
  const { success, data } = accountName.safeParse(name)
  return success ? data : otherwise
}

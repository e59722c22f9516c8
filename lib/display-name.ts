import * as z from 'zod'

/** Names that people give to themselves and to what they make: shown on pages, in letters and in logs of others. */

/** Control characters and ends of lines, which write more than a name, and what turns the direction of the text around it. */
const unsafeCharacter = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
const unsafeCharacters = new RegExp(unsafeCharacter, 'gu')
/** Letters, digits, marks and pictures; of what is only ignored in showing a text no name can be made. */
const visibleCharacter = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u

export const isSafeText = (text: string): boolean => !unsafeCharacter.test(text)

const expectation =
  'expected a name that can be read: with letters or digits, without control characters and marks that turn the direction of text around'

/** Without the blanks around it. @param maxLength UTF-16 code units. */
export const displayName = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((name) => isSafeText(name) && visibleCharacter.test(name), expectation)

export const maxAccountNameLength = 200
export const accountName = displayName(maxAccountNameLength)

/** A name as somebody else's service has it, who cannot be asked for another. */
export function toAccountName(given: string, fallback: string): string {
  const name = given.replace(unsafeCharacters, ' ').slice(0, maxAccountNameLength).toWellFormed()
  const { success, data } = accountName.safeParse(name)
  return success ? data : fallback
}

import * as z from 'zod'

/**
 * Names that people give to themselves and to what they create. They are shown on pages, in emails and in other
 * people's logs.
 */

/**
 * Matches control characters and line ends, which could forge other text, and characters that change the text
 * direction.
 */
const unsafeCharacterPattern = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
const unsafeCharactersPattern = new RegExp(unsafeCharacterPattern, 'gu')
/** Matches visible characters: letters, digits, punctuation, symbols. A name needs at least one of them. */
const visibleCharacterPattern = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}\p{P}\p{S}]/u

export const isSafeText = (text: string): boolean => !unsafeCharacterPattern.test(text)

const expectation =
  'expected a readable name: with letters or digits, without control characters or characters that change the text direction'

/** Schema of a name; surrounding whitespace is removed. @param maxLength in UTF-16 code units. */
export const createNameSchema = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .refine((name) => isSafeText(name) && visibleCharacterPattern.test(name), expectation)

const maxAccountNameLength = 200
export const accountNameSchema = createNameSchema(maxAccountNameLength)

/** Cleans a name from another service, because the person cannot be asked for a different one. */
export function toAccountName(givenName: string, fallbackName: string): string {
  const name = givenName.replace(unsafeCharactersPattern, ' ').slice(0, maxAccountNameLength).toWellFormed()
  const { success, data } = accountNameSchema.safeParse(name)
  return success ? data : fallbackName
}

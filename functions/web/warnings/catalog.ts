import type { Job } from '../api.ts'

export type Warning = Pick<Job['warnings'][number], 'code' | 'message' | 'details'>
type Details = NonNullable<Warning['details']>

/** Details that the sentences of each warning need; if one is missing, the warning's general text is shown. */
const requiredDetails = {
  ATTACHMENTS_DROPPED: ['count'],
  CONTENT_LOST: ['unit', 'share'],
  DUPLICATES_DROPPED: ['names', 'count'],
  FONTS_SUBSTITUTED: ['names', 'count'],
  HIDDEN_DROPPED: ['sheets', 'rows', 'columns'],
  LINKS_DROPPED: ['count'],
  OCR_UNCERTAIN: ['share', 'pages', 'count'],
  OCR_USED: ['pages', 'count'],
  PAGES_DROPPED: ['kept', 'total'],
  SHEETS_DROPPED: ['total'],
} as const satisfies Readonly<Record<string, readonly (keyof Details)[]>>
type RequiredDetails = typeof requiredDetails

/** Sentences that contain the numbers and names of a warning, by its code. */
export type Sentences = {
  readonly [Code in keyof RequiredDetails]: (
    details: { readonly [Name in RequiredDetails[Code][number]]: NonNullable<Details[Name]> },
  ) => string
}

export interface WarningCatalog {
  /** What each warning means, by its code. */
  readonly texts: Readonly<Record<string, string>>
  readonly sentences: Partial<Sentences>
}

/** Returns the sentence of a warning from the catalog; undefined if the catalog has none. */
export function translateWarning(
  { code, details }: Warning,
  { texts, sentences }: WarningCatalog,
): string | undefined {
  const names: readonly (keyof Details)[] = requiredDetails[code as keyof RequiredDetails] ?? []
  const sentence = sentences[code as keyof RequiredDetails] as ((details: Details) => string) | undefined
  return details && sentence && names.every((name) => details[name] !== undefined)
    ? sentence(details)
    : texts[code]
}

const maxNames = 3

/** Joins the first names and adds the number of the others, for example `a, b, c (+2)`. */
export const listNames = (names: readonly string[], count: number, comma = ', '): string =>
  names.slice(0, maxNames).join(comma) + (count > maxNames ? ` (+${count - maxNames})` : '')

/** Joins the counts that are not zero. */
export const listCounts = (
  counts: readonly (readonly [count: number, text: string])[],
  comma = ', ',
): string =>
  counts
    .filter(([count]) => count > 0)
    .map(([, text]) => text)
    .join(comma)

/** Rounds down to a percentage, so that it is never 100 if anything is missing. */
export const toPercent = (share: number): number => Math.floor(share * 100 + 1e-9)

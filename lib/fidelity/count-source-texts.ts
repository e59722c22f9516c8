import type { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import { readText, type TextEncodingHint } from './decode-text.ts'
import { WordCounts } from './word-counts.ts'

/** Pictures stand in some of them as text. */
const maxBytes = 32 * 1024 * 1024

/** Counts the words of texts within a text, where it is a source: what becomes one may hold them in other forms. */
export const countSourceTexts =
  (findTexts: (source: string) => readonly string[] | undefined) =>
  async (
    bytes: FileBytes,
    isResult: boolean,
    { encoding }: TextEncodingHint = {},
  ): Promise<ContentSummary | undefined> => {
    if (isResult || bytes.size > maxBytes) return undefined
    const texts = findTexts(await readText(bytes, encoding))
    if (!texts) return undefined
    const words = new WordCounts()
    for (const text of texts) words.add(text)
    return { words, counts: {}, features: [] }
  }

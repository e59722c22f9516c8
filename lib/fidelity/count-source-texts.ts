import type { FileBytes } from './bytes.ts'
import type { ContentSummary } from './content-summary.ts'
import { decodeTextFile, type TextEncodingHint } from './text/decode-text.ts'
import { WordCounts } from './text/word-counts.ts'

/** Large enough for files that contain images as base64 text. */
const maxBytes = 32 * 1024 * 1024

/**
 * Creates a reader that counts the words in the texts that `findTexts` finds in a source, such as the cells of a
 * notebook. It does not count results, which may encode the texts differently.
 */
export const countSourceTexts =
  (findTexts: (source: string) => readonly string[] | undefined) =>
  async (
    bytes: FileBytes,
    isResult: boolean,
    { encoding }: TextEncodingHint = {},
  ): Promise<ContentSummary | undefined> => {
    if (isResult || bytes.size > maxBytes) return undefined
    const texts = findTexts(await decodeTextFile(bytes, encoding))
    if (!texts) return undefined
    const words = new WordCounts()
    for (const text of texts) words.add(text)
    return { words, counts: {}, features: [] }
  }

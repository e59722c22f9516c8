import type { FileBytes } from './bytes.ts'
import type { Holding } from './content-summary.ts'
import { type Asked, lettersIn } from './decode-text.ts'
import { Words } from './word-counts.ts'

/** Pictures stand in some of them as text. */
const mostBytes = 32 * 1024 * 1024

/** Counts the words of texts within a text, where it is a source: what becomes one may hold them in other forms. */
export const ofSource =
  (textsIn: (source: string) => readonly string[] | undefined) =>
  async (bytes: FileBytes, isResult: boolean, { encoding }: Asked = {}): Promise<Holding | undefined> => {
    if (isResult || bytes.size > mostBytes) return undefined
    const texts = textsIn(await lettersIn(bytes, encoding))
    if (!texts) return undefined
    const words = new Words()
    for (const text of texts) words.add(text)
    return { words, counts: {}, features: [] }
  }

import { type FormatId, formatById } from '../formats/index.ts'
import { FileBytes } from './bytes.ts'
import { contentReaderOf } from './content-formats.ts'
import type { ContentSummary } from './content-summary.ts'
import { readHeaders } from './header-readers.ts'
import { isUnreadable } from './read-errors.ts'
import { readInProcess } from './reader-processes.ts'
import type { TextEncodingHint } from './text/decode-text.ts'
import { openZip } from './zip.ts'

interface ReadOptions extends TextEncodingHint {
  readonly isResult: boolean
  readonly signal?: AbortSignal
}

const neverAborted = new AbortController().signal

/**
 * Summarizes a file; undefined if that is not possible, for example if it is damaged or too large.
 * @throws CountingStopped when it needs too much time or memory.
 */
export async function readSummary(
  path: string,
  format: FormatId,
  { signal = neverAborted, ...options }: ReadOptions,
): Promise<ContentSummary | undefined> {
  const reader = contentReaderOf(format)
  return reader ? readInProcess({ path, reader, ...options }, signal) : readHeaders(path, format)
}

/** Counts the pages that were returned as a ZIP of files. */
export async function countPagesInZip(path: string, format: FormatId): Promise<ContentSummary | undefined> {
  const { extensions } = formatById(format)
  await using bytes = await FileBytes.open(path)
  try {
    const zip = await openZip(bytes)
    const pages = zip?.names.filter((name) =>
      extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`)),
    )
    return pages && { counts: { pages: pages.length }, features: [] }
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

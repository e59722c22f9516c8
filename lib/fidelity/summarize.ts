import type { ByteSource } from '../formats/detect/byte-source.ts'
import { type FormatId, formatById } from '../formats/index.ts'
import { FileBytes } from './bytes.ts'
import { type ContentRequest, readContent } from './content-readers.ts'
import { type ContentSummary, type SummaryMessage, toMessage } from './content-summary.ts'
import { readHeaders } from './header-readers.ts'
import { isUnreadable } from './read-errors.ts'
import { openZip } from './zip.ts'

/** What to count: the whole content, what headers state, or the pages of a ZIP that an engine returned. */
export type SummaryRequest =
  | ({ readonly kind: 'content' } & ContentRequest)
  | { readonly kind: 'headers' | 'zipped-pages'; readonly format: FormatId }

/**
 * Summarizes a file; null if that is not possible, for example if it is damaged or too large. A hostile file may keep
 * this function busy for hours, so only decoder processes call it.
 * @throws CountingStoppedError
 */
export async function summarize(
  source: Pick<ByteSource, 'size' | 'read'>,
  request: SummaryRequest,
): Promise<SummaryMessage | null> {
  const summary = await read(new FileBytes(source), request).catch((error: unknown) => {
    if (isUnreadable(error)) return undefined
    throw error
  })
  return summary ? toMessage(summary) : null
}

function read(bytes: FileBytes, request: SummaryRequest): Promise<ContentSummary | undefined> {
  if (request.kind === 'content') return readContent(bytes, request)
  return request.kind === 'headers'
    ? readHeaders(bytes, request.format)
    : countZippedPages(bytes, request.format)
}

async function countZippedPages(bytes: FileBytes, format: FormatId): Promise<ContentSummary | undefined> {
  const { extensions } = formatById(format)
  const zip = await openZip(bytes)
  const pages = zip?.names.filter((name) =>
    extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`)),
  )
  return pages && { counts: { pages: pages.length }, features: [] }
}

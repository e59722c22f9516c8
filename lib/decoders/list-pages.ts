import { open } from 'node:fs/promises'
import * as z from 'zod'
import { pageNamePattern, type ZippedPage } from '../engines/pdf/page-files.ts'
import { type ByteSource, createReader, edgeBytes } from '../formats/detect/byte-source.ts'
import { openFileEdges } from './read-call.ts'
import { readInProcess } from './read-summary.ts'

const offset = z.int().nonnegative()
const ZippedPages = z.array(
  z.object({
    page: z.int(),
    name: z.string().regex(pageNamePattern),
    start: offset,
    size: offset,
  }),
)

/**
 * Lists the pages of a ZIP in a decoder process, in order; undefined if the ZIP does not contain one file per page.
 * @throws CountingStoppedError
 */
export async function listPages(
  source: Pick<ByteSource, 'size' | 'read'>,
): Promise<ZippedPage[] | undefined> {
  const zip = { ...source, filename: '' }
  const value = await readInProcess(await openFileEdges(zip, { method: 'listPages', params: {} }, edgeBytes))
  if (value === null) return undefined
  const pages = ZippedPages.parse(value)
  if (pages.some(({ start, size }) => start + size > source.size))
    throw new Error('a page ends after its ZIP')
  return pages
}

/** Lists the pages of a ZIP on disk. */
export async function listZippedPages(path: string): Promise<ZippedPage[] | undefined> {
  await using file = await open(path)
  const { size } = await file.stat()
  return await listPages({ size, read: createReader(file) })
}

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FileBytes } from '../fidelity/bytes.ts'
import type { ContentSummary } from '../fidelity/content-summary.ts'
import { readHeaders } from '../fidelity/header-readers.ts'
import { openByteSource } from '../formats/detect/byte-source.ts'
import { detectFromContent } from '../formats/detect.ts'
import { type FormatId, formatById } from '../formats/index.ts'

/** Larger images are counted in another process, which has limits. Calling it takes little time compared to reading. */
const maxBytes = 8 * 1024 ** 2

/**
 * Summarizes an image that the engine of this process has read or written, so that no other process has to open it
 * again. Undefined if it is damaged, large or no image; the service then reads it in another process.
 */
export async function countImage(path: string, format: FormatId): Promise<ContentSummary | undefined> {
  const { category, extensions } = formatById(format)
  if (category !== 'image') return undefined
  const fd = openSync(path, 'r')
  // The file is in the page cache, so a synchronous read is faster than a thread.
  const read = async (start: number, end: number) => {
    const bytes = Buffer.allocUnsafe(end - start)
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start))
  }
  try {
    const { size } = fstatSync(fd)
    if (size > maxBytes) return undefined
    const source = await openByteSource({ filename: `image.${extensions[0] ?? format}`, size, read })
    // Throws if the file is damaged or incomplete, which the headers alone do not show.
    await detectFromContent(source)
    return await readHeaders(new FileBytes(source), format)
  } catch {
    return undefined
  } finally {
    closeSync(fd)
  }
}

import { open } from 'node:fs/promises'
import { Writable } from 'node:stream'
import type { ZipArchive, ZipArchiveEntry } from './zip.ts'

/** The default level of zlib. */
const defaultCompressionLevel = 6

/**
 * Writes a copy of a ZIP, without its folders. Files that are not replaced keep their compressed bytes.
 * @param replace returns the new content of a file; undefined to keep it.
 * @param level compression level of new content; 0 stores it uncompressed.
 * @throws DamagedFileError
 */
export async function rewriteZip(
  zip: ZipArchive,
  path: string,
  replace: (entry: ZipArchiveEntry) => Promise<Uint8Array | undefined>,
  level = defaultCompressionLevel,
): Promise<void> {
  const { Uint8ArrayReader, ZipWriter } = await import('@zip.js/zip.js')
  const file = await open(path, 'w')
  const writer = new ZipWriter(Writable.toWeb(file.createWriteStream()), {
    useWebWorkers: false,
    keepOrder: true,
  })
  for (const entry of zip.entries) {
    if (entry.isFolder) continue
    const { name, modifiedAt: lastModDate } = entry
    const content = await replace(entry)
    if (content) await writer.add(name, new Uint8ArrayReader(content), { lastModDate, level })
    else
      await writer.add(name, new Uint8ArrayReader(await zip.readRaw(entry)), {
        lastModDate,
        passThrough: true,
        compressionMethod: entry.method,
        uncompressedSize: entry.uncompressedSize,
        crc32: entry.crc32,
        encrypted: false,
      })
  }
  await writer.close()
}

import { openAsBlob } from 'node:fs'
import type { InputFile } from './engine.ts'
import { featureError } from './unsupported-feature.ts'

/** Namespace of relationships in the Strict variant of Office Open XML (ISO/IEC 29500-1, annex A). */
const strictNamespace = 'http://purl.oclc.org/ooxml/'

/**
 * Rejects Strict Office Open XML, for readers that support only the Transitional variant and would treat the file as
 * damaged or empty.
 * @throws AppError UNSUPPORTED_FORMAT.
 */
export async function refuseStrict(input: InputFile): Promise<void> {
  if (await isStrict(input.path)) throw featureError(input.format, 'the strict kind of Office Open XML')
}

async function isStrict(path: string): Promise<boolean> {
  const { BlobReader, TextWriter, ZipReader } = await import('@zip.js/zip.js')
  const reader = new ZipReader(new BlobReader(await openAsBlob(path)), { useWebWorkers: false })
  try {
    for await (const entry of reader.getEntriesGenerator())
      if (entry.filename === '_rels/.rels' && !entry.directory)
        return (await entry.getData(new TextWriter())).includes(strictNamespace)
    return false
  } catch {
    // The reader reports a damaged file.
    return false
  } finally {
    await reader.close()
  }
}

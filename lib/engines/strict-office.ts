import { openAsBlob } from 'node:fs'
import type { InputFile } from './engine.ts'
import { unsupportedFeatureError } from './unsupported-feature.ts'

/** The parts of an Office Open XML file are related by other names in its strict kind (ISO/IEC 29500-1, annex A). */
const strictNames = 'http://purl.oclc.org/ooxml/'

/**
 * For readers that know the usual kind alone, and take another one for damaged or for empty.
 * @throws AppError UNSUPPORTED_FORMAT.
 */
export async function refuseStrict(input: InputFile): Promise<void> {
  if (await isStrict(input.path))
    throw unsupportedFeatureError(input.format, 'the strict kind of Office Open XML')
}

async function isStrict(path: string): Promise<boolean> {
  const { BlobReader, TextWriter, ZipReader } = await import('@zip.js/zip.js')
  const reader = new ZipReader(new BlobReader(await openAsBlob(path)), { useWebWorkers: false })
  try {
    for await (const entry of reader.getEntriesGenerator())
      if (entry.filename === '_rels/.rels' && !entry.directory)
        return (await entry.getData(new TextWriter())).includes(strictNames)
    return false
  } catch {
    // Damage is for the reader itself to tell.
    return false
  } finally {
    await reader.close()
  }
}

import { openByPath } from '../binary/random-access.ts'
import { openZipArchive } from '../binary/zip.ts'
import { AppError } from '../errors.ts'
import { formatById } from '../formats/index.ts'
import type { InputFile } from './engine.ts'

/** Namespace of relationships in the Strict variant of Office Open XML (ISO/IEC 29500-1, annex A). */
const strictNamespace = 'http://purl.oclc.org/ooxml/'
/** More entries than any office file has. */
const maxEntries = 20_000
/** Maximum bytes of the relationships, which normally take a few hundred. */
const maxBytes = 2 * 1024 * 1024

/**
 * Rejects Strict Office Open XML, for readers that support only the Transitional variant and would treat the file as
 * damaged or empty.
 * @throws AppError UNSUPPORTED_FORMAT.
 */
export async function rejectStrictOffice(input: InputFile): Promise<void> {
  if (!(await isStrict(input.path))) return
  const { format } = input
  const extension = formatById(format).extensions[0] ?? format
  throw new AppError(
    'UNSUPPORTED_FORMAT',
    `The file is Strict Office Open XML, which is not supported. Save it as a regular .${extension} document and send it again.`,
    { field: 'file', format, reason: 'feature', feature: 'Strict Office Open XML' },
  )
}

async function isStrict(path: string): Promise<boolean> {
  try {
    const zip = await openZipArchive(await openByPath(path), maxEntries)
    const relations = zip.files.get('_rels/.rels')
    return relations !== undefined && (await zip.read(relations, maxBytes)).includes(strictNamespace)
  } catch (error) {
    // A damaged file is reported by its reader.
    if (error instanceof RangeError) return false
    throw error
  }
}

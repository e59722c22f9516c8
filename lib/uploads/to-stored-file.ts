import { type FormatId, formatById } from '../formats/index.ts'
import type { StoredFile } from '../model/job.ts'
import { withExtension } from '../names/file-name.ts'
import { defined } from '../validation/defined.ts'

/**
 * Returns the record of a source file whose format is known. Changes the file extension if it does not match the
 * format.
 */
export function toStoredFile(
  source: Pick<StoredFile, 'key' | 'filename' | 'size' | 'sha256' | 'etag'>,
  detectedType: { format: FormatId; mimeType: string },
): StoredFile {
  const { extensions } = formatById(detectedType.format)
  const hasExtension = extensions.some((extension) => source.filename.toLowerCase().endsWith(`.${extension}`))
  return {
    key: source.key,
    filename: hasExtension
      ? source.filename
      : withExtension(source.filename, extensions[0] ?? detectedType.format),
    ...detectedType,
    size: source.size,
    sha256: source.sha256,
    ...defined({ etag: source.etag }),
  }
}

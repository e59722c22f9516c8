import { type FormatId, formatById } from '../formats/index.ts'
import type { StoredFile } from '../model/job.ts'
import { withExtension } from '../names/file-name.ts'

/** Returns the record of a source whose format is known; its name gets the matching file extension. */
export function toStoredFile(
  source: Pick<StoredFile, 'key' | 'filename' | 'size' | 'sha256' | 'etag'>,
  detected: { format: FormatId; mimeType: string },
): StoredFile {
  const { extensions } = formatById(detected.format)
  const named = extensions.some((extension) => source.filename.toLowerCase().endsWith(`.${extension}`))
  return {
    key: source.key,
    filename: named ? source.filename : withExtension(source.filename, extensions[0] ?? detected.format),
    ...detected,
    size: source.size,
    sha256: source.sha256,
    ...(source.etag && { etag: source.etag }),
  }
}

import { listUploadedParts } from '../../api.ts'
import { type Draft, maxStoredBytes, saveDraft } from './drafts.ts'
import type { ConversionItem } from './item.ts'
import { items } from './item-list.ts'
import { withRetries } from './upload-file.ts'

/** Stores files that are not converted yet as drafts. */

const isDraft = (item: ConversionItem) =>
  item.sourceJob === undefined &&
  item.job.value === undefined &&
  item.url === undefined &&
  item.parts === undefined

export async function saveItemDraft(item: ConversionItem): Promise<void> {
  const file = item.file.value
  if (!isDraft(item) || (!file && !item.draft)) return
  // Hundreds of small images need as much space as a video, so beyond this number of files no contents are stored.
  const isSmall = file !== undefined && file.size <= maxStoredBytes && items.value.length <= 100
  if (!isSmall && !item.multipartUpload) return
  const info: Pick<Draft, 'name' | 'size' | 'lastModified' | 'type'> = file ?? item.draft ?? emptyInfo
  const { name, size, lastModified, type } = info
  await saveDraft({
    key: item.key,
    name,
    size,
    lastModified,
    type,
    folder: item.folder,
    file: isSmall ? file : undefined,
    target: item.target.value?.id,
    tool: item.tool.value,
    values: stripSecrets(item),
    begun: item.multipartUpload,
  })
}

const emptyInfo = { name: '', size: 0, lastModified: 0, type: '' }

/** Returns the option values without passwords, which are never stored. */
function stripSecrets(item: ConversionItem) {
  const secretNames = new Set(
    item.options.value?.filter(({ widget }) => widget === 'password').map(({ name }) => name),
  )
  return Object.fromEntries(Object.entries(item.values.value).filter(([name]) => !secretNames.has(name)))
}

/** Looks up how much of a partial upload has arrived. If it is complete, the file itself is no longer needed. */
export async function checkPartialUpload(item: ConversionItem): Promise<void> {
  if (!item.multipartUpload) return
  const { uploadId } = item.multipartUpload
  try {
    const { signal } = item.removal
    const { parts, complete } = await withRetries(
      () => listUploadedParts(uploadId, signal),
      () => {},
      signal,
    )
    if (complete) item.completedUploadId.value = uploadId
    else item.uploadedBytes.value = parts.reduce((sum, { Size }) => sum + Size, 0)
  } catch {
    // The upload no longer exists, so the file will be uploaded from the start.
    item.multipartUpload = undefined
  }
}

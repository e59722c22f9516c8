import * as z from 'zod'
import { fileUrl } from '../conversion/remote-files.ts'
import { AppError } from '../errors.ts'
import { parseJson, parseWith } from '../parse-input.ts'

/** One file of a batch, with what is wanted of it; what has another name is an option. */
export const BatchItem = z.looseObject({
  uploadId: z.string().optional().describe('An upload made with POST /v1/uploads/presign'),
  url: fileUrl.optional(),
  fileUrl: z.string().min(1).max(4096).optional().describe('Another name of url, as other requests have it'),
  targetFormat: z.string().optional().describe('That of the whole batch when left out'),
  engine: z.string().optional().describe('Pins one engine'),
  filename: z.string().max(1024).optional().describe('Name of the source, when it is another'),
  options: z.record(z.string(), z.unknown()).optional(),
})
export type BatchItem = z.infer<typeof BatchItem>

/** Items as an array, or in a form the same as JSON. @throws AppError INVALID_INPUT */
export function parseBatchItems(given: unknown): BatchItem[] | undefined {
  if (given === undefined || given === '') return undefined
  const expected = 'a JSON array with an object for each file, such as [{"targetFormat":"webp"}]'
  const items = typeof given === 'string' ? parseJson(z.unknown(), given, 'items', expected) : given
  return parseWith(z.array(BatchItem), items, 'items')
}

/**
 * An item with its address under the one name.
 * @param isSent its file came in the form.
 * @throws AppError INVALID_INPUT for one that is said to be at two places.
 */
export function normalizeItem(item: BatchItem, index: number, isSent: boolean): BatchItem {
  const [place, other] = (['uploadId', 'url', 'fileUrl'] as const).filter((name) => item[name] !== undefined)
  const one = isSent ? 'the file that was sent' : place
  const another = isSent ? place : other
  if (another !== undefined) {
    const field = `items.${index}.${another}`
    throw new AppError('INVALID_INPUT', `${field}: ${one} is this item already. Leave one of them out.`, {
      field,
    })
  }
  return { ...item, ...(item.fileUrl !== undefined && { url: item.fileUrl }) }
}

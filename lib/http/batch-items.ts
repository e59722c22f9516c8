import * as z from 'zod'
import { fileUrlField } from '../conversion/remote-files.ts'
import { AppError } from '../errors.ts'
import { defined } from '../validation/defined.ts'
import { createJsonSchema, createOptionsSchema, text } from '../validation/maxima.ts'
import { parseInput, parseJson } from '../validation/parse-input.ts'
import { renameFields } from './body/body-fields.ts'

/** One file of a batch and its conversion; unknown fields are conversion options. */
export const BatchItem = z
  .object({
    uploadId: text('id').optional().describe('Upload created with POST /v1/uploads/presign'),
    url: fileUrlField.optional(),
    fileUrl: z.string().min(1).max(4096).optional().describe('Alias of `url`; other requests use this name'),
    targetFormat: text('id').optional().describe('Defaults to the targetFormat of the batch'),
    engine: text('id').optional().describe('Engine to use; chosen automatically if omitted'),
    filename: z.string().max(1024).optional().describe('Name to use instead of that of the source file'),
    options: createOptionsSchema().optional(),
  })
  .catchall(createJsonSchema())
export type BatchItem = z.infer<typeof BatchItem>

/** Maximum number of items in a batch, more than any plan allows in one request. */
const maxItems = 1000
export const BatchItems = z.array(BatchItem).max(maxItems)

/**
 * Parses the items of a batch: an array, or JSON text in a form. Their fields may be written in snake_case. @throws
 * AppError INVALID_INPUT
 */
export function parseBatchItems(givenItems: unknown): BatchItem[] | undefined {
  if (givenItems === undefined || givenItems === '') return undefined
  const expected = 'a JSON array with an object for each file, such as [{"targetFormat":"webp"}]'
  const items =
    typeof givenItems === 'string' ? parseJson(z.unknown(), givenItems, 'items', expected) : givenItems
  if (!Array.isArray(items)) return parseInput(BatchItems, items, 'items')
  const renamedItems = items.map((item: unknown) => renameFields(BatchItem, item))
  const body = { items: renamedItems.map(({ fields }) => fields) }
  return parseInput(z.object({ items: BatchItems }), body, 'body', (path) => {
    const [field = '', index = '', name = '', ...otherParts] = path.split('.')
    const sentName = renamedItems[Number(index)]?.sentNames.get(name)
    return sentName === undefined ? path : [field, index, sentName, ...otherParts].join('.')
  }).items
}

/**
 * Returns the item with its URL in the field `url`, whichever alias the client used.
 * @param isSent whether the form contains the file itself.
 * @throws AppError INVALID_INPUT for an item with two sources.
 */
export function normalizeItem(item: BatchItem, index: number, isSent: boolean): BatchItem {
  const [sourceField, otherField] = (['uploadId', 'url', 'fileUrl'] as const).filter(
    (name) => item[name] !== undefined,
  )
  const firstField = isSent ? 'the uploaded file' : sourceField
  const secondField = isSent ? sourceField : otherField
  if (secondField !== undefined) {
    const field = `items.${index}.${secondField}`
    throw new AppError(
      'INVALID_INPUT',
      `${field}: the source of this item is already ${firstField}. Omit one of them.`,
      {
        field,
      },
    )
  }
  return { ...item, ...defined({ url: item.fileUrl }) }
}

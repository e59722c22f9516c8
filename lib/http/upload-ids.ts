import * as z from 'zod'
import { text } from '../validation/maxima.ts'

/** A list of upload ids: an array or, in a form, JSON text or a comma-separated list. */
const idListSchema = z.array(z.string().min(1).max(64)).max(100)
export const uploadIdsSchema = z.union([idListSchema, text('list').transform(parseIds).pipe(idListSchema)])

function parseIds(text: string): string[] {
  if (!text.trimStart().startsWith('['))
    return text
      .split(',')
      .map((id) => id.trim())
      .filter(Boolean)
  try {
    return JSON.parse(text) // the schema checks the elements
  } catch {
    return ['']
  }
}

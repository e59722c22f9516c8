import * as z from 'zod'
import { type IdPrefix, idPattern } from '../ids.ts'

/** A boolean of a query or form: `false` is read as false. */
export const optionalBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()

/** Where a page of a list begins. @param of as `webhook`. */
export const pageCursor = (prefix: IdPrefix, of: string) =>
  z
    .string()
    .regex(idPattern(prefix), `expected the id of the last ${of} of the page before, \`${prefix}_…\``)
    .optional()
    .describe(`The last ${of} of the page before`)

/** RFC 8288: the same list from the cursor on. */
export function nextPageLink(url: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const entries = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams(
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  )
  return `<${url}?${parameters}>; rel="next"`
}

import * as z from 'zod'
import { type IdPrefix, idPattern } from '../ids.ts'

/** A boolean in a query or form, where `false` means false. */
export const optionalBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()

/** Query parameter with the id of the last item of the previous page. @param of for example `webhook`. */
export const pageCursor = (prefix: IdPrefix, of: string) =>
  z
    .string()
    .regex(idPattern(prefix), `expected the id of the last ${of} of the previous page, \`${prefix}_…\``)
    .optional()
    .describe(`Id of the last ${of} of the previous page`)

/** `Link` header (RFC 8288) to the page of the same list that starts at the cursor. */
export function nextPageLink(url: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const entries = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams(
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  )
  return `<${url}?${parameters}>; rel="next"`
}

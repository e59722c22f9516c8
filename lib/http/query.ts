import * as z from 'zod'

/** A boolean of a query or form: `false` is read as false. */
export const optionalBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .optional()

/** RFC 8288: the same list from the cursor on. */
export function linkToNext(url: string, query: Readonly<Record<string, unknown>>, cursor: string): string {
  const entries = Object.entries({ ...query, cursor }).filter(([, value]) => value !== undefined)
  const parameters = new URLSearchParams(
    Object.fromEntries(entries.map(([name, value]) => [name, String(value)])),
  )
  return `<${url}?${parameters}>; rel="next"`
}

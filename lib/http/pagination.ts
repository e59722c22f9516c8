import * as z from 'zod'
import { AppError } from '../errors.ts'
import { integer } from '../validation/coerce.ts'
import { component } from '../validation/component.ts'
import { defined } from '../validation/defined.ts'

/**
 * The format of every list in replies: the entries under the name of the list, and `pagination` next to them. A cursor
 * holds the start tokens of all pages up to its own, so that a client can go back in lists that can only be read
 * forward.
 */

export const Pagination = component(
  'Pagination',
  z.object({
    limit: z.int().describe('Entries per page'),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe('`cursor` of the next page; null on the last one'),
    prevCursor: z.string().nullable().describe('`cursor` of the previous page; null on the first one'),
  }),
)
export type Pagination = z.infer<typeof Pagination>

export const cursorField = z
  .string()
  .max(8192)
  .optional()
  .describe('`nextCursor` or `prevCursor` of another page')

/** Query parameters of lists that are returned completely if neither parameter is sent. */
export const wholeListQuery = {
  limit: integer(1, 1000)
    .optional()
    .describe(
      'Entries per page. Without `limit` and `cursor`, all entries are returned; a `cursor` alone returns up to 500',
    ),
  cursor: cursorField,
}

/** Deprecated name of `pagination.nextCursor`. */
export const deprecatedNextField = z.string().nullable().meta({
  deprecated: true,
  description: 'Deprecated form of `pagination.nextCursor`; null on the last page',
})

/** Maximum number of pages that a client can go back; with more, the cursor would not fit into a URL. */
const maxPagesBack = 100

/** Reads the tokens of a cursor. @throws AppError INVALID_INPUT */
export function readCursor(
  cursor: string | undefined,
  isToken: (text: string) => boolean,
): readonly string[] {
  if (cursor === undefined) return []
  if (isToken(cursor)) return [cursor]
  const tokens = parseTokens(cursor)
  if (tokens?.every((token) => isToken(token))) return tokens
  throw new AppError(
    'INVALID_INPUT',
    'cursor: expected a `nextCursor` or `prevCursor` of this list with the same filters. Omit it to start from the first page.',
    { field: 'cursor' },
  )
}

function parseTokens(cursor: string): readonly string[] | undefined {
  try {
    return z
      .array(z.string())
      .max(maxPagesBack)
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch {
    return undefined
  }
}

function writeCursor(tokens: readonly string[]): string {
  const [onlyToken] = tokens
  if (onlyToken !== undefined && tokens.length === 1) return onlyToken
  return Buffer.from(JSON.stringify(tokens.slice(-maxPagesBack))).toString('base64url')
}

/**
 * Creates the `pagination` of a reply.
 * @param tokens tokens of this page's cursor.
 * @param next token after which the next page starts.
 */
export const createPagination = (
  limit: number,
  tokens: readonly string[],
  next: string | null | undefined,
): Pagination => ({
  limit,
  hasMore: typeof next === 'string',
  nextCursor: typeof next === 'string' ? writeCursor([...tokens, next]) : null,
  prevCursor: tokens.length > 0 ? writeCursor(tokens.slice(0, -1)) : null,
})

const defaultPageSize = 500

/** Returns one page of a list that is completely in memory; without `limit` and `cursor`, returns the whole list. */
export function paginateList<Entry>(
  entries: readonly Entry[],
  { limit, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  getToken: (entry: Entry) => string,
): { readonly page: readonly Entry[]; readonly pagination: Pagination } {
  if (limit === undefined && cursor === undefined)
    return { page: entries, pagination: createPagination(entries.length, [], null) }
  const indexByToken = new Map(entries.map((entry, index) => [getToken(entry), index]))
  const tokens = readCursor(cursor, (token) => indexByToken.has(token))
  const start = (indexByToken.get(tokens.at(-1) ?? '') ?? -1) + 1
  const pageSize = limit ?? defaultPageSize
  const page = entries.slice(start, start + pageSize)
  const lastEntry = page.at(-1)
  const hasMore = start + pageSize < entries.length
  return {
    page,
    pagination: createPagination(pageSize, tokens, hasMore && lastEntry ? getToken(lastEntry) : null),
  }
}

/** Creates the `Link` header (RFC 8288) with the next and the previous page. */
export function createPageLinks(
  url: string,
  query: Readonly<Record<string, unknown>>,
  { nextCursor, prevCursor }: Pagination,
): { headers?: { link: string } } {
  const links = Object.entries(defined({ next: nextCursor ?? undefined, prev: prevCursor ?? undefined }))
  if (links.length === 0) return {}
  const createLink = ([relation, cursor]: [string, string]) => {
    const values = Object.entries({ ...query, before: undefined, cursor }).filter(
      ([, value]) => value !== undefined,
    )
    const parameters = new URLSearchParams(
      Object.fromEntries(values.map(([name, value]) => [name, String(value)])),
    )
    return `<${url}?${parameters}>; rel="${relation}"`
  }
  return { headers: { link: links.map(createLink).join(', ') } }
}

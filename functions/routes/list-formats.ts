import * as z from 'zod'
import { categories, listFormatNames } from '../../lib/formats/index.ts'
import { getFormatSynonyms, matchesSearch } from '../../lib/formats/synonyms.ts'
import { contract } from '../../lib/http/contract.ts'
import { FormatView, getFormatViews } from '../../lib/http/openapi/format-view.ts'
import { createPageLinks, Pagination, paginateList, wholeListQuery } from '../../lib/http/pagination.ts'
import { optionalBooleanParameter } from '../../lib/http/query.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { findConversions } from '../../lib/plan/index.ts'

export const listFormats = contract({
  method: 'GET',
  path: '/v1/formats',
  access: readAccess,
  tag: 'Formats',
  summary: 'List the formats',
  description: 'All formats that can be read or written, with their extensions and MIME types.',
  query: z.object({
    category: z.enum(categories).optional(),
    canRead: optionalBooleanParameter,
    canWrite: optionalBooleanParameter,
    q: z
      .string()
      .max(100)
      .optional()
      .describe(
        'Part of the id, the name, an alias or a file extension, or a word for it such as `excel` or `photo`',
      ),
    ...wholeListQuery,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      formats: z.array(FormatView),
      pagination: Pagination,
      totals: z.object({
        formats: z.int(),
        pairs: z.int(),
        byCategory: z.record(z.string(), z.int()),
      }),
    }),
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  errors: ['INVALID_INPUT'],
  cacheKey: ({ query }) => (Object.values(query).every((value) => value === undefined) ? 'all' : undefined),
  handle: async ({ query }, services) => {
    const engines = await services.engines()
    const allViews = getFormatViews(engines)
    const searchText = query.q
    const matchingFormats = allViews.filter(
      (format) =>
        (!query.category || format.category === query.category) &&
        (query.canRead === undefined || format.canRead === query.canRead) &&
        (query.canWrite === undefined || format.canWrite === query.canWrite) &&
        (!searchText || matchesSearch(searchText, listFormatNames(format), getFormatSynonyms(format))),
    )
    const count = (category: string) => allViews.filter((format) => format.category === category).length
    const byCategory = Object.fromEntries(categories.map((category) => [category, count(category)]))
    const { page, pagination } = paginateList(matchingFormats, query, ({ id }) => id)
    return {
      data: {
        formats: [...page],
        pagination,
        totals: { formats: allViews.length, pairs: findConversions(engines).length, byCategory },
      },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/formats`, query, pagination),
    }
  },
})

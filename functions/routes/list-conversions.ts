import * as z from 'zod'
import { engineIds } from '../../lib/component-ids.ts'
import type { Capability, Engine } from '../../lib/engines/engine.ts'
import { categories, type FormatId, formatByAlias, formatById, formats } from '../../lib/formats/index.ts'
import { createUnknownFormatError } from '../../lib/formats/unknown-format.ts'
import { contract } from '../../lib/http/contract.ts'
import { createOptionViews, OptionSets, OptionView } from '../../lib/http/openapi/option-view.ts'
import { createPageLinks, Pagination, paginateList, wholeListQuery } from '../../lib/http/pagination.ts'
import { operations } from '../../lib/model/operations.ts'
import { readAccess } from '../../lib/model/principal.ts'
import { searchConversions } from '../../lib/plan/conversion-search.ts'
import {
  type Conversion,
  createOptionsSchema,
  findConversions,
  listAlternatives,
} from '../../lib/plan/index.ts'
import { isListedTarget } from '../../lib/plan/listed-targets.ts'
import { component } from '../../lib/validation/component.ts'
import { defined } from '../../lib/validation/defined.ts'
import { text } from '../../lib/validation/maxima.ts'

const AdditionalFilesView = z.object({
  from: z.array(z.string()).optional().describe('Formats that the files may have; all formats if omitted'),
  min: z.int(),
  max: z.int(),
})

const ConversionView = component(
  'Conversion',
  z.object({
    from: z.string(),
    to: z.string(),
    category: z.enum(categories).describe('Category of the source'),
    operation: z.string().describe('`convert`, or the operation of a tool'),
    engines: z.array(z.string()).describe('Engines of the steps, in order'),
    alternatives: z
      .array(z.string())
      .optional()
      .describe(
        'Other engines that can convert this pair in one step; select one with the field `engine` of a request',
      ),
    steps: z
      .array(z.object({ engine: z.string(), from: z.string(), to: z.string() }))
      .optional()
      .describe('Conversion steps; omitted in longer lists, which have `via` instead'),
    via: z.array(z.string()).optional().describe('Intermediate formats'),
    options: z.array(OptionView).optional(),
    optionSet: z.int().optional().describe('Index in `optionSets`, instead of `options`'),
    more: AdditionalFilesView.optional().describe('Additional input files'),
    experimental: z.boolean().describe('Works, but is not one of the usual targets of the source format'),
  }),
)

const Query = z.object({
  from: text('id').optional().describe('Source format'),
  to: text('id').optional().describe('Target format'),
  category: z.enum(categories).optional().describe('Category of the source'),
  engine: z.enum(engineIds).optional().describe('Only pairs that use this engine'),
  operation: z
    .enum(operations)
    .optional()
    .describe('Operation: `convert` (the default without `q`), `merge`, `compress` or a `toolOperation`'),
  q: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Search words for the source, the target or the operation, such as `word to pdf` or `combine pdf`; without `operation`, tools are found too',
    ),
  ...wholeListQuery,
})

export const listConversions = contract({
  method: 'GET',
  path: '/v1/formats/conversions',
  access: readAccess,
  tag: 'Formats',
  summary: 'List supported conversions and their options',
  description:
    'With `from`, `to` or another `operation`, each pair contains its `options`. As thousands of pairs have the same options, a pair in a longer list has `optionSet` instead, an index into the `optionSets` of the same reply. The whole list is about 2 MB, less than 100 kB compressed, and only changes with the version of the service: cache it with its `ETag`, or read it page by page with `limit`.',
  query: Query,
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      conversions: z.array(ConversionView),
      optionSets: z.array(z.array(OptionView)).optional(),
      total: z.int().describe('Number of pairs on all pages'),
      pagination: Pagination,
    }),
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  errors: ['INVALID_INPUT', 'FORMAT_NOT_FOUND'],
  // There are many lists by format and by page, but they are short, so they are not cached.
  cacheKey: ({ query: { from, to, limit, cursor, q, ...filters } }) =>
    from === undefined && to === undefined && limit === undefined && cursor === undefined && q === undefined
      ? JSON.stringify([filters.operation ?? 'convert', filters.category, filters.engine])
      : undefined,
  handle: async ({ query }, { config, ...services }) => {
    const engines = await services.engines()
    const { category, engine, q, operation } = query
    const from = requireFormat(query.from, 'from')
    const to = requireFormat(query.to, 'to')
    const candidates =
      q === undefined ? findConversions(engines, operation, from) : searchConversions(q, engines, operation)
    const foundConversions = candidates.filter(
      (pair) =>
        (!from || pair.from === from) &&
        (!to || pair.to === to) &&
        (!category || formatById(pair.from).category === category) &&
        (!engine || pair.route.steps.some((step) => step.engine === engine)),
    )
    const { page: pairs, pagination } = paginateList(foundConversions, query, createCursor)
    const listing =
      q === undefined && (from || to || (operation ?? 'convert') !== 'convert')
        ? withOptions(pairs, engines)
        : withOptionSets(pairs, engines)
    return {
      data: { ...listing, total: foundConversions.length, pagination },
      ...createPageLinks(`${config.PUBLIC_URL ?? ''}/v1/formats/conversions`, query, pagination),
    }
  },
})

/** A search finds the same pair once per operation, so the cursor contains the operation. */
function createCursor({ from, to, route }: Conversion): string {
  const { operation } = route.steps[0].capability
  return [from, to, ...(operation === 'convert' ? [] : [operation])].join(':')
}

const withOptions = (pairs: readonly Conversion[], engines: readonly Engine[]) => ({
  conversions: pairs.map((pair) => ({
    ...toConversionView(pair, engines),
    options: createOptionViews(createOptionsSchema(pair.route)),
  })),
})

function withOptionSets(pairs: readonly Conversion[], engines: readonly Engine[]) {
  const sets = new OptionSets()
  const views = pairs.map((pair) => {
    const { steps, ...view } = toConversionView(pair, engines)
    const via = steps.slice(0, -1).map((step) => step.to)
    return { ...view, ...(via.length > 0 && { via }), optionSet: sets.getIndex(pair.route) }
  })
  return { conversions: views, optionSets: sets.all() }
}

function requireFormat(name: string | undefined, field: string): FormatId | undefined {
  if (name === undefined) return undefined
  const format = formatByAlias(name)
  if (format) return format.id
  throw createUnknownFormatError('FORMAT_NOT_FOUND', name, { field })
}

function toConversionView(pair: Conversion, engines: readonly Engine[]) {
  const { from, to, route } = pair
  const [source, target] = [formatById(from), formatById(to)]
  const alternatives = listAlternatives(pair, engines)
  const { operation, more } = route.steps[0].capability
  return {
    from,
    to,
    category: source.category,
    operation,
    engines: [...new Set(route.steps.map(({ engine }) => engine))],
    ...(alternatives.length > 0 && { alternatives: [...alternatives] }),
    steps: route.steps.map((step) => ({ engine: step.engine, from: step.from, to: step.to })),
    ...defined({ more: more && toAdditionalFilesView(more) }),
    experimental: operation === 'convert' && from !== to && !isListedTarget(source, target),
  }
}

/** Omits `from` if all formats are accepted, as for archives. */
const toAdditionalFilesView = ({ from, min, max }: NonNullable<Capability['more']>) => ({
  ...(from.length < formats.length && { from: [...from] }),
  min,
  max,
})

import * as z from 'zod'
import { engineIds } from '../../lib/engines/engine.ts'
import { AppError } from '../../lib/errors.ts'
import { categories, type FormatId, formatByAlias, formatById } from '../../lib/formats/index.ts'
import { contract } from '../../lib/http/contract.ts'
import { conversions, optionsOf, type Route } from '../../lib/plan/index.ts'
import { OptionView, optionViews } from './option-view.ts'

const ConversionView = z.object({
  from: z.string(),
  to: z.string(),
  engines: z.array(z.string()).describe('Those that work one after the other'),
  steps: z.array(z.object({ engine: z.string(), from: z.string(), to: z.string() })),
  options: z.array(OptionView),
})

export const listConversions = contract({
  method: 'GET',
  path: '/v1/formats/conversions',
  tag: 'Formats',
  summary: 'List the pairs that convert, with the options of each',
  query: z.object({
    from: z.string().optional().describe('Source format'),
    to: z.string().optional().describe('Target format'),
    category: z.enum(categories).optional().describe('Category of the source'),
    engine: z.enum(engineIds).optional().describe('Only pairs in which this engine works'),
  }),
  reply: {
    status: 200,
    schema: z.object({ conversions: z.array(ConversionView), total: z.int() }),
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  errors: ['INVALID_INPUT', 'FORMAT_NOT_FOUND'],
  handle: ({ query }, { engines }) => {
    const from = formatNamed(query.from, 'from')
    const to = formatNamed(query.to, 'to')
    const found = conversions(engines).filter(
      (pair) =>
        (!from || pair.from === from) &&
        (!to || pair.to === to) &&
        (!query.category || formatById(pair.from).category === query.category) &&
        (!query.engine || pair.route.steps.some((step) => step.engine === query.engine)),
    )
    return {
      data: {
        conversions: found.map((pair) => ({ from: pair.from, to: pair.to, ...viewOf(pair.route) })),
        total: found.length,
      },
    }
  },
})

function formatNamed(name: string | undefined, field: string): FormatId | undefined {
  if (name === undefined) return undefined
  const format = formatByAlias(name)
  if (format) return format.id
  throw new AppError(
    'FORMAT_NOT_FOUND',
    `${field}: "${name.slice(0, 64)}" is no format that we know. GET /v1/formats lists them.`,
    { field },
  )
}

function viewOf(route: Route) {
  return {
    engines: [...new Set(route.steps.map(({ engine }) => engine))],
    steps: route.steps.map(({ engine, from, to }) => ({ engine, from, to })),
    options: optionViews(optionsOf(route)),
  }
}

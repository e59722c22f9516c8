import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { adminAccess, openAccess, usageReadAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { computeSlo, daysPerBucket, readEngineDays, SloView } from '../../lib/usage/reliability.ts'
import { readUsage, UsageQuery, UsageView } from '../../lib/usage/usage.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { keysOf } from '../../lib/validation/keys-of.ts'

export const getUsage = contract({
  method: 'GET',
  path: '/v1/account/usage',
  access: usageReadAccess,
  tag: 'Account',
  summary: 'Get your usage',
  description:
    'Returns the usage per UTC day, for up to 366 days at a time; data is kept for 400 days. Jobs are counted a few seconds after they finish.',
  query: UsageQuery,
  reply: { status: 200, schema: UsageView },
  errors: ['INVALID_INPUT'],
  handle: async ({ principal, query }, { table }) => ({
    data: await readUsage(table, principal.ownerId, query),
  }),
})

export const getSlo = contract({
  method: 'GET',
  path: '/v1/admin/slo',
  access: adminAccess,
  tag: 'Administration',
  summary: 'Get the service level indicators',
  description:
    'Percentiles are accurate to two percent. Jobs of administrators are excluded. Failures caused by the input (`CORRUPT_FILE`, `PDF_ENCRYPTED`, `FILE_ENCRYPTED`, `UNSUPPORTED_…`, `INVALID_…`) do not lower `successRate`.',
  query: z.object({
    days: integer(1, 90).default(30).describe('Number of days to report, up to today'),
    bucket: z.enum(keysOf(daysPerBucket)).default('day'),
  }),
  reply: { status: 200, schema: SloView },
  errors: ['INVALID_INPUT'],
  handle: async ({ query: { days, bucket } }, { table }) => ({
    data: computeSlo(await readEngineDays(table, days), days, bucket),
  }),
})

const reliabilityDays = 30
const cacheMs = 60_000
const Reliability = SloView.pick({ window: true, successRate: true }).extend({
  durationMs: SloView.shape.durationMs.omit({ p99: true }),
})
const cache = new WeakMap<
  Services['table'],
  { readonly data: Promise<Reliability>; readonly until: number }
>()
type Reliability = z.infer<typeof Reliability>

async function readReliability({ table }: Services): Promise<Reliability> {
  const { window, successRate, durationMs } = computeSlo(
    await readEngineDays(table, reliabilityDays),
    reliabilityDays,
    'day',
  )
  const { p50, p95 } = durationMs
  return { window, successRate, durationMs: { p50, p95 } }
}

export const getReliability = contract({
  method: 'GET',
  path: '/v1/reliability',
  access: openAccess,
  tag: 'Service',
  summary: 'Get the reliability of the service',
  description: `Covers the last ${reliabilityDays} days; the data is at most a minute old.`,
  reply: { status: 200, schema: Reliability, cacheControl: `public, max-age=${cacheMs / 1000}` },
  handle: async (_request, services) => {
    const cachedReliability = cache.get(services.table)
    if (cachedReliability && cachedReliability.until > Date.now())
      return { data: await cachedReliability.data }
    const data = readReliability(services)
    cache.set(services.table, { data, until: Date.now() + cacheMs })
    // Failures are not cached.
    data.catch(() => cache.delete(services.table))
    return { data: await data }
  },
})

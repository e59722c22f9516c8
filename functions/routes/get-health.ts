import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { readFileSpace } from '../../lib/io/disk-space.ts'
import { openAccess } from '../../lib/model/principal.ts'
import { queueIds } from '../../lib/resources/queues.ts'
import type { Services } from '../../lib/services/services.ts'
import { component } from '../../lib/validation/component.ts'

const PartHealth = z.object({ ok: z.boolean(), ms: z.int().optional(), message: z.string().optional() })

const Health = component(
  'Health',
  z.object({
    status: z.enum(['ok', 'unavailable']),
    parts: z.record(z.string(), PartHealth),
    engines: z.array(z.object({ id: z.string(), image: z.string(), available: z.boolean() })),
  }),
)

export const getHealth = contract({
  method: 'GET',
  path: '/health',
  access: openAccess,
  tag: 'Service',
  summary: 'Check the health of the service',
  description:
    'The status is 200 if all parts of the service work, 503 otherwise. The reply contains the state of each part.',
  reply: {
    status: 200,
    otherStatuses: { 503: 'Part of the service does not work' },
    schema: Health,
    form: 'raw',
  },
  handle: async (_request, services) => {
    const [{ engines }, here] = await Promise.all([import('../../lib/engines/index.ts'), services.engines()])
    const parts = Object.fromEntries(
      await Promise.all(
        listChecks(services, here.length > 0).map(
          async ([name, check]) => [name, await runCheck(check)] as const,
        ),
      ),
    )
    const ok = Object.values(parts).every((part) => part.ok)
    return {
      status: ok ? 200 : 503,
      ...(!ok && { headers: { 'retry-after': '10' } }),
      data: {
        status: ok ? ('ok' as const) : ('unavailable' as const),
        parts,
        engines: engines.map(({ id, image }) => ({
          id,
          image,
          available: here.some((engine) => engine.id === id),
        })),
      },
    }
  },
})

type Check = readonly [part: string, check: () => Promise<unknown>]

function listChecks(services: Services, hasEngines: boolean): readonly Check[] {
  const { config } = services
  return [
    ['table', () => services.table.check()],
    ['files', () => services.files.check()],
    ...queueIds.map((queue): Check => [`queue-${queue}`, () => services.queues.countMessages(queue)]),
    // Processes without engines don't check the sandbox, because the workers do.
    ...(hasEngines ? [] : [confinementCheck]),
    [
      'disk',
      async () => {
        const { free, requiredFreeBytes } = await readFileSpace(config)
        if (free < requiredFreeBytes)
          throw new HealthProblem(`${toGigabytes(free)} GB free, ${toGigabytes(requiredFreeBytes)} GB needed`)
      },
    ],
  ]
}

const confinementCheck: Check = [
  'confinement',
  async () => {
    const { getConfinement: protection, describeConfinementProblem: refusal } = await import(
      '../../lib/engines/sandbox/isolation.ts'
    )
    const reason = refusal(await protection())
    if (reason !== undefined) throw new HealthProblem(reason)
  },
]

const toGigabytes = (bytes: number) => Number((bytes / 1e9).toPrecision(2))

/** A problem whose message is public; messages of other errors are not shown. */
class HealthProblem extends Error {}

const timeLimitMs = 5000

async function runCheck(check: () => Promise<unknown>): Promise<z.infer<typeof PartHealth>> {
  const start = performance.now()
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new HealthProblem('timed out')), timeLimitMs).unref()
  })
  try {
    await Promise.race([check(), timeout])
    return { ok: true, ms: Math.round(performance.now() - start) }
  } catch (error) {
    return { ok: false, message: error instanceof HealthProblem ? error.message : 'not available' }
  }
}

import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { type Config, ConfigError } from '../config.ts'
import { defaultPlans, type Plan, type Plans, planIds, toPlanId } from '../plans.ts'

const count = z.int().min(0).nullable()
const positiveInt = z.int().min(1)
const PlanFields = z.strictObject({
  requestsPerMinute: count,
  requestsPerHour: count,
  readsPerMinute: count,
  requestsPerDay: count,
  requestsPerMonth: count,
  conversionMinutesPerMonth: count,
  maxFileBytes: positiveInt.nullable(),
  filesPerJob: z.int().min(1).max(100),
  concurrentJobs: positiveInt.nullable(),
  retentionHours: z
    .number()
    .positive()
    .max(24 * 365)
    .nullable(),
  gpu: z.boolean(),
} satisfies Record<keyof Plan, z.ZodType>)
const PlansFile = z.record(z.string(), PlanFields.partial())

const mb = 1_000_000
/** The plan of all users if `SANDBOX` is set. */
const sandboxPlan = {
  ...defaultPlans['self-hosted'],
  maxFileBytes: 10 * mb,
  retentionHours: 1,
} satisfies Plan

/** Reads the plans. @throws ConfigError for a file that cannot be read, and for unknown plans and limits. */
export function readPlans({ PLANS_FILE, SANDBOX }: Pick<Config, 'PLANS_FILE' | 'SANDBOX'>): Plans {
  // The object has an entry for every plan id.
  if (SANDBOX === '1') return Object.fromEntries(planIds.map((id) => [id, sandboxPlan])) as unknown as Plans
  if (PLANS_FILE === undefined) return defaultPlans
  const planOverrides = parsePlansFile(PLANS_FILE)
  const plans: Record<string, Plan> = { ...defaultPlans }
  for (const [name, values] of Object.entries(planOverrides)) {
    const id = toPlanId(name)
    if (!id)
      throw new ConfigError(
        `PLANS_FILE: expected the plans ${planIds.join(', ')}, got "${name}" in ${PLANS_FILE}.`,
      )
    const definedLimits = Object.entries(values).filter(([, value]) => value !== undefined)
    plans[id] = { ...defaultPlans[id], ...Object.fromEntries(definedLimits) }
  }
  return plans as Plans // it has an entry for every plan
}

function parsePlansFile(path: string): z.infer<typeof PlansFile> {
  try {
    return PlansFile.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const reason =
      error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : ''
    throw new ConfigError(`PLANS_FILE: expected a JSON file with plan limits, got ${path}: ${reason}`)
  }
}

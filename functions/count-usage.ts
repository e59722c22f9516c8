import type { EventBridgeEvent } from 'aws-lambda'
import * as z from 'zod'
import { BusFields } from '../events/index.ts'
import { isAccount, readAccount } from '../lib/accounts/accounts.ts'
import { Table } from '../lib/aws/table.ts'
import { readConfig } from '../lib/config.ts'
import { errorCodes } from '../lib/error-catalog.ts'
import { JobUsage } from '../lib/model/job-usage.ts'
import { terminalEvents } from '../lib/model/terminal-events.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'
import { UsageMeter } from '../lib/usage/usage-meter.ts'
import { defined } from '../lib/validation/defined.ts'

const JobEndEvent = z.object({
  event: z.enum(terminalEvents),
  timestamp: z.iso.datetime(),
  id: z.string(),
  owner: BusFields.shape.owner,
  share: JobUsage,
  job: z.object({ error: z.object({ code: z.enum(errorCodes) }).optional() }),
})

type Detail = Pick<EventBridgeEvent<string, unknown>, 'detail'>

export interface UsageCounter {
  handler(event: Detail): Promise<void>
  close(): Promise<void>
}

interface UsageCounterOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly batchWindowMs?: number
}

/** Roles rarely change, so a process may cache them this long. */
const roleCacheMs = 60_000

export function createUsageCounter({ environment, batchWindowMs }: UsageCounterOptions = {}): UsageCounter {
  const table = new Table(environment ? readConfig(environment) : loadConfigAndClearSecrets())
  const roleCache = new Map<string, { isAdmin: boolean; cachedUntil: number }>()
  const isExcluded = async (owner: string): Promise<boolean> => {
    if (!isAccount(owner)) return false
    const cachedRole = roleCache.get(owner)
    if (cachedRole && cachedRole.cachedUntil > Date.now()) return cachedRole.isAdmin
    const isAdmin = (await readAccount({ table }, owner))?.role === 'ADMIN'
    roleCache.set(owner, { isAdmin, cachedUntil: Date.now() + roleCacheMs })
    return isAdmin
  }
  const meter = new UsageMeter({ table, isExcluded, ...defined({ batchWindowMs }) })
  return {
    handler: async ({ detail }) => {
      const { job, ...jobEnd } = JobEndEvent.parse(detail)
      await meter.count({ ...jobEnd, errorCode: job.error?.code })
    },
    close: () => meter.close(),
  }
}

let usageCounter: UsageCounter | undefined

/** Counts usage when jobs finish. */
export const handler: UsageCounter['handler'] = (event) => {
  usageCounter ??= createUsageCounter()
  return usageCounter.handler(event)
}

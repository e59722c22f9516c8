import { AppError } from '../errors.ts'
import type { PlanId } from '../plans.ts'
import type { Services } from '../services.ts'
import { planOfOwner } from './owner-plan.ts'

/** What a plan allows of files and jobs on this service. */
export interface Bounds {
  readonly plan: PlanId
  readonly maxFileBytes: number
  readonly filesPerJob: number
  readonly retentionHours: number
  readonly concurrentJobs: number | null
}

type Known = Pick<Services, 'plans' | 'config'>

export function boundsOfPlan(plan: PlanId, { plans, config }: Known): Bounds {
  const { maxFileBytes, filesPerJob, retentionHours, concurrentJobs } = plans[plan]
  return {
    ...{ plan, filesPerJob, concurrentJobs },
    // No plan has more room than the service.
    maxFileBytes: Math.min(maxFileBytes ?? Number.POSITIVE_INFINITY, config.MAX_FILE_MB * 1024 ** 2),
    retentionHours: retentionHours ?? config.RETENTION_HOURS,
  }
}

export const boundsOf = async (owner: string, services: Known & Pick<Services, 'table'>): Promise<Bounds> =>
  boundsOfPlan(await planOfOwner(services, owner), services)

/** @throws AppError INVALID_INPUT for more files than the plan has for one job. */
export function requireFilesPerJob(got: number, field: string, { filesPerJob: max, plan }: Bounds): void {
  if (got <= max) return
  throw new AppError(
    'INVALID_INPUT',
    `${field}: the plan ${plan} allows ${max} ${max === 1 ? 'file' : 'files'} in a job, got ${got}. Send them in several jobs; GET /v1/plans has what other plans allow.`,
    { field, max, got, plan },
  )
}

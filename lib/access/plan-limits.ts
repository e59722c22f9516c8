import { AppError } from '../errors.ts'
import type { PlanId } from '../plans.ts'
import type { Services } from '../services.ts'
import { planOfOwner } from './owner-plan.ts'

/** What a plan allows of files and jobs on this service. */
export interface PlanLimits {
  readonly plan: PlanId
  readonly maxFileBytes: number
  readonly filesPerJob: number
  readonly retentionHours: number
  readonly concurrentJobs: number | null
}

type PlanDeps = Pick<Services, 'plans' | 'config'>

export function limitsOfPlan(plan: PlanId, { plans, config }: PlanDeps): PlanLimits {
  const { maxFileBytes, filesPerJob, retentionHours, concurrentJobs } = plans[plan]
  return {
    ...{ plan, filesPerJob, concurrentJobs },
    // No plan has more room than the service.
    maxFileBytes: Math.min(maxFileBytes ?? Number.POSITIVE_INFINITY, config.MAX_FILE_MB * 1024 ** 2),
    retentionHours: retentionHours ?? config.RETENTION_HOURS,
  }
}

export const limitsOfOwner = async (
  owner: string,
  services: PlanDeps & Pick<Services, 'table'>,
): Promise<PlanLimits> => limitsOfPlan(await planOfOwner(services, owner), services)

/** @throws AppError INVALID_INPUT for more files than the plan has for one job. */
export function requireFilesPerJob(got: number, field: string, { filesPerJob: max, plan }: PlanLimits): void {
  if (got <= max) return
  throw new AppError(
    'INVALID_INPUT',
    `${field}: the plan ${plan} allows ${max} ${max === 1 ? 'file' : 'files'} in a job, got ${got}. Send them in several jobs; GET /v1/plans has what other plans allow.`,
    { field, max, got, plan },
  )
}

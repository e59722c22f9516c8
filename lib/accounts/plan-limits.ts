import { AppError } from '../errors.ts'
import type { PlanId } from '../plans.ts'
import type { Services } from '../services/services.ts'
import { getOwnerPlan } from './owner-plan.ts'

/** The file and job limits of a plan on this service. */
export interface PlanLimits {
  readonly plan: PlanId
  readonly maxFileBytes: number
  readonly filesPerJob: number
  readonly retentionHours: number
  readonly concurrentJobs: number | null
  /** Whether the plan allows so few jobs that a list request can read all jobs of the owner and filter them. */
  readonly hasFewJobs: boolean
}

/** Maximum number of jobs that one read of the table returns. */
const maxFewJobs = 100

type PlanDeps = Pick<Services, 'plans' | 'config'>

export function getPlanLimits(plan: PlanId, { plans, config }: PlanDeps): PlanLimits {
  const { maxFileBytes, filesPerJob, concurrentJobs, requestsPerDay, ...limits } = plans[plan]
  const retentionHours = limits.retentionHours ?? config.RETENTION_HOURS
  // Number of calendar days on which the retained jobs can have been created.
  const days = Math.ceil(retentionHours / 24) + 1
  return {
    plan,
    filesPerJob,
    concurrentJobs,
    // A plan cannot exceed the limits of the service.
    maxFileBytes: Math.min(maxFileBytes ?? Number.POSITIVE_INFINITY, config.MAX_FILE_MB * 1024 ** 2),
    retentionHours,
    hasFewJobs: (requestsPerDay ?? Number.POSITIVE_INFINITY) * days <= maxFewJobs,
  }
}

export const getOwnerLimits = async (
  owner: string,
  services: PlanDeps & Pick<Services, 'table'>,
): Promise<PlanLimits> => getPlanLimits(await getOwnerPlan(services, owner), services)

/** @throws AppError INVALID_INPUT if a job has more files than the plan allows. */
export function requireFilesPerJob(
  fileCount: number,
  field: string,
  { filesPerJob: max, plan }: PlanLimits,
): void {
  if (fileCount <= max) return
  throw new AppError(
    'INVALID_INPUT',
    `${field}: expected at most ${max} ${max === 1 ? 'file' : 'files'} per job with the plan ${plan}, got ${fileCount}. Split them into several jobs; GET /v1/plans lists the limits of other plans.`,
    { field, max, got: fileCount, plan },
  )
}

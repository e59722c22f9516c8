/** Limits of the plans. Add a plan or a limit here. `PLANS_FILE` overrides values. */

export const planIds = ['anonymous', 'free', 'starter', 'pro', 'business', 'self-hosted'] as const
export type PlanId = (typeof planIds)[number]

/** Aliases of plans. */
const aliases: Readonly<Record<string, PlanId>> = { enterprise: 'business' }

export interface Plan {
  /** Maximum number of requests per key, session or IP address. */
  readonly requestsPerMinute: number | null
  readonly requestsPerHour: number | null
  /** Maximum number of read requests; null if they count as other requests do. */
  readonly readsPerMinute: number | null
  /** Maximum number of requests that create a job, per account, or per IP address without an account. */
  readonly requestsPerDay: number | null
  readonly requestsPerMonth: number | null
  /** Maximum number of conversion minutes, which is shown but not enforced. */
  readonly conversionMinutesPerMonth: number | null
  /** Maximum size of a file; null for the limit of the service (`MAX_FILE_MB`). */
  readonly maxFileBytes: number | null
  /** Maximum number of items per batch, and of imports per job. */
  readonly filesPerJob: number
  /** Maximum number of jobs that run at a time; further jobs wait. */
  readonly concurrentJobs: number | null
  /**
   * How many hours after the end of a job its files are kept; null for the setting of the service (`RETENTION_HOURS`).
   */
  readonly retentionHours: number | null
  readonly gpu: boolean
}

const mb = 1_000_000
const gb = 1000 * mb

const unlimited = {
  requestsPerMinute: null,
  requestsPerHour: null,
  readsPerMinute: null,
  requestsPerDay: null,
  requestsPerMonth: null,
  conversionMinutesPerMonth: null,
  maxFileBytes: null,
  filesPerJob: 100,
  concurrentJobs: null,
  retentionHours: null,
  gpu: false,
} as const satisfies Plan

const keyPlanDefaults = { ...unlimited, requestsPerMinute: 60 } as const satisfies Plan

export const defaultPlans = {
  anonymous: {
    ...unlimited,
    requestsPerMinute: 5,
    requestsPerHour: 30,
    // Reads have a higher limit, because clients poll their jobs and pages load several resources.
    readsPerMinute: 60,
    requestsPerDay: 15,
    maxFileBytes: 100 * mb,
    filesPerJob: 1,
    concurrentJobs: 1,
    retentionHours: 1,
  },
  free: {
    ...keyPlanDefaults,
    requestsPerDay: 50,
    maxFileBytes: 500 * mb,
    filesPerJob: 5,
    concurrentJobs: 2,
    retentionHours: 1,
  },
  starter: {
    ...keyPlanDefaults,
    requestsPerMonth: 5000,
    maxFileBytes: 2 * gb,
    filesPerJob: 20,
    concurrentJobs: 5,
    retentionHours: 24,
  },
  pro: {
    ...keyPlanDefaults,
    requestsPerDay: 2000,
    maxFileBytes: 2 * gb,
    filesPerJob: 20,
    concurrentJobs: 5,
    retentionHours: 24,
  },
  business: {
    ...keyPlanDefaults,
    requestsPerDay: 20_000,
    maxFileBytes: 10 * gb,
    filesPerJob: 100,
    concurrentJobs: 20,
    retentionHours: 7 * 24,
    gpu: true,
  },
  'self-hosted': unlimited,
} as const satisfies Readonly<Record<PlanId, Plan>>

export type Plans = Readonly<Record<PlanId, Plan>>

/** Returns the id of the plan with that name or alias. */
export const toPlanId = (name: string): PlanId | undefined =>
  planIds.find((id) => id === name) ?? aliases[name]

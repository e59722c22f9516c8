/** What the plans allow. A plan or a limit is a row or a column here; `PLANS_FILE` changes values. */

export const planIds = ['anonymous', 'free', 'starter', 'pro', 'business', 'self-hosted'] as const
export type PlanId = (typeof planIds)[number]

/** Other names of plans. */
const aliases: Readonly<Record<string, PlanId>> = { enterprise: 'business' }

export interface Plan {
  /** Requests of one key, session or address. */
  readonly requestsPerMinute: number | null
  readonly requestsPerHour: number | null
  /** Of them those that only read, where they have a limit of their own and count nowhere else. */
  readonly readsPerMinute: number | null
  /** Requests that make something, of all that an account has; of an address where there is no account. */
  readonly requestsPerDay: number | null
  readonly requestsPerMonth: number | null
  /** They are counted; nothing ends with them. */
  readonly conversionMinutesPerMonth: number | null
  /** Bytes; null for as much as the service takes (`MAX_FILE_MB`). */
  readonly maxFileBytes: number | null
  /** Items of a batch, and imports of a job. */
  readonly filesPerJob: number
  /** Jobs at work at a time; others wait. */
  readonly concurrentJobs: number | null
  /** Hours after the end of a job; null for as long as the service keeps any (`RETENTION_HOURS`). */
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

const ofKeys = { ...unlimited, requestsPerMinute: 60 } as const satisfies Plan

export const defaultPlans = {
  anonymous: {
    ...unlimited,
    requestsPerMinute: 5,
    requestsPerHour: 30,
    // Who converts has to ask how far it is, and a page has to load.
    readsPerMinute: 60,
    requestsPerDay: 15,
    maxFileBytes: 100 * mb,
    filesPerJob: 1,
    concurrentJobs: 1,
    retentionHours: 1,
  },
  free: {
    ...ofKeys,
    requestsPerDay: 50,
    maxFileBytes: 500 * mb,
    filesPerJob: 5,
    concurrentJobs: 2,
    retentionHours: 1,
  },
  starter: {
    ...ofKeys,
    requestsPerMonth: 5000,
    maxFileBytes: 2 * gb,
    filesPerJob: 20,
    concurrentJobs: 5,
    retentionHours: 24,
  },
  pro: {
    ...ofKeys,
    requestsPerDay: 2000,
    maxFileBytes: 2 * gb,
    filesPerJob: 20,
    concurrentJobs: 5,
    retentionHours: 24,
  },
  business: {
    ...ofKeys,
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

/** The plan of that name or alias. */
export const planIdOf = (name: string): PlanId | undefined =>
  planIds.find((id) => id === name) ?? aliases[name]

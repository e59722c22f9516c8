import type { FunctionName } from '../resources/functions.ts'

/** Limits of a stage, which depend on the quotas of its account. */
export interface StageLimits {
  /** Quota of the account: number of concurrent executions of all functions. */
  readonly functionsAtATime: number
  /** Quota of the account: memory of a function in MB. */
  readonly functionMb: number
  /** Whether concurrency is reserved for the functions that handle requests and events. */
  readonly reservesConcurrency: boolean
  /** Concurrency limit of each image, and of capture and transfer. */
  readonly conversionsAtATime: number
  /** Maximum rate of requests of all clients together. */
  readonly requestsPerSecond: number
  /** Concurrency limits of functions; by default those of `lib/resources/functions.ts`. */
  readonly concurrency: { readonly [name in FunctionName]?: number | undefined }
}

export const profileNames = ['small', 'standard', 'large'] as const
export type ProfileName = (typeof profileNames)[number]

export const stageProfiles = {
  /**
   * Limits for a new account. Nothing is reserved: all functions share the ten executions, and an image has at most
   * two.
   */
  small: {
    functionsAtATime: 10,
    functionMb: 3008,
    reservesConcurrency: false,
    conversionsAtATime: 2,
    requestsPerSecond: 10,
    concurrency: { prepare: 2, deliver: 2 },
  },
  /** Limits for the quotas of an established account: about 10,000 conversions an hour. */
  standard: {
    functionsAtATime: 1000,
    functionMb: 10_240,
    reservesConcurrency: true,
    conversionsAtATime: 20,
    requestsPerSecond: 100,
    concurrency: {},
  },
  /** Limits for a million conversions a day: about ten times those of `standard` for functions that every job uses. */
  large: {
    functionsAtATime: 10_000,
    functionMb: 10_240,
    reservesConcurrency: true,
    conversionsAtATime: 300,
    requestsPerSecond: 2000,
    concurrency: {
      api: 200,
      conversion: 300,
      jobs: 600,
      'job-events': 300,
      uploads: 200,
      prepare: 200,
      'receive-upload': 100,
      dispatch: 100,
      deliver: 600,
      'record-metrics': 100,
      'count-usage': 100,
      sockets: 200,
      broadcast: 200,
    },
  },
} as const satisfies Readonly<Record<ProfileName, StageLimits>>

import type { FixedTask, Job, Task } from '../model/job.ts'

/** With the field `expires_in` of `export/url`, the links of an export expire earlier than its files. */

/**
 * Returns how many seconds after the end of the job the links of an export expire; undefined if they have no limit of
 * their own.
 */
export function getLinkLifetimeS({ spec }: Pick<FixedTask | Task, 'spec'>): number | undefined {
  const lifetimeS = spec?.['expires_in']
  return typeof lifetimeS === 'number' ? lifetimeS : undefined
}

/** Returns the job with the expiry of links that have this lifetime, if they expire earlier than its files. */
export function limitJobExpiry(job: Job, lifetimeS: number | undefined): Job {
  if (lifetimeS === undefined) return job
  const expiresAt = new Date(Date.parse(job.endedAt ?? job.createdAt) + lifetimeS * 1000).toISOString()
  return expiresAt < job.expiresAt ? { ...job, expiresAt } : job
}

/** Returns the shortest of several lifetimes. */
export const findShortestLifetime = (lifetimes: readonly (number | undefined)[]): number | undefined => {
  const limits = lifetimes.filter((lifetimeS) => lifetimeS !== undefined)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

import { readConfig } from '../lib/config.ts'
import { createServices, type Services } from '../lib/services.ts'

let services: Services | undefined

const batch = 100

/** Looks at jobs that nobody touched in time: lost messages, lost workers, ended retention. */
export async function handler(): Promise<{ looked: number }> {
  services ??= createServices(readConfig())
  const { jobs, log } = services
  let looked = 0
  for (;;) {
    const due = await jobs.store.due(new Date(), batch)
    const results = await Promise.allSettled(due.map((jobId) => jobs.wake(jobId)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.error({ error: reason }, 'a job could not be looked at')
    looked += due.length - failed.length
    // A job that fails stays due; the next run tries it again.
    if (due.length < batch || failed.length > 0) return { looked }
  }
}

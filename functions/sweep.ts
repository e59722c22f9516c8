import { readConfig } from '../lib/config.ts'
import { createServices } from '../lib/create-services.ts'
import type { Services } from '../lib/services.ts'
import { dueAt, wakersOf } from '../lib/wake.ts'

let services: Services | undefined

const batch = 160

/** Looks at what nobody touched in time: lost messages, lost workers, uploads that did not come, ended retention. */
export async function handler(): Promise<{ looked: number }> {
  services ??= createServices(readConfig())
  const { table, log } = services
  const wakers = wakersOf(services)
  let looked = 0
  for (;;) {
    const now = new Date()
    const due = await dueAt(now, batch, table)
    const results = await Promise.allSettled(due.map(async ({ kind, id }) => wakers[kind]?.(id, now)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.error({ error: reason }, 'a record could not be looked at')
    looked += due.length - failed.length
    // What fails stays due; the next run tries it again.
    if (due.length === 0 || failed.length > 0) return { looked }
  }
}

import { lazyAsync } from '../lib/async/lazy-async.ts'
import { createSecrets } from '../lib/aws/secrets.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'
import { createWakeHandlers, findDueRecords } from '../lib/services/wakeups.ts'

/** The sweep runs every minute, so it is the first function of a new deployment to run and creates its secrets. */
const openSweep = lazyAsync(async () => {
  const { SECRETS, SERVICE_SECRET, ...where } = loadConfigAndClearSecrets()
  if (SECRETS !== undefined && SERVICE_SECRET === undefined) await createSecrets(SECRETS, where)
  return createLambdaServices()
})

const batch = 160

/** Handles overdue records: lost messages, lost workers, uploads that never arrived, ended retention periods. */
export async function handler(): Promise<{ looked: number }> {
  const services = await openSweep()
  const { table, log } = services
  const wakers = createWakeHandlers(services)
  let lookedAtCount = 0
  for (;;) {
    const now = new Date()
    const dueRecords = await findDueRecords(now, batch, table)
    const results = await Promise.allSettled(dueRecords.map(async ({ kind, id }) => wakers[kind]?.(id, now)))
    const failedWakes = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failedWakes) log.error({ error: reason }, 'due record could not be processed')
    lookedAtCount += dueRecords.length - failedWakes.length
    // Failed records stay due; the next run tries them again.
    if (dueRecords.length === 0 || failedWakes.length > 0) return { looked: lookedAtCount }
  }
}

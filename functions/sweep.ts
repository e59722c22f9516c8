import { lazyAsync } from '../lib/async/lazy-async.ts'
import { createSecrets } from '../lib/aws/secrets.ts'
import { createLambdaServices } from '../lib/services/lambda-services.ts'
import { loadConfigAndClearSecrets } from '../lib/services/load-config.ts'
import { createWakeHandlers, findDueRecords } from '../lib/services/wakeups.ts'

/** The sweep runs every minute, so it is the first function of a new deployment to run and creates its secrets. */
const open = lazyAsync(async () => {
  const { SECRETS, SERVICE_SECRET, ...where } = loadConfigAndClearSecrets()
  if (SECRETS !== undefined && SERVICE_SECRET === undefined) await createSecrets(SECRETS, where)
  return createLambdaServices()
})

const batch = 160

/** Handles overdue records: lost messages, lost workers, uploads that never arrived, ended retention periods. */
export async function handler(): Promise<{ looked: number }> {
  const services = await open()
  const { table, log } = services
  const wakers = createWakeHandlers(services)
  let looked = 0
  for (;;) {
    const now = new Date()
    const due = await findDueRecords(now, batch, table)
    const results = await Promise.allSettled(due.map(async ({ kind, id }) => wakers[kind]?.(id, now)))
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) log.error({ error: reason }, 'due record could not be processed')
    looked += due.length - failed.length
    // Failed records stay due; the next run tries them again.
    if (due.length === 0 || failed.length > 0) return { looked }
  }
}

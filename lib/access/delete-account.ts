import { readAccount } from '../accounts/accounts.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { getOwnedCountsKey, listOwnedIds, ownedKinds, removeOwned } from '../aws/owned-records.ts'
import { getWakeShard } from '../jobs/keys.ts'
import { ConcurrencySlots } from '../jobs/run/concurrency-slots.ts'
import type { Services } from '../services/services.ts'
import { removeDefaultSecret } from '../webhooks/default-secret.ts'
import { forgetMove } from './adopt-anonymous.ts'
import { ApiKeys } from './api-keys.ts'
import { createAuditWrite } from './audit.ts'
import { removeAuthRecords } from './sessions.ts'

/**
 * Deletes everything that a closed account owns: jobs with their files, keys, webhooks, workflows, drives. The deletion
 * is scheduled before the account itself is deleted, so that nothing is left behind if a process dies in between.
 */

/** Delay after which no process has the account cached and the list of its jobs is complete. */
const delayS = 60
const pageSize = 100
const maxConcurrentDeletions = 8

const getDeletionKey = (account: string) => ({ pk: `CLOSE#${account}`, sk: 'CLOSE' })

/** Schedules the deletion. Call it right before the account record is deleted. */
export async function scheduleDeletion(
  account: string,
  { table }: Pick<Services, 'table'>,
  now = new Date(),
): Promise<void> {
  const wakeAt = new Date(now.getTime() + delayS * 1000).toISOString()
  await table.transact([
    { put: { ...getDeletionKey(account), wakeAt, wakeShard: getWakeShard(account) } },
    createAuditWrite({ actor: account, action: 'user.close', subject: account }, now),
  ])
}

/** Deletes the resources of the account. Safe to repeat after an interruption. */
export async function resumeDeletion(account: string, services: Services): Promise<void> {
  const { table } = services
  // If the account still exists, it was not closed after all.
  if (!(await readAccount(services, account))) await removeOwnedRecords(account, services)
  await table.delete(getDeletionKey(account))
}

async function removeOwnedRecords(owner: string, services: Services): Promise<void> {
  const { table } = services
  await forgetMove(owner, services)
  await removeAuthRecords(owner, services)
  const keys = new ApiKeys(services)
  for (const key of await keys.list(owner)) await keys.revoke(key)
  for (const kind of ownedKinds)
    for (const id of await listOwnedIds(table, kind, owner)) await removeOwned(table, kind, { id, owner })
  await removeJobs(owner, services)
  await removeDefaultSecret(owner, table)
  await table.delete(getOwnedCountsKey(owner))
}

async function removeJobs(owner: string, services: Services): Promise<void> {
  const { store } = services.jobs
  const slots = new ConcurrencySlots(services)
  let afterId: string | undefined
  do {
    const page = await store.list({
      owner,
      limit: pageSize,
      newestFirst: true,
      after: afterId,
      matches: () => true,
    })
    await forEachConcurrently(page.jobs, maxConcurrentDeletions, async (job) => {
      await services.jobs.delete(job.id)
      await slots.release(job)
    })
    afterId = page.next
  } while (afterId !== undefined)
}

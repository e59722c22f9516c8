import type { Job } from '../jobs/job.ts'
import { wakeShardOf } from '../jobs/keys.ts'
import { listKeyOf, tagKeyOf } from '../jobs/list.ts'
import { eachOf } from '../map-concurrently.ts'
import { moveOwnedThings } from '../owned-records.ts'
import type { Services } from '../services.ts'
import { moveDefaultSecret } from '../webhooks/default-secret.ts'
import { isAccount } from './accounts.ts'

/**
 * What somebody made before he had an account becomes the account's: jobs, webhooks, workflows. A job that ends at this
 * very moment may be listed under its old owner again, so it is all done once more a while later.
 */

type Deps = Pick<Services, 'table' | 'vault' | 'jobs'>

const recheck = { afterMs: 60_000, forMs: 25 * 3600 * 1000 } as const
const moveKey = (account: string) => ({ pk: `MOVE#${account}`, sk: 'MOVE' })
/** Kept for longer than an upload may be on its way: uploads are found by their ids alone. */
const cameFromKey = (account: string) => ({ pk: `MOVED#${account}`, sk: 'MOVED' })

/** Whether what an owner has begun is an account's, as they are the same or that one has just signed up. */
export async function isSameOwner(
  owner: string,
  account: string,
  { table }: Pick<Services, 'table'>,
): Promise<boolean> {
  if (owner === account) return true
  if (isAccount(owner) || !isAccount(account)) return false
  return (await table.get(cameFromKey(account)))?.['from'] === owner
}
const pageSize = 100
const writers = 8

const nextCheckAt = (now: Date) => new Date(now.getTime() + recheck.afterMs).toISOString()

/** Moves what there is now, and sees to the rest. */
export async function moveToAccount(from: string, account: string, services: Deps): Promise<void> {
  const now = new Date()
  const ttl = Math.ceil((now.getTime() + recheck.forMs) / 1000)
  await services.table.put({ ...cameFromKey(account), from, ttl })
  await services.table.put({
    ...{ ...moveKey(account), from, ttl, madeBefore: now.getTime() },
    ...{ wakeAt: nextCheckAt(now), wakeShard: wakeShardOf(account) },
  })
  await moveAll({ from, to: account, madeBefore: now.getTime() }, services)
}

/** Later: as long as jobs are still listed under the old owner, or end, somebody looks again. */
export async function resumeMove(account: string, now: Date, services: Deps): Promise<void> {
  const { table } = services
  const item = await table.get(moveKey(account))
  if (!item) return
  const move = { from: String(item['from']), to: account, madeBefore: Number(item['madeBefore']) }
  const live = await moveAll(move, services)
  const isOver = Number(item['ttl']) * 1000 < now.getTime()
  if (live === 0 || isOver) await table.delete(moveKey(account))
  else await table.update(moveKey(account), { set: { wakeAt: nextCheckAt(now) } })
}

/** What comes late stays with whoever was here before the account, once that is gone. */
export async function forgetMove(account: string, { table }: Pick<Services, 'table'>): Promise<void> {
  await table.delete(moveKey(account))
  await table.delete(cameFromKey(account))
}

interface Move {
  readonly from: string
  readonly to: string
  /** Milliseconds since the epoch: what comes later is of somebody who signed out. */
  readonly madeBefore: number
}

/** @returns how many jobs were moved that are not over, or could not be moved. */
async function moveAll({ from, to, madeBefore }: Move, { table, vault, jobs }: Deps): Promise<number> {
  await moveDefaultSecret(from, to, table, vault)
  await moveOwnedThings(table, ['WEBHOOK', 'WORKFLOW'], from, to)
  let live = 0
  let after: string | undefined
  do {
    const page = await jobs.store.list({
      ...{ owner: from, limit: pageSize, newestFirst: true, after, matches: () => true },
      createdBeforeMs: madeBefore + 1,
    })
    await eachOf(page.jobs, writers, async (job) => {
      const isMoved = await moveJob(job, to, jobs)
      if (!isMoved || listKeyOf('', job.status) === '#live') live += 1
    })
    after = page.next
  } while (after !== undefined)
  return live
}

/** False when the job is no longer as it was. */
async function moveJob(job: Job, to: string, { store }: Deps['jobs']): Promise<boolean> {
  const { applied } = await store.changeJob(
    job.id,
    {
      set: {
        ...{ owner: to, listKey: listKeyOf(to, job.status) },
        ...(job.tag !== null && { tagKey: tagKeyOf(to, job.tag) }),
      },
    },
    { condition: { equal: { status: job.status }, present: ['listKey'] } },
  )
  return applied
}

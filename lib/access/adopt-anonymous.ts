import { getAdoptionKey } from '../accounts/same-owner.ts'
import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { moveOwnedRecords } from '../aws/owned-records.ts'
import { getWakeShard } from '../jobs/keys.ts'
import { getListKey, getTagKey } from '../jobs/list.ts'
import { isLiveStatus, type Job } from '../model/job.ts'
import type { Services } from '../services/services.ts'
import { moveDefaultSecret } from '../webhooks/default-secret.ts'

/**
 * Moves the jobs, webhooks and workflows of an anonymous identity to the account that it signed up for. A job that
 * finishes during the move may be listed under its old owner again, so the move is repeated later.
 */

type Deps = Pick<Services, 'table' | 'vault' | 'jobs'>

const recheck = { intervalMs: 60_000, durationMs: 25 * 3600 * 1000 } as const
const getMoveKey = (account: string) => ({ pk: `MOVE#${account}`, sk: 'MOVE' })
const pageSize = 100
const maxConcurrentMoves = 8

const computeNextCheckAt = (now: Date) => new Date(now.getTime() + recheck.intervalMs).toISOString()

/** Moves everything that the anonymous identity owns now, and schedules the repetition. */
export async function moveToAccount(from: string, account: string, services: Deps): Promise<void> {
  const now = new Date()
  const ttl = Math.ceil((now.getTime() + recheck.durationMs) / 1000)
  await services.table.put({ ...getAdoptionKey(account), from, ttl })
  await services.table.put({
    ...getMoveKey(account),
    from,
    ttl,
    madeBefore: now.getTime(),
    wakeAt: computeNextCheckAt(now),
    wakeShard: getWakeShard(account),
  })
  await moveAll({ from, to: account, madeBefore: now.getTime() }, services)
}

/** Repeats the move for as long as unfinished jobs are listed under the old owner. */
export async function resumeMove(account: string, now: Date, services: Deps): Promise<void> {
  const { table } = services
  const item = await table.get(getMoveKey(account))
  if (!item) return
  const move = { from: String(item['from']), to: account, madeBefore: Number(item['madeBefore']) }
  const liveJobCount = await moveAll(move, services)
  const hasExpired = Number(item['ttl']) * 1000 < now.getTime()
  if (liveJobCount === 0 || hasExpired) await table.delete(getMoveKey(account))
  else await table.update(getMoveKey(account), { set: { wakeAt: computeNextCheckAt(now) } })
}

/** Stops the move, for an account that is deleted: anything created later stays with the anonymous identity. */
export async function forgetMove(account: string, { table }: Pick<Services, 'table'>): Promise<void> {
  await table.delete(getMoveKey(account))
  await table.delete(getAdoptionKey(account))
}

interface Move {
  readonly from: string
  readonly to: string
  /** When the move started, in milliseconds since 1970. Jobs created later, while signed out, are not moved. */
  readonly madeBefore: number
}

/** Moves everything. Returns the number of jobs that are unfinished or could not be moved, which are moved later. */
async function moveAll({ from, to, madeBefore }: Move, { table, vault, jobs }: Deps): Promise<number> {
  await moveDefaultSecret(from, to, table, vault)
  await moveOwnedRecords(table, ['WEBHOOK', 'WORKFLOW'], from, to)
  let liveJobCount = 0
  let afterId: string | undefined
  do {
    const page = await jobs.store.list({
      owner: from,
      limit: pageSize,
      newestFirst: true,
      after: afterId,
      matches: () => true,
      createdBeforeMs: madeBefore + 1,
    })
    await forEachConcurrently(page.jobs, maxConcurrentMoves, async (job) => {
      const isMoved = await moveJob(job, to, jobs)
      if (!isMoved || isLiveStatus(job.status)) liveJobCount += 1
    })
    afterId = page.next
  } while (afterId !== undefined)
  return liveJobCount
}

/** Returns false if the job has changed in the meantime. */
async function moveJob(job: Job, to: string, { store }: Deps['jobs']): Promise<boolean> {
  const { applied } = await store.changeJob(
    job.id,
    {
      set: {
        owner: to,
        listKey: getListKey({ ...job, owner: to }),
        ...(job.tag !== null && { tagKey: getTagKey(to, job.tag) }),
      },
    },
    { condition: { equal: { status: job.status }, present: ['listKey'] } },
  )
  return applied
}

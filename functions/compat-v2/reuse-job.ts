import { createHash } from 'node:crypto'
import { newId } from '../../lib/ids.ts'
import type { Services } from '../../lib/services/services.ts'

const dayS = 24 * 3600
/** If a job does not exist after this time, its creation has failed. */
const maxCreationMs = 30_000

/**
 * Returns the id of the job that was started under this name within the last day, if it can still be used. Otherwise
 * starts a new job and returns its id.
 */
export async function reuseJobForADay(
  name: string,
  createJob: (jobId: string) => Promise<void>,
  services: Services,
): Promise<string> {
  const { table } = services
  const recordKey = { pk: `SIGNED#${createHash('sha256').update(name).digest('base64url')}`, sk: 'SIGNED' }
  const existingRecord = await table.get(recordKey)
  if (existingRecord && (await isReusable(existingRecord, services))) return String(existingRecord['jobId'])
  const jobId = newId('job')
  const now = Date.now()
  const newRecord = { ...recordKey, jobId, begunAt: now, ttl: Math.floor(now / 1000) + dayS }
  const condition = existingRecord ? { equal: { jobId: existingRecord['jobId'] } } : { exists: false }
  const writeResult = await table.put(newRecord, { condition, writeMarker: { jobId } })
  // Another request has created the job first.
  if (!writeResult.applied && writeResult.item) return String(writeResult.item['jobId'])
  try {
    await createJob(jobId)
  } catch (error) {
    await table.delete(recordKey)
    throw error
  }
  await table.update(recordKey, { set: { isMade: true } }, { condition: { equal: { jobId } } })
  return jobId
}

async function isReusable(
  { jobId, begunAt, isMade, ttl }: Readonly<Record<string, unknown>>,
  { jobs }: Services,
): Promise<boolean> {
  // DynamoDB deletes expired records only some time later.
  if (Number(ttl) * 1000 < Date.now()) return false
  const job = await jobs.store.getJob(String(jobId))
  if (!job) return !isMade && Date.now() - Number(begunAt) < maxCreationMs
  return !job.deletedAt && !['failed', 'cancelled', 'expired'].includes(job.status)
}

// Applies lifecycle rules: computes when an object expires, and deletes expired objects.
import { setImmediate } from 'node:timers/promises'
import { type LifecycleRule, readSetting } from './bucket-settings.ts'
import type { S3Services } from './call.ts'
import type { Database } from './database.ts'
import { removeUpload } from './multipart.ts'
import { parseObjectRow, removeObjectRows } from './objects.ts'
import type { S3Object } from './stored-object.ts'

const dayMs = 86_400_000
/** How long the response of a completed upload is kept for a client that lost it. */
const completedUploadRetentionMs = dayMs
const batchRows = 500

/**
 * Returns the midnight (UTC) at which the object expires, and the rule that applies.
 * S3 adds the days to the object's time and rounds up to the next midnight.
 */
function findExpiry(
  rules: readonly LifecycleRule[],
  object: S3Object,
): { at: number; id: string } | undefined {
  return rules
    .filter((rule) => rule.enabled && ruleApplies(rule, object))
    .flatMap(({ id, expireDays, expireAt }) => {
      const at = expireDays === undefined ? expireAt : getNextMidnight(object.modified + expireDays * dayMs)
      return at === undefined ? [] : [{ at, id }]
    })
    .sort((a, b) => a.at - b.at)[0]
}

function getNextMidnight(timeMs: number): number {
  return Math.ceil(timeMs / dayMs) * dayMs
}

function ruleApplies(rule: LifecycleRule, { key, size, tags }: S3Object): boolean {
  return (
    key.startsWith(rule.prefix ?? '') &&
    (rule.above === undefined || size > rule.above) &&
    (rule.below === undefined || size < rule.below) &&
    rule.tags.every((wanted) => tags.some((tag) => tag.key === wanted.key && tag.value === wanted.value))
  )
}

/** Returns x-amz-expiration if a rule will delete the object. */
export function createExpirationHeader(db: Database, object: S3Object): Record<string, string> {
  const rules = readSetting(db, object.bucket, 'lifecycle')
  const expiry = rules && findExpiry(rules, object)
  if (!expiry) return {}
  const date = new Date(expiry.at).toUTCString()
  return { 'x-amz-expiration': `expiry-date="${date}", rule-id="${encodeURIComponent(expiry.id)}"` }
}

/** Deletes expired objects and uploads that were started too long ago, by the rules of every bucket. */
export async function runLifecycle(services: S3Services, now: number): Promise<void> {
  const { db, blobs } = services
  for (const { name } of db.sql.all`SELECT name FROM bucket`) {
    const bucket = String(name)
    const rules = readSetting(db, bucket, 'lifecycle')?.filter((rule) => rule.enabled) ?? []
    if (rules.length === 0) continue
    await expireObjects(services, bucket, rules, now)
    await abortUploads(services, bucket, rules, now)
  }
  const limit = now - completedUploadRetentionMs
  const orphanedBlobs = await db.write(() => {
    const rows = db.sql.all`SELECT id FROM upload WHERE completed IS NOT NULL AND initiated < ${limit}`
    return rows.flatMap(({ id }) => removeUpload(db, { id: String(id) }))
  })
  await blobs.remove(orphanedBlobs)
}

async function expireObjects(
  services: S3Services,
  bucket: string,
  rules: readonly LifecycleRule[],
  now: number,
) {
  const { db, blobs, notifier } = services
  const isDue = (object: S3Object) => (findExpiry(rules, object)?.at ?? Number.POSITIVE_INFINITY) <= now
  for (let afterId = 0; ; ) {
    const { rows, orphanedBlobs } = await db.write(() => {
      const rows = db.sql.all`SELECT * FROM object
        WHERE bucket = ${bucket} AND id > ${afterId} ORDER BY id LIMIT ${batchRows}`
      const expiredObjects = rows.map(parseObjectRow).filter(isDue)
      for (const object of expiredObjects)
        notifier.announce('LifecycleExpiration:Delete', object, {
          ip: '',
          principal: 's3.amazonaws.com',
          requestId: '',
        })
      return { rows, orphanedBlobs: expiredObjects.flatMap((object) => removeObjectRows(db, object)) }
    })
    await blobs.remove(orphanedBlobs)
    notifier.wake()
    if (rows.length < batchRows) return
    afterId = Number(rows.at(-1)?.id)
    await setImmediate()
  }
}

async function abortUploads(
  { db, blobs }: S3Services,
  bucket: string,
  rules: readonly LifecycleRule[],
  now: number,
) {
  const isOverdue = (key: string, initiatedAtMs: number) =>
    rules.some(
      ({ abortDays, prefix = '' }) =>
        abortDays !== undefined &&
        key.startsWith(prefix) &&
        getNextMidnight(initiatedAtMs + abortDays * dayMs) <= now,
    )
  const orphanedBlobs = await db.write(() => {
    const rows = db.sql
      .all`SELECT id, key, initiated FROM upload WHERE bucket = ${bucket} AND completed IS NULL`
    // Keys are stored as UTF-8 bytes.
    return rows
      .filter(({ key, initiated }) => isOverdue(Buffer.from(key as Uint8Array).toString(), Number(initiated)))
      .flatMap(({ id }) => removeUpload(db, { id: String(id) }))
  })
  await blobs.remove(orphanedBlobs)
}

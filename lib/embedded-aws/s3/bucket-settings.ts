// Settings of a bucket, one JSON value per kind.
import type { Database } from './database.ts'
import { requireBucket } from './require-bucket.ts'
import type { S3Tag } from './stored-object.ts'

export interface CorsRule {
  readonly id?: string
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly exposed: readonly string[]
  readonly maxAgeS?: number
}

export interface LifecycleRule {
  readonly id: string
  readonly enabled: boolean
  /** How the client wrote the filter, so that it is returned in the same form: none (before 2017), Filter, or And. */
  readonly form: 'prefix' | 'filter' | 'and'
  readonly prefix?: string
  readonly tags: readonly S3Tag[]
  readonly above?: number
  readonly below?: number
  readonly expireDays?: number
  /** When objects expire: midnight UTC, in milliseconds. */
  readonly expireAt?: number
  readonly abortDays?: number
}

export interface QueueRule {
  readonly id: string
  readonly arn: string
  /** Event types, for example s3:ObjectCreated:Put or s3:ObjectCreated:*. */
  readonly events: readonly string[]
  readonly filters: readonly { readonly name: 'prefix' | 'suffix'; readonly value: string }[]
}

export interface NotificationSettings {
  readonly queues: readonly QueueRule[]
  readonly eventBridge: boolean
}

interface BucketSettings {
  cors: readonly CorsRule[]
  lifecycle: readonly LifecycleRule[]
  notification: NotificationSettings
}

export function readSetting<K extends keyof BucketSettings>(
  db: Database,
  bucket: string,
  kind: K,
): BucketSettings[K] | undefined {
  const row = db.sql.get`SELECT value FROM setting WHERE bucket = ${bucket} AND kind = ${kind}`
  // Only `writeSetting` writes these values.
  return row && (JSON.parse(String(row.value)) as BucketSettings[K])
}

export function writeSetting<K extends keyof BucketSettings>(
  db: Database,
  bucket: string,
  kind: K,
  value: BucketSettings[K],
): Promise<unknown> {
  return db.write(() => {
    requireBucket(db, bucket)
    return db.sql.run`INSERT OR REPLACE INTO setting (bucket, kind, value)
      VALUES (${bucket}, ${kind}, ${JSON.stringify(value)})`
  })
}

export function deleteSetting(db: Database, bucket: string, kind: keyof BucketSettings): Promise<unknown> {
  return db.write(() => db.sql.run`DELETE FROM setting WHERE bucket = ${bucket} AND kind = ${kind}`)
}

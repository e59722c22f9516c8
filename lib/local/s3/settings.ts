// Configurations of a bucket, one JSON value per kind. Their models stand with the code that obeys them.
import type { CorsRule } from './cors.ts'
import type { Database } from './database.ts'
import type { LifecycleRule } from './lifecycle-rules.ts'
import type { NotificationSettings } from './notification-settings.ts'
import { requireBucket, type Tag } from './objects.ts'

export interface Settings {
  cors: readonly CorsRule[]
  lifecycle: readonly LifecycleRule[]
  notification: NotificationSettings
  tagging: readonly Tag[]
}

export function readSetting<K extends keyof Settings>(
  db: Database,
  bucket: string,
  kind: K,
): Settings[K] | undefined {
  const row = db.sql.get`SELECT value FROM setting WHERE bucket = ${bucket} AND kind = ${kind}`
  // Only writeSetting wrote it.
  return row && (JSON.parse(String(row.value)) as Settings[K])
}

export function writeSetting<K extends keyof Settings>(
  db: Database,
  bucket: string,
  kind: K,
  value: Settings[K],
): Promise<unknown> {
  return db.write(() => {
    requireBucket(db, bucket)
    return db.sql.run`INSERT OR REPLACE INTO setting (bucket, kind, value)
      VALUES (${bucket}, ${kind}, ${JSON.stringify(value)})`
  })
}

export function deleteSetting(db: Database, bucket: string, kind: keyof Settings): Promise<unknown> {
  return db.write(() => db.sql.run`DELETE FROM setting WHERE bucket = ${bucket} AND kind = ${kind}`)
}

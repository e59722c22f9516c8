import type { Database } from './database.ts'
import { S3Error } from './errors.ts'

export function requireBucket(db: Database, bucket: string): void {
  if (!db.sql.get`SELECT 1 FROM bucket WHERE name = ${bucket}`) throw createNoSuchBucketError(bucket)
}

export function createNoSuchBucketError(bucket: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { BucketName: bucket })
}

// Rows of objects and their segments. All objects are created and removed here.

import { accountId } from './account.ts'
import type { S3Call, S3Services } from './call.ts'
import type { Checksum } from './checksums.ts'
import { checkWrite } from './conditions.ts'
import type { Database } from './database.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'
import type { EventSource, S3EventName } from './event-messages.ts'
import { requireBucket } from './require-bucket.ts'
import type { ObjectDraft, S3Object, S3Tag, Segment } from './stored-object.ts'

export function findObject(db: Database, bucket: string, key: string): S3Object | undefined {
  const row = db.sql.get`SELECT * FROM object WHERE bucket = ${bucket} AND key = ${Buffer.from(key)}`
  return row && parseObjectRow(row)
}

export function requireObject(
  db: Database,
  { bucket, key, query }: Pick<S3Call, 'bucket' | 'key' | 'query'>,
): S3Object {
  checkVersion(query)
  const object = findObject(db, bucket, key)
  if (!object) throw new S3Error('NoSuchKey', undefined, { Key: key })
  return object
}

/**
 * Checks the version id. Without versioning, an object has one version, called null; AWS considers other ids invalid.
 */
export function checkVersion(query: S3Call['query']): string | undefined {
  const versionId = query.get('versionId')
  if (versionId === '')
    throw createInvalidArgumentError('Version id cannot be the empty string', 'versionId', versionId)
  if (versionId !== undefined && versionId !== 'null')
    throw createInvalidArgumentError('Invalid version id specified', 'versionId', versionId)
  return versionId
}

export function parseObjectRow(row: Record<string, unknown>): S3Object {
  // These columns were written by `insert` below, so their types are known.
  const { key, headers, tags, checksum, ...rest } = row as unknown as Omit<
    S3Object,
    'key' | 'headers' | 'tags' | 'checksum'
  > & { key: Uint8Array; headers: string; tags: string; checksum: string }
  return {
    ...rest,
    key: Buffer.from(key).toString(),
    // `insert` wrote the headers as JSON.
    headers: JSON.parse(headers) as Record<string, string>,
    tags: JSON.parse(tags) as S3Tag[],
    checksum: checksum === '' ? undefined : (JSON.parse(checksum) as Checksum),
  }
}

export function listSegments(db: Database, object: S3Object): Segment[] {
  const rows = db.sql
    .all`SELECT number, blob, size, checksum FROM segment WHERE object = ${object.id} ORDER BY number`
  return rows as unknown as Segment[] // the columns selected above
}

interface Commit {
  readonly draft: ObjectDraft
  readonly segments: readonly Segment[]
  readonly event: S3EventName
  /** Called in the transaction that writes the object; returns the blobs that are no longer needed. */
  readonly alsoRun?: () => readonly string[]
}

/** The key that an object is written to, the conditions of the write, and the client that sends it. */
interface WriteTarget extends Pick<S3Call, 'bucket' | 'key' | 'headers'> {
  readonly source: EventSource
}

export const toWriteTarget = (call: S3Call): WriteTarget => ({ ...call, source: toEventSource(call) })

/**
 * Makes one or more stored blobs the object of a key: checks the conditions, replaces the row and stores the event in
 * one transaction.
 */
export async function commitObject(
  { db, blobs, notifier }: S3Services,
  { bucket, key, headers, source }: WriteTarget,
  { draft, segments, event, alsoRun }: Commit,
): Promise<S3Object> {
  const { object, garbage } = await db.write(() => {
    requireBucket(db, bucket)
    const currentObject = findObject(db, bucket, key)
    checkWrite(headers, currentObject)
    const oldBlobs = currentObject ? removeObjectRows(db, currentObject) : []
    const storedObject = insert(db, bucket, key, draft, segments)
    notifier.announce(event, storedObject, source)
    return { object: storedObject, garbage: [...oldBlobs, ...(alsoRun?.() ?? [])] }
  })
  void blobs.remove(garbage)
  notifier.wake()
  return object
}

/** Deletes an object within a transaction; the caller removes the returned blobs after the commit. */
export function removeObjectRows(db: Database, object: S3Object): string[] {
  const removedBlobs = listSegments(db, object).map((segment) => segment.blob)
  db.sql.run`DELETE FROM segment WHERE object = ${object.id}`
  db.sql.run`DELETE FROM object WHERE id = ${object.id}`
  return removedBlobs
}

/** Returns what event messages say about the client of a request. */
export function toEventSource({ request, requestId, auth }: S3Call): EventSource {
  return { ip: request.socket.remoteAddress ?? '', principal: auth?.accessKeyId ?? accountId, requestId }
}

function insert(
  db: Database,
  bucket: string,
  key: string,
  draft: ObjectDraft,
  segments: readonly Segment[],
): S3Object {
  const { size, etag, modified, headers, tags, checksum, parts } = draft
  const { lastInsertRowid } = db.sql.run`
    INSERT INTO object (bucket, key, size, etag, modified, headers, tags, checksum, parts)
    VALUES (${bucket}, ${Buffer.from(key)}, ${size}, ${etag}, ${modified}, ${JSON.stringify(headers)},
      ${JSON.stringify(tags)}, ${checksum ? JSON.stringify(checksum) : ''}, ${parts})`
  const id = Number(lastInsertRowid)
  for (const segment of segments)
    db.sql.run`
      INSERT INTO segment (object, number, blob, size, checksum)
      VALUES (${id}, ${segment.number}, ${segment.blob}, ${segment.size}, ${segment.checksum})`
  return { ...draft, id, bucket, key }
}

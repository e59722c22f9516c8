// Rows of objects and their segments, and the one way by which an object comes or goes.

import type { Span } from './blobs.ts'
import type { Call, Services } from './call.ts'
import { accountId } from './call.ts'
import type { Checksum } from './checksums.ts'
import { checkWrite } from './conditions.ts'
import type { Database } from './database.ts'
import { invalidArgument, S3Error } from './errors.ts'
import type { EventName } from './event-messages.ts'

export interface Tag {
  readonly key: string
  readonly value: string
}

/** What a client says of an object besides its bytes: headers to give back, and tags. */
export interface Description {
  readonly headers: Readonly<Record<string, string>>
  readonly tags: readonly Tag[]
}

interface Draft extends Description {
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  readonly modified: number
  readonly checksum: Checksum | undefined
  /** Number of parts; 0 for an object that came in one piece. */
  readonly parts: number
}

export interface StoredObject extends Draft {
  readonly id: number
  readonly bucket: string
  readonly key: string
}

/** A piece of an object's bytes: the whole of it, or one part with its own checksum. */
export interface Segment extends Span {
  readonly number: number
  /** Base64, or empty. */
  readonly checksum: string
}

export function requireBucket(db: Database, bucket: string): void {
  if (!db.sql.get`SELECT 1 FROM bucket WHERE name = ${bucket}`) throw noSuchBucket(bucket)
}

export function noSuchBucket(bucket: string): S3Error {
  return new S3Error('NoSuchBucket', undefined, { BucketName: bucket })
}

export function findObject(db: Database, bucket: string, key: string): StoredObject | undefined {
  const row = db.sql.get`SELECT * FROM object WHERE bucket = ${bucket} AND key = ${Buffer.from(key)}`
  return row && asObject(row)
}

export function requireObject(
  db: Database,
  { bucket, key, query }: Pick<Call, 'bucket' | 'key' | 'query'>,
): StoredObject {
  checkVersion(query)
  const object = findObject(db, bucket, key)
  if (!object) throw new S3Error('NoSuchKey', undefined, { Key: key })
  return object
}

/** Without versioning an object has one version, called null, and AWS takes no other id for an id. */
export function checkVersion(query: Call['query']): string | undefined {
  const versionId = query.get('versionId')
  if (versionId === '') throw invalidArgument('Version id cannot be the empty string', 'versionId', versionId)
  if (versionId !== undefined && versionId !== 'null')
    throw invalidArgument('Invalid version id specified', 'versionId', versionId)
  return versionId
}

export function asObject(row: Record<string, unknown>): StoredObject {
  // The only writer of these rows is `insert` below.
  const { key, headers, tags, checksum, ...rest } = row as unknown as Omit<
    StoredObject,
    'key' | 'headers' | 'tags' | 'checksum'
  > & { key: Uint8Array; headers: string; tags: string; checksum: string }
  return {
    ...rest,
    key: Buffer.from(key).toString(),
    headers: JSON.parse(headers) as Record<string, string>,
    tags: JSON.parse(tags) as Tag[],
    checksum: checksum === '' ? undefined : (JSON.parse(checksum) as Checksum),
  }
}

export function segmentsOf(db: Database, object: StoredObject): Segment[] {
  const rows = db.sql
    .all`SELECT number, blob, size, checksum FROM segment WHERE object = ${object.id} ORDER BY number`
  return rows as unknown as Segment[]
}

export interface Commit {
  readonly draft: Draft
  readonly segments: readonly Segment[]
  readonly event: EventName
  /** More to do in the same transaction; returns blobs nobody needs any more. */
  readonly also?: () => readonly string[]
}

/** Makes a stored blob, or several, the object of the call: conditions, row swap and event in one transaction. */
export async function commitObject(
  { db, blobs, notifier }: Services,
  call: Call,
  { draft, segments, event, also }: Commit,
): Promise<StoredObject> {
  const { bucket, key } = call
  const { object, garbage } = await db.write(() => {
    requireBucket(db, bucket)
    const current = findObject(db, bucket, key)
    checkWrite(call.headers, current)
    const old = current ? removeRows(db, current) : []
    const stored = insert(db, bucket, key, draft, segments)
    notifier.announce(event, stored, sourceOf(call))
    return { object: stored, garbage: [...old, ...(also?.() ?? [])] }
  })
  void blobs.remove(garbage)
  notifier.wake()
  return object
}

/** Deletes an object within a transaction; the caller removes the returned blobs after the commit. */
export function removeRows(db: Database, object: StoredObject): string[] {
  const gone = segmentsOf(db, object).map((segment) => segment.blob)
  db.sql.run`DELETE FROM segment WHERE object = ${object.id}`
  db.sql.run`DELETE FROM object WHERE id = ${object.id}`
  return gone
}

/** Who did it, as event messages tell. */
export function sourceOf({ request, requestId, auth }: Call) {
  return { ip: request.socket.remoteAddress ?? '', principal: auth?.accessKeyId ?? accountId, requestId }
}

function insert(
  db: Database,
  bucket: string,
  key: string,
  draft: Draft,
  segments: readonly Segment[],
): StoredObject {
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

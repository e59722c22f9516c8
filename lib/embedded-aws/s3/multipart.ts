// Multipart uploads: create, upload parts, abort. Completing one moves rows, not bytes.
import { randomBytes } from 'node:crypto'
import { commitOrRemove, type ReceivedBody, receiveBody } from './body.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime, getNowRoundedToSeconds } from './call.ts'
import {
  type Algorithm,
  algorithmNames,
  allowsType,
  type ChecksumType,
  createChecksumHeaders,
  getChecksumElement,
  getChecksumHeader,
  getDefaultChecksumType,
  requireAlgorithm,
} from './checksums.ts'
import { copyBytes, readCopyRange, readCopySource } from './copy-source.ts'
import type { Database } from './database.ts'
import { S3Error } from './errors.ts'
import { createEncryptionHeader, readDescription } from './object-metadata.ts'
import { readPartNumber } from './paging.ts'
import type { ObjectDescription } from './stored-object.ts'
import { toXml } from './xml.ts'

export interface Upload extends ObjectDescription {
  readonly id: string
  /**
   * The checksum algorithm. If undefined, the client chose none: the object gets CRC64NVME, and parts may use any
   * algorithm.
   */
  readonly algorithm: Algorithm | undefined
  readonly type: ChecksumType
}

export interface S3Part {
  readonly number: number
  readonly blob: string
  readonly size: number
  readonly etag: string
  readonly checksum: string
  readonly modified: number
}

export async function createUpload({ db }: S3Services, call: S3Call): Promise<S3Reply> {
  const { bucket, key, headers } = call
  const description = readDescription(headers)
  const { algorithm, type } = readChecksumChoice(call)
  // Ids start with the time, so that uploads of one key are listed in the order of their creation.
  const id = `${Date.now().toString(36).padStart(9, '0')}.${randomBytes(36).toString('base64url')}`
  await db.write(
    () => db.sql
      .run`INSERT INTO upload (id, bucket, key, initiated, headers, tags, algorithm, type, completed)
      VALUES (${id}, ${bucket}, ${Buffer.from(key)}, ${getNowRoundedToSeconds()}, ${JSON.stringify(description.headers)},
        ${JSON.stringify(description.tags)}, ${algorithm ?? null}, ${type}, NULL)`,
  )
  return {
    headers: {
      ...createEncryptionHeader(description),
      ...(algorithm && { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type }),
    },
    xml: toXml('InitiateMultipartUploadResult', { Bucket: bucket, Key: key, UploadId: id }),
  }
}

function readChecksumChoice({ headers }: S3Call): { algorithm: Algorithm | undefined; type: ChecksumType } {
  const [namedAlgorithm, type] = [
    headers.get('x-amz-checksum-algorithm'),
    headers.get('x-amz-checksum-type')?.toUpperCase(),
  ]
  if (namedAlgorithm === undefined) {
    if (type === undefined) return { algorithm: undefined, type: 'FULL_OBJECT' }
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  }
  const algorithm = requireAlgorithm(namedAlgorithm)
  if (type === undefined) return { algorithm, type: getDefaultChecksumType(algorithm) }
  if (!allowsType(algorithm, type))
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm.toLowerCase()} checksum algorithm.`,
    )
  return { algorithm, type }
}

export function requireUpload(db: Database, { bucket, key, query }: S3Call): Upload {
  const id = query.get('uploadId') ?? ''
  const row = db.sql.get`SELECT id, headers, tags, algorithm, type FROM upload
    WHERE id = ${id} AND bucket = ${bucket} AND key = ${Buffer.from(key)} AND completed IS NULL`
  if (!row) throw new S3Error('NoSuchUpload', undefined, { UploadId: id })
  // createUpload wrote the row.
  return {
    id,
    headers: JSON.parse(String(row.headers)) as Upload['headers'],
    tags: JSON.parse(String(row.tags)) as Upload['tags'],
    algorithm: (row.algorithm as Algorithm | null) ?? undefined,
    type: row.type as ChecksumType,
  }
}

export function listS3Parts(db: Database, upload: Pick<Upload, 'id'>): S3Part[] {
  const rows = db.sql.all`SELECT number, blob, size, etag, checksum, modified FROM part
    WHERE upload = ${upload.id} ORDER BY number`
  return rows as unknown as S3Part[] // the columns selected above
}

export async function uploadPart(services: S3Services, call: S3Call): Promise<S3Reply> {
  const number = readPartNumber(call)
  const upload = requireUpload(services.db, call)
  checkPartAlgorithm(upload, call)
  const receivedBody = await receiveBody(services, call, upload.algorithm ?? 'CRC64NVME')
  const etag = await commitPart(services, call, number, receivedBody)
  const sentAlgorithm =
    upload.algorithm ?? algorithmNames.find((algorithmName) => receivedBody.checksums.has(algorithmName))
  const { 'x-amz-checksum-type': _, ...checksum } = createChecksumHeaders(
    sentAlgorithm && {
      algorithm: sentAlgorithm,
      type: 'FULL_OBJECT',
      value: receivedBody.checksums.get(sentAlgorithm) ?? '',
    },
  )
  return { headers: { etag: `"${etag}"`, ...createEncryptionHeader(upload), ...checksum } }
}

export async function uploadPartCopy(services: S3Services, call: S3Call): Promise<S3Reply> {
  const number = readPartNumber(call)
  const upload = requireUpload(services.db, call)
  const source = readCopySource(services, call)
  const algorithm = upload.algorithm ?? 'CRC64NVME'
  const receivedBody = await copyBytes(services, source, readCopyRange(call, source), algorithm)
  const etag = await commitPart(services, call, number, receivedBody)
  return {
    xml: toXml('CopyPartResult', {
      LastModified: formatIsoTime(getNowRoundedToSeconds()),
      ETag: `"${etag}"`,
      ...(upload.algorithm && { [getChecksumElement(algorithm)]: receivedBody.checksums.get(algorithm) }),
    }),
  }
}

/**
 * Checks the checksum of a part. Its algorithm must be the one chosen for the upload. S3 itself computes missing
 * checksums only for full-object checksums.
 */
function checkPartAlgorithm({ algorithm, type }: Upload, { headers }: S3Call): void {
  if (!algorithm) return
  const trailer = headers.get('x-amz-trailer')?.toLowerCase()
  const sentAlgorithm = algorithmNames.find(
    (algorithmName) =>
      headers.has(getChecksumHeader(algorithmName)) || trailer === getChecksumHeader(algorithmName),
  )
  if (sentAlgorithm === algorithm || (sentAlgorithm === undefined && type === 'FULL_OBJECT')) return
  throw new S3Error(
    'InvalidRequest',
    `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${sentAlgorithm?.toLowerCase() ?? 'null'}`,
  )
}

async function commitPart(
  services: S3Services,
  call: S3Call,
  number: number,
  receivedBody: ReceivedBody,
): Promise<string> {
  const { db, blobs } = services
  const { blob, size, md5, checksums } = receivedBody
  const orphanedBlobs = await commitOrRemove(services, blob, () =>
    db.write(() => {
      // The upload may have been completed or aborted while the part was uploaded, and the part must not outlive it.
      const upload = requireUpload(db, call)
      const checksum = checksums.get(upload.algorithm ?? 'CRC64NVME') ?? ''
      const oldPart = db.sql.get`SELECT blob FROM part WHERE upload = ${upload.id} AND number = ${number}`
      db.sql.run`INSERT OR REPLACE INTO part (upload, number, blob, size, etag, checksum, modified)
        VALUES (${upload.id}, ${number}, ${blob}, ${size}, ${md5}, ${checksum}, ${getNowRoundedToSeconds()})`
      return oldPart ? [String(oldPart.blob)] : []
    }),
  )
  void blobs.remove(orphanedBlobs)
  return md5
}

export async function abortMultipartUpload({ db, blobs }: S3Services, call: S3Call): Promise<S3Reply> {
  const orphanedBlobs = await db.write(() => removeUpload(db, requireUpload(db, call)))
  void blobs.remove(orphanedBlobs)
  return { status: 204 }
}

/** Removes an upload within a transaction; returns the blobs of its parts. */
export function removeUpload(db: Database, upload: Pick<Upload, 'id'>): string[] {
  const orphanedBlobs = listS3Parts(db, upload).map((part) => part.blob)
  db.sql.run`DELETE FROM part WHERE upload = ${upload.id}`
  db.sql.run`DELETE FROM upload WHERE id = ${upload.id}`
  return orphanedBlobs
}

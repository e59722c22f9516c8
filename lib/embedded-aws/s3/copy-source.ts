// Reads the source of CopyObject and UploadPartCopy.
import { maxS3PutBytes, type ReceivedBody, storeChunksAsBlob } from './body.ts'
import type { S3Call, S3Services } from './call.ts'
import type { Algorithm } from './checksums.ts'
import { checkCopySource, type ObjectRange } from './conditions.ts'
import { createInvalidArgumentError, S3Error } from './errors.ts'
import { listSegments, requireObject } from './objects.ts'
import { requireBucket } from './require-bucket.ts'
import type { S3Object } from './stored-object.ts'

const sourceHeader = 'x-amz-copy-source'

/** Returns the object named by the copy header, after checking its conditions. */
export function readCopySource({ db }: S3Services, { headers }: S3Call): S3Object {
  const text = headers.get(sourceHeader) ?? ''
  const [, path = '', versionId] = /^(.*?)(?:\?versionId=(.*))?$/s.exec(text) ?? []
  const [, bucket = '', key = ''] = /^\/?([^/]+)\/(.+)$/s.exec(decode(path)) ?? []
  if (key === '')
    throw createInvalidArgumentError(
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      sourceHeader,
      text,
    )
  requireBucket(db, bucket)
  const source = requireObject(db, {
    bucket,
    key,
    query: new Map(versionId === undefined ? [] : [['versionId', versionId]]),
  })
  checkCopySource(headers, source)
  return source
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw createInvalidArgumentError('Invalid copy source encoding.', sourceHeader, path)
  }
}

/** Reads `bytes=first-last`; both ends are required and must be inside the source. */
export function readCopyRange({ headers }: S3Call, source: S3Object): ObjectRange {
  const text = headers.get('x-amz-copy-source-range')
  if (text === undefined) return { first: 0, last: source.size - 1 }
  const [foundRange, from, to] = /^bytes=(\d+)-(\d+)$/.exec(text) ?? []
  const range = { first: Number(from), last: Number(to) }
  if (foundRange === undefined || range.first > range.last)
    throw createInvalidArgumentError(
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
      'x-amz-copy-source-range',
      text,
    )
  if (range.last >= source.size)
    throw createInvalidArgumentError(
      `Range specified is not valid for source object of size: ${source.size}`,
      'x-amz-copy-source-range',
      text,
    )
  return range
}

/**
 * Copies an object into a new blob. If its checksums are known, a hard link is enough, because blobs never change. The
 * source may be deleted meanwhile.
 */
export async function copyWhole(
  services: S3Services,
  source: S3Object,
  algorithm: Algorithm,
): Promise<ReceivedBody> {
  const { db, blobs } = services
  const { checksum, parts, etag } = source
  const [segment, ...moreSegments] = listSegments(db, source)
  const isKnown = parts === 0 && checksum?.type === 'FULL_OBJECT' && checksum.algorithm === algorithm
  if (!segment || moreSegments.length > 0 || !isKnown)
    return copyBytes(services, source, { first: 0, last: source.size - 1 }, algorithm)
  const release = blobs.hold([segment])
  try {
    return {
      ...(await blobs.link(segment)),
      md5: etag,
      checksums: new Map([[algorithm, checksum.value]]),
    }
  } finally {
    release()
  }
}

/** Copies bytes of an object into a new blob; the source may be deleted meanwhile. */
export async function copyBytes(
  services: S3Services,
  source: S3Object,
  { first, last }: ObjectRange,
  algorithm: Algorithm,
): Promise<ReceivedBody> {
  if (last - first + 1 > maxS3PutBytes)
    throw new S3Error(
      'InvalidRequest',
      `The specified copy source is larger than the maximum allowable size for a copy source: ${maxS3PutBytes}`,
    )
  const segments = listSegments(services.db, source)
  const release = services.blobs.hold(segments)
  try {
    const chunks = services.blobs.read(segments, first, last)
    return await storeChunksAsBlob(services, new Map(), { chunks, trailers: new Map() }, algorithm)
  } finally {
    release()
  }
}

// ListObjects in both versions: one walk over the keys in byte order, two response formats.
import { accountOwner } from './account.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime } from './call.ts'
import type { Database } from './database.ts'
import { createInvalidArgumentError } from './errors.ts'
import { parseObjectRow } from './objects.ts'
import { readCount, readEncoding } from './paging.ts'
import type { S3Object } from './stored-object.ts'
import { toXml } from './xml.ts'

interface Walk {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter: string
  /** Names up to and including this one are skipped, in byte order. A common prefix counts as one name. */
  readonly after: string
  readonly maxEntries: number
}

interface Page {
  readonly objects: readonly S3Object[]
  readonly commonPrefixes: readonly string[]
  /** Last name of this page; undefined on the last page. */
  readonly next: string | undefined
}

function walk(db: Database, { bucket, prefix, delimiter, after, maxEntries }: Walk): Page {
  const objects: S3Object[] = []
  const commonPrefixes: string[] = []
  const end = findFirstAfterPrefix(Buffer.from(prefix))
  let lastKey: string | undefined
  let from: Buffer | undefined = findStart(prefix, after, delimiter)
  while (from) {
    const rows = db.sql.iterate`SELECT * FROM object
      WHERE bucket = ${bucket} AND key >= ${from} AND key < ${end} ORDER BY key`
    from = undefined
    for (const row of rows) {
      if (objects.length + commonPrefixes.length >= maxEntries)
        return { objects, commonPrefixes, next: lastKey }
      const object = parseObjectRow(row)
      const delimiterIndex = delimiter === '' ? -1 : object.key.indexOf(delimiter, prefix.length)
      lastKey = delimiterIndex < 0 ? object.key : object.key.slice(0, delimiterIndex + delimiter.length)
      if (delimiterIndex < 0) {
        objects.push(object)
        continue
      }
      commonPrefixes.push(lastKey)
      // Everything under the common prefix is one entry, so the walk skips what may be millions of keys.
      from = findFirstAfterPrefix(Buffer.from(lastKey))
      break
    }
  }
  return { objects, commonPrefixes, next: undefined }
}

/** Returns where a page starts. A common prefix that contains the marker was on an earlier page, so it is skipped. */
function findStart(prefix: string, afterKey: string, delimiter: string): Buffer {
  const firstKey = Buffer.from(prefix)
  if (afterKey === '') return firstKey
  const delimiterIndex =
    delimiter === '' || !afterKey.startsWith(prefix) ? -1 : afterKey.indexOf(delimiter, prefix.length)
  const nextKey =
    delimiterIndex < 0
      ? getNextByteString(Buffer.from(afterKey))
      : findFirstAfterPrefix(Buffer.from(afterKey.slice(0, delimiterIndex + delimiter.length)))
  return Buffer.compare(nextKey, firstKey) > 0 ? nextKey : firstKey
}

/**
 * Returns the first byte string after all byte strings that start with the prefix. UTF-8 has no byte above 0xf4, so
 * adding 1 is safe.
 */
function findFirstAfterPrefix(bytes: Buffer): Buffer {
  if (bytes.length === 0) return Buffer.from([0xff])
  const nextKey = Buffer.from(bytes)
  nextKey[nextKey.length - 1] = (nextKey.at(-1) ?? 0) + 1
  return nextKey
}

/** Returns the next byte string. */
function getNextByteString(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(1)])
}

export function listObjectsV2({ db }: S3Services, { bucket, query }: S3Call): S3Reply {
  const encode = readEncoding(query)
  const token = query.get('continuation-token')
  const [prefix, delimiter, startAfter] = [
    readParameter(query, 'prefix'),
    readParameter(query, 'delimiter'),
    readParameter(query, 'start-after'),
  ]
  const maxKeys = readCount('max-keys', query.get('max-keys'), 1000)
  const afterKey = token === undefined || token === '' ? startAfter : readToken(token)
  const page = walk(db, { bucket, prefix, delimiter, after: afterKey, maxEntries: maxKeys })
  const showsOwner = query.get('fetch-owner') === 'true'
  return {
    xml: toXml('ListBucketResult', {
      Name: bucket,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxKeys: maxKeys,
      EncodingType: query.get('encoding-type'),
      KeyCount: page.objects.length + page.commonPrefixes.length,
      IsTruncated: page.next !== undefined,
      ContinuationToken: token,
      NextContinuationToken: page.next === undefined ? undefined : makeToken(page.next),
      StartAfter: startAfter === '' ? undefined : encode(startAfter),
      Contents: page.objects.map((object) => describe(object, encode, showsOwner)),
      CommonPrefixes: page.commonPrefixes.map((commonPrefix) => ({ Prefix: encode(commonPrefix) })),
    }),
  }
}

export function listObjectsV1({ db }: S3Services, { bucket, query }: S3Call): S3Reply {
  const encode = readEncoding(query)
  const [prefix, delimiter, marker] = [
    readParameter(query, 'prefix'),
    readParameter(query, 'delimiter'),
    readParameter(query, 'marker'),
  ]
  const maxKeys = readCount('max-keys', query.get('max-keys'), 1000)
  const page = walk(db, { bucket, prefix, delimiter, after: marker, maxEntries: maxKeys })
  return {
    xml: toXml('ListBucketResult', {
      Name: bucket,
      Prefix: encode(prefix),
      Marker: encode(marker),
      // Without a delimiter, S3 omits the marker, and the client continues after the last key.
      NextMarker: page.next === undefined || delimiter === '' ? undefined : encode(page.next),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxKeys: maxKeys,
      EncodingType: query.get('encoding-type'),
      IsTruncated: page.next !== undefined,
      Contents: page.objects.map((object) => describe(object, encode, true)),
      CommonPrefixes: page.commonPrefixes.map((commonPrefix) => ({ Prefix: encode(commonPrefix) })),
    }),
  }
}

function describe(object: S3Object, encode: (name: string) => string, showsOwner: boolean) {
  return {
    Key: encode(object.key),
    LastModified: formatIsoTime(object.modified),
    ETag: `"${object.etag}"`,
    ...(object.checksum && {
      ChecksumAlgorithm: object.checksum.algorithm,
      ChecksumType: object.checksum.type,
    }),
    Size: object.size,
    ...(showsOwner && { Owner: accountOwner }),
    StorageClass: 'STANDARD',
  }
}

function readParameter(query: ReadonlyMap<string, string>, name: string): string {
  return query.get(name) ?? ''
}

function makeToken(name: string): string {
  return Buffer.from(`1${name}`).toString('base64')
}

function readToken(token: string): string {
  const name = Buffer.from(token, 'base64').toString()
  if (!name.startsWith('1'))
    throw createInvalidArgumentError(
      'The continuation token provided is incorrect',
      'continuation-token',
      token,
    )
  return name.slice(1)
}

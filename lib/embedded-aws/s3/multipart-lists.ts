// The operations ListParts and ListMultipartUploads.
import { accountOwner } from './account.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { formatIsoTime } from './call.ts'
import { getChecksumElement } from './checksums.ts'
import { listS3Parts, requireUpload } from './multipart.ts'
import { readCount, readEncoding } from './paging.ts'
import { toXml } from './xml.ts'

export function listParts({ db }: S3Services, call: S3Call): S3Reply {
  const { bucket, key, query } = call
  const encode = readEncoding(query)
  const upload = requireUpload(db, call)
  const maxParts = readCount('max-parts', query.get('max-parts'), 1000)
  const marker = readCount('part-number-marker', query.get('part-number-marker'), 0, Number.MAX_SAFE_INTEGER)
  const remainingParts = listS3Parts(db, upload).filter(({ number }) => number > marker)
  const page = remainingParts.slice(0, maxParts)
  const { algorithm, type } = upload
  return {
    xml: toXml('ListPartsResult', {
      Bucket: bucket,
      Key: encode(key),
      UploadId: upload.id,
      Initiator: accountOwner,
      Owner: accountOwner,
      StorageClass: 'STANDARD',
      PartNumberMarker: marker,
      NextPartNumberMarker: page.at(-1)?.number ?? 0,
      MaxParts: maxParts,
      EncodingType: query.get('encoding-type'),
      IsTruncated: remainingParts.length > page.length,
      ...(algorithm && { ChecksumAlgorithm: algorithm, ChecksumType: type }),
      Part: page.map(({ number, modified, etag, size, checksum }) => ({
        PartNumber: number,
        LastModified: formatIsoTime(modified),
        ETag: `"${etag}"`,
        Size: size,
        ...(algorithm && { [getChecksumElement(algorithm)]: checksum }),
      })),
    }),
  }
}

interface Entry {
  readonly key: string
  readonly id: string
  readonly initiated: number
  readonly algorithm: string | null
  readonly type: string
}

export function listUploads({ db }: S3Services, { bucket, query }: S3Call): S3Reply {
  const encode = readEncoding(query)
  const readParameter = (name: string) => query.get(name) ?? ''
  const [prefix, delimiter] = [readParameter('prefix'), readParameter('delimiter')]
  const [keyMarker, idMarker] = [readParameter('key-marker'), readParameter('upload-id-marker')]
  const maxUploads = readCount('max-uploads', query.get('max-uploads'), 1000)
  // An upload-id-marker only counts together with a key-marker.
  const afterUpload = keyMarker === '' ? undefined : { key: Buffer.from(keyMarker), id: idMarker }
  const foundUploads = readUploads(db, bucket, prefix).filter(({ key, id }) => {
    if (!afterUpload) return true
    const order = Buffer.compare(Buffer.from(key), afterUpload.key)
    return order > 0 || (order === 0 && afterUpload.id !== '' && id > afterUpload.id)
  })
  const { uploads, commonPrefixes, last, truncated } = group(foundUploads, {
    prefix,
    delimiter,
    keyMarker,
    maxEntries: maxUploads,
  })
  return {
    xml: toXml('ListMultipartUploadsResult', {
      Bucket: bucket,
      KeyMarker: encode(keyMarker),
      UploadIdMarker: idMarker,
      NextKeyMarker: truncated ? encode(last.key) : undefined,
      NextUploadIdMarker: truncated ? last.id : undefined,
      Prefix: encode(prefix),
      Delimiter: delimiter === '' ? undefined : encode(delimiter),
      MaxUploads: maxUploads,
      EncodingType: query.get('encoding-type'),
      IsTruncated: truncated,
      Upload: uploads.map(({ key, id, initiated, algorithm, type }) => ({
        Key: encode(key),
        UploadId: id,
        Initiator: accountOwner,
        Owner: accountOwner,
        StorageClass: 'STANDARD',
        Initiated: formatIsoTime(initiated),
        ...(algorithm !== null && { ChecksumAlgorithm: algorithm, ChecksumType: type }),
      })),
      CommonPrefixes: commonPrefixes.map((commonPrefix) => ({ Prefix: encode(commonPrefix) })),
    }),
  }
}

function readUploads(db: S3Services['db'], bucket: string, prefix: string): Entry[] {
  const rows = db.sql.all`SELECT key, id, initiated, algorithm, type FROM upload
    WHERE bucket = ${bucket} AND completed IS NULL ORDER BY key, id`
  const entries = rows as unknown as (Omit<Entry, 'key'> & { key: Uint8Array })[] // the columns selected above
  return entries
    .map((entry) => ({ ...entry, key: Buffer.from(entry.key).toString() }))
    .filter(({ key }) => key.startsWith(prefix))
}

interface Grouping {
  readonly prefix: string
  readonly delimiter: string
  readonly keyMarker: string
  readonly maxEntries: number
}

function group(foundUploads: readonly Entry[], { prefix, delimiter, keyMarker, maxEntries }: Grouping) {
  const uploads: Entry[] = []
  const commonPrefixes: string[] = []
  let lastUpload = { key: '', id: '' }
  for (const entry of foundUploads) {
    const delimiterIndex = delimiter === '' ? -1 : entry.key.indexOf(delimiter, prefix.length)
    const commonPrefix =
      delimiterIndex < 0 ? undefined : entry.key.slice(0, delimiterIndex + delimiter.length)
    if (
      commonPrefix !== undefined &&
      (commonPrefix === commonPrefixes.at(-1) || keyMarker.startsWith(commonPrefix))
    )
      continue
    if (uploads.length + commonPrefixes.length >= maxEntries)
      return { uploads, commonPrefixes, last: lastUpload, truncated: maxEntries > 0 }
    if (commonPrefix === undefined) uploads.push(entry)
    else commonPrefixes.push(commonPrefix)
    lastUpload = commonPrefix === undefined ? entry : { key: commonPrefix, id: '' }
  }
  return { uploads, commonPrefixes, last: lastUpload, truncated: false }
}

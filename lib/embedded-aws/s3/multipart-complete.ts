// The operation CompleteMultipartUpload.
import { createHash } from 'node:crypto'
import { readXmlBody } from './body.ts'
import type { S3Call, S3Reply, S3Services } from './call.ts'
import { getNowRoundedToSeconds } from './call.ts'
import {
  algorithmNames,
  type Checksum,
  getChecksumElement,
  getChecksumHeader,
  joinChecksums,
} from './checksums.ts'
import type { Database } from './database.ts'
import { S3Error } from './errors.ts'
import { createExpirationHeader } from './lifecycle.ts'
import { listS3Parts, requireUpload, type S3Part, type Upload } from './multipart.ts'
import { createEncryptionHeader } from './object-metadata.ts'
import { commitObject, findObject, toWriteTarget } from './objects.ts'
import { parsePartNumber } from './paging.ts'
import { requireBucket } from './require-bucket.ts'
import { getChildren, getChildText, type Parsed, toXml } from './xml.ts'

const minPartBytes = 5 * 1024 ** 2
const maxObjectBytes = 50 * 1024 ** 4

interface ListedPart {
  readonly number: number
  readonly etag: string
  readonly element: Parsed
}

export async function completeUpload(services: S3Services, call: S3Call): Promise<S3Reply> {
  const { db } = services
  const listedParts = readPartList(await readCompleteBody(call))
  const earlierCompletion = findCompleted(db, call, listedParts)
  if (earlierCompletion !== undefined) return { xml: earlierCompletion }
  const upload = requireUpload(db, call)
  const parts = chooseParts(upload, listedParts, listS3Parts(db, upload))
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  checkSize(call, size)
  const checksum = joinChecksums(upload.algorithm ?? 'CRC64NVME', upload.type, parts)
  checkObjectChecksum(call, checksum)
  const etag = joinEtags(parts)
  const xml = describeResult(call, etag, checksum)
  const { headers, tags } = upload

  const object = await commitObject(services, toWriteTarget(call), {
    draft: { headers, tags, size, etag, checksum, modified: getNowRoundedToSeconds(), parts: parts.length },
    segments: parts.map((part, index) => ({ ...part, number: index + 1 })),
    event: 'ObjectCreated:CompleteMultipartUpload',
    alsoRun: () => finishUpload(db, call, parts, { listedParts, xml }),
  })
  return { xml, headers: { ...createEncryptionHeader(object), ...createExpirationHeader(db, object) } }
}

/** In this operation a checksum header is about the object, not about the request body. */
function readCompleteBody(call: S3Call): Promise<Parsed> {
  const headers = new Map([...call.headers].filter(([name]) => !name.startsWith('x-amz-checksum-')))
  return readXmlBody({ ...call, headers }, 'CompleteMultipartUpload')
}

function readPartList(document: Parsed): ListedPart[] {
  const listedParts = getChildren(document, 'Part').map((element) => {
    const number = parsePartNumber((getChildText(element, 'PartNumber') ?? '').trim())
    const etag = getChildText(element, 'ETag')
    if (number === undefined || etag === undefined) throw new S3Error('MalformedXML')
    return { number, etag: etag.trim().replace(/^"(.*)"$/, '$1'), element }
  })
  if (listedParts.length === 0 || listedParts.length > 10_000) throw new S3Error('MalformedXML')
  if (listedParts.some(({ number }, index) => number <= (listedParts[index - 1]?.number ?? 0)))
    throw new S3Error('InvalidPartOrder')
  return listedParts
}

function chooseParts(
  upload: Upload,
  listedParts: readonly ListedPart[],
  storedParts: readonly S3Part[],
): S3Part[] {
  const byNumber = new Map(storedParts.map((part) => [part.number, part]))
  const chosenParts = listedParts.map(({ number, etag, element }) => {
    const storedPart = byNumber.get(number)
    const invalidPart = { UploadId: upload.id, PartNumber: `${number}`, ETag: etag }
    if (!storedPart || storedPart.etag !== etag) throw new S3Error('InvalidPart', undefined, invalidPart)
    checkPartChecksum(upload, storedPart, element)
    return storedPart
  })
  for (const { size, number, etag } of chosenParts.slice(0, -1))
    if (size < minPartBytes)
      throw new S3Error('EntityTooSmall', undefined, {
        ProposedSize: `${size}`,
        MinSizeAllowed: `${minPartBytes}`,
        PartNumber: `${number}`,
        ETag: etag,
      })
  return chosenParts
}

function checkPartChecksum({ algorithm, type, id }: Upload, part: S3Part, element: Parsed): void {
  const namedAlgorithm = algorithmNames.find(
    (algorithmName) => getChildText(element, getChecksumElement(algorithmName)) !== undefined,
  )
  if (!algorithm) return
  if (namedAlgorithm === undefined) {
    if (type === 'FULL_OBJECT') return
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using a ${algorithm.toLowerCase()} checksum. The complete request must include the checksum for each part. It was missing for part ${part.number} in the request.`,
    )
  }
  if (
    namedAlgorithm === algorithm &&
    getChildText(element, getChecksumElement(namedAlgorithm)) === part.checksum
  )
    return
  throw new S3Error('InvalidPart', undefined, { UploadId: id, PartNumber: `${part.number}`, ETag: part.etag })
}

function checkSize({ headers }: S3Call, size: number): void {
  const announcedSize = headers.get('x-amz-mp-object-size')
  if (announcedSize !== undefined && Number(announcedSize) !== size)
    throw new S3Error(
      'InvalidRequest',
      `The provided 'x-amz-mp-object-size' header value ${announcedSize} does not match what was computed: ${size}`,
    )
  if (size > maxObjectBytes) throw new S3Error('EntityTooLarge')
}

/** Checks the checksum that the client expects of the whole object, if any. */
function checkObjectChecksum({ headers }: S3Call, checksum: Checksum): void {
  const type = headers.get('x-amz-checksum-type')
  if (type !== undefined && type.toUpperCase() !== checksum.type)
    throw new S3Error(
      'InvalidRequest',
      `The upload was created using the ${checksum.type} checksum mode. The complete request must use the same checksum mode.`,
    )
  const expected = headers.get(getChecksumHeader(checksum.algorithm))
  if (expected !== undefined && expected.replace(/-\d+$/, '') !== checksum.value.replace(/-\d+$/, ''))
    throw new S3Error(
      'BadDigest',
      `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    )
}

function joinEtags(parts: readonly S3Part[]): string {
  const md5s = Buffer.concat(parts.map((part) => Buffer.from(part.etag, 'hex')))
  return `${createHash('md5').update(md5s).digest('hex')}-${parts.length}`
}

interface Completed {
  readonly listedParts: readonly ListedPart[]
  readonly xml: string
}

/**
 * Finishes an upload; call inside the commit. The upload's row is kept to answer repeated requests.
 * @returns the blobs that are no longer used.
 * @throws S3Error InvalidPart if a chosen part was replaced in the meantime.
 */
function finishUpload(
  db: Database,
  call: S3Call,
  chosenParts: readonly S3Part[],
  { listedParts, xml }: Completed,
): string[] {
  const upload = requireUpload(db, call)
  const storedParts = listS3Parts(db, upload)
  const blobs = new Set(storedParts.map((part) => part.blob))
  const usedBlobs = new Set(chosenParts.map((part) => part.blob))
  if ([...usedBlobs].some((blob) => !blobs.has(blob)))
    throw new S3Error('InvalidPart', undefined, { UploadId: upload.id })
  const completedUpload = JSON.stringify({ parts: fingerprint(listedParts), xml })
  db.sql.run`DELETE FROM part WHERE upload = ${upload.id}`
  db.sql
    .run`UPDATE upload SET completed = ${completedUpload}, initiated = ${getNowRoundedToSeconds()} WHERE id = ${upload.id}`
  return [...blobs].filter((blob) => !usedBlobs.has(blob))
}

/** Returns the stored reply if the same request was already completed: a client that lost the response repeats it. */
function findCompleted(
  db: Database,
  { bucket, key, query }: S3Call,
  listedParts: readonly ListedPart[],
): string | undefined {
  requireBucket(db, bucket)
  const row = db.sql.get`SELECT completed FROM upload WHERE id = ${query.get('uploadId') ?? ''}
    AND bucket = ${bucket} AND key = ${Buffer.from(key)} AND completed IS NOT NULL`
  if (!row) return undefined
  // finishUpload() wrote it.
  const completedUpload = JSON.parse(String(row.completed)) as { parts: string; xml: string }
  return completedUpload.parts === fingerprint(listedParts) && findObject(db, bucket, key)
    ? completedUpload.xml
    : undefined
}

function fingerprint(listedParts: readonly ListedPart[]): string {
  const text = listedParts.map(({ number, etag }) => `${number} ${etag}`).join('\n')
  return createHash('sha256').update(text).digest('hex')
}

function describeResult({ bucket, key, location }: S3Call, etag: string, checksum: Checksum): string {
  return toXml('CompleteMultipartUploadResult', {
    Location: location,
    Bucket: bucket,
    Key: key,
    ETag: `"${etag}"`,
    [getChecksumElement(checksum.algorithm)]: checksum.value,
    ChecksumType: checksum.type,
  })
}

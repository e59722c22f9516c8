import { forEachConcurrently } from '../async/for-each-concurrently.ts'
import { defined } from '../validation/defined.ts'
import type { BucketClients } from './bucket-clients.ts'

/** A copy within the service's bucket. */
interface CopyRequest {
  readonly bucket: string
  readonly from: string
  readonly to: string
  /** The ETag that the source must have. */
  readonly etag?: string | undefined
}

const maxConcurrentParts = 16

/** Copies an object with one request. @returns the ETag of the copy. */
export async function copyObject(
  { s3, CopyObjectCommand }: BucketClients,
  { bucket, from, to, etag }: CopyRequest,
): Promise<string> {
  const { CopyObjectResult } = await s3.send(
    new CopyObjectCommand({
      Bucket: bucket,
      Key: to,
      CopySource: `${bucket}/${from}`,
      ...defined({ CopySourceIfMatch: etag }),
    }),
  )
  return CopyObjectResult?.ETag ?? ''
}

/**
 * Copies a large object in concurrent parts, since one request would take longer than an HTTP function may run. If the
 * copy fails, its parts are deleted.
 * @returns the ETag of the copy.
 */
export async function copyInParts(
  clients: BucketClients,
  { bucket, from, to, etag }: CopyRequest,
  { size, partBytes, contentType }: { size: number; partBytes: number; contentType: string },
): Promise<string> {
  const { s3, CreateMultipartUploadCommand, UploadPartCopyCommand } = clients
  const { CompleteMultipartUploadCommand, AbortMultipartUploadCommand } = clients
  const createdUpload = await s3.send(
    new CreateMultipartUploadCommand({ Bucket: bucket, Key: to, ContentType: contentType }),
  )
  const target = { Bucket: bucket, Key: to, UploadId: createdUpload.UploadId }
  const partNumbers = Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => index + 1)
  const etagsByNumber = new Map<number, string | undefined>()
  const failures: unknown[] = []
  await forEachConcurrently(partNumbers, maxConcurrentParts, async (partNumber) => {
    if (failures.length > 0) return
    const start = (partNumber - 1) * partBytes
    const copyCommand = new UploadPartCopyCommand({
      ...target,
      PartNumber: partNumber,
      CopySource: `${bucket}/${from}`,
      CopySourceRange: `bytes=${start}-${Math.min(start + partBytes, size) - 1}`,
      ...defined({ CopySourceIfMatch: etag }),
    })
    try {
      etagsByNumber.set(partNumber, (await s3.send(copyCommand)).CopyPartResult?.ETag)
    } catch (error) {
      failures.push(error)
    }
  })
  try {
    // Fails only after all parts have finished, because a part that arrives after the abort would remain.
    if (failures.length > 0) throw failures[0]
    const Parts = partNumbers.map((number) => ({ PartNumber: number, ETag: etagsByNumber.get(number) }))
    const completedUpload = await s3.send(
      new CompleteMultipartUploadCommand({ ...target, MultipartUpload: { Parts } }),
    )
    return completedUpload.ETag ?? ''
  } catch (error) {
    await s3.send(new AbortMultipartUploadCommand(target))
    throw error
  }
}

import type { BucketClients } from './bucket-clients.ts'

export interface StoredPart {
  readonly number: number
  /** ETag in quotes, as in HTTP. */
  readonly etag: string
  /** Size in bytes. */
  readonly size: number
}

interface MultipartTarget {
  readonly key: string
  /** Id of the upload in the storage. */
  readonly uploadId: string
}

/** S3's limits (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html); the last part may be smaller. */
export const partLimits = {
  minBytes: 5 * 1024 ** 2,
  maxBytes: 5 * 1024 ** 3,
  maxParts: 10_000,
  maxObjectBytes: 5 * 1024 ** 4,
}

/** Multipart uploads whose parts clients send directly to the storage. */
export class MultipartStorage {
  readonly #open: () => Promise<BucketClients>
  readonly #bucket: string

  constructor(open: () => Promise<BucketClients>, bucket: string) {
    this.#open = open
    this.#bucket = bucket
  }

  /** Starts an upload. @returns its id in the storage. */
  async start(key: string, contentType: string): Promise<string> {
    const { s3, CreateMultipartUploadCommand } = await this.#open()
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket: this.#bucket, Key: key, ContentType: contentType }),
    )
    if (UploadId === undefined) throw new Error(`the storage returned no upload id for ${key}`)
    return UploadId
  }

  /** Signs the URL to which a client PUTs the raw bytes of a part. Each attempt can use a new URL. */
  async signPartUrl(target: MultipartTarget, number: number, expiresS: number): Promise<string> {
    const { signer, getSignedUrl, UploadPartCommand } = await this.#open()
    const command = new UploadPartCommand({ ...this.#toUploadParams(target), PartNumber: number })
    return getSignedUrl(signer, command, { expiresIn: expiresS })
  }

  /** Lists the uploaded parts in order; undefined if the upload no longer exists. */
  async list(target: MultipartTarget): Promise<StoredPart[] | undefined> {
    const { s3, ListPartsCommand } = await this.#open()
    const storedParts: StoredPart[] = []
    try {
      // The SDK's paginator never ends, because the storage returns a marker even with the last page.
      for (let partMarker: string | undefined; ; ) {
        const page = await s3.send(
          new ListPartsCommand({
            ...this.#toUploadParams(target),
            ...(partMarker && { PartNumberMarker: partMarker }),
          }),
        )
        for (const { PartNumber: number = 0, ETag: etag = '', Size: size = 0 } of page.Parts ?? [])
          storedParts.push({ number, etag, size })
        partMarker = page.NextPartNumberMarker
        if (!page.IsTruncated || !partMarker) return storedParts
      }
    } catch (error) {
      if (isNoSuchUpload(error)) return undefined
      throw error
    }
  }

  /**
   * Completes an upload.
   * @returns `over` if the upload no longer exists, `changed` if a part was sent again after it was listed.
   */
  async complete(
    target: MultipartTarget,
    parts: readonly StoredPart[],
  ): Promise<'done' | 'over' | 'changed'> {
    const { s3, CompleteMultipartUploadCommand } = await this.#open()
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }))
    try {
      await s3.send(
        new CompleteMultipartUploadCommand({
          ...this.#toUploadParams(target),
          MultipartUpload: { Parts },
        }),
      )
      return 'done'
    } catch (error) {
      if (isNoSuchUpload(error)) return 'over'
      if (error instanceof Error && error.name === 'InvalidPart') return 'changed'
      throw error
    }
  }

  /** Deletes the upload and its parts; a missing upload is not an error. */
  async abort(target: MultipartTarget): Promise<void> {
    const { s3, AbortMultipartUploadCommand } = await this.#open()
    await s3.send(new AbortMultipartUploadCommand(this.#toUploadParams(target))).catch((error: unknown) => {
      if (!isNoSuchUpload(error)) throw error
    })
  }

  #toUploadParams = ({ key, uploadId }: MultipartTarget) => ({
    Bucket: this.#bucket,
    Key: key,
    UploadId: uploadId,
  })
}

const isNoSuchUpload = (error: unknown) => error instanceof Error && error.name === 'NoSuchUpload'

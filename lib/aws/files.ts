import { createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { lazyAsync } from '../async/lazy-async.ts'
import type { Config } from '../config.ts'
import { releaseBuffer } from '../io/buffer-pool.ts'
import type { ByteRange } from '../io/byte-range.ts'
import type { FileExchange } from '../io/local-connections.ts'
import { writeSynchronously } from '../io/sync-writer.ts'
import type { StoredFile } from '../model/job.ts'
import { defined } from '../validation/defined.ts'
import { type BucketClients, openBucketClients } from './bucket-clients.ts'
import { createCdnLinks } from './cdn-links.ts'
import type { ServiceConnections } from './connections.ts'
import { copyInParts, copyObject } from './copy-object.ts'
import { toFileError } from './file-errors.ts'
import { MultipartStorage } from './multipart.ts'
import { readLocatedFiles } from './prefetched-files.ts'
import type { StoreTimeouts } from './timeouts.ts'

export interface ObjectInfo {
  /** Size in bytes. */
  readonly size: number
  readonly contentType: string
  /** ETag in quotes, as in HTTP. */
  readonly etag: string
  readonly storedAt: Date
}

/** Identifies a file in the bucket for reading. */
export interface FileReference {
  readonly key: string
  /** Filename for error messages. */
  readonly filename: string
  readonly etag?: string | undefined
}

interface DownloadLink {
  readonly key: string
  readonly contentType: string
  /** Value of `Content-Disposition`. */
  readonly disposition: string
  /** Value of `Repr-Digest`, if the digest is known. */
  readonly digest?: string | undefined
  readonly expiresS: number
  readonly method: 'GET' | 'HEAD'
}

interface DeclaredFile {
  readonly contentType: string
  /** Size in bytes. */
  readonly size: number
  /** SHA-256 of the file in hex. */
  readonly sha256?: string | undefined
}

/** Options for storing a stream. */
interface StoreStreamOptions {
  readonly path: string
  readonly contentType: string
  readonly signal: AbortSignal
  /** Expected size in bytes, if known; the stream may have more or fewer. */
  readonly size?: number | undefined
}

/** Maximum number of parts of a streamed upload in memory: with parts of 8 MiB, a form upload uses 16 MiB. */
const maxConcurrentParts = 2
const partBytes = 8 * 1024 * 1024
/** Objects above this size are copied in parts. */
const maxSingleCopyBytes = 512 * 1024 ** 2
const copyPartBytes = 64 * 1024 ** 2

/** Inputs and outputs in the bucket. Keys are generated and never contain client data. */
export class Files {
  /**
   * Loads the S3 client on first use. Functions that only access records never load it, which saves a fifth of their
   * code.
   */
  readonly #open: () => Promise<BucketClients>
  readonly #bucket: string
  readonly #exchange: FileExchange | undefined
  readonly #cdnLink: ReturnType<typeof createCdnLinks>
  /** Multipart uploads by clients. */
  readonly multipart: MultipartStorage

  constructor(
    config: Config,
    { s3: connection, files: exchange }: ServiceConnections = {},
    timeouts?: StoreTimeouts,
  ) {
    this.#exchange = exchange
    this.#open = lazyAsync(() => openBucketClients(config, connection, timeouts))
    this.#bucket = config.BUCKET_NAME
    this.#cdnLink = createCdnLinks(config)
    this.multipart = new MultipartStorage(this.#open, this.#bucket)
  }

  /** Stores a stream of unknown length. If that fails or the signal fires, nothing is left in the bucket. */
  async putStream(key: string, body: Readable, contentType: string, signal: AbortSignal): Promise<void> {
    const target = { Bucket: this.#bucket, Key: key, Body: body, ContentType: contentType }
    // Prevents a crash if the sender disconnects while the S3 client is loading; reading the stream throws the error.
    body.on('error', () => {})
    const { s3, uploadStream } = await this.#open()
    await uploadStream(s3, target, { partBytes, maxConcurrentParts, signal })
  }

  /** Stores a file. @param sha256 hash in hex, which is needed if the file leaves this machine */
  async putFile(key: string, path: string, contentType: string, sha256: Promise<string>): Promise<void> {
    if (this.#exchange) return this.#exchange.put(key, path, contentType)
    const { s3, PutObjectCommand, uploadStream } = await this.#open()
    const { size } = await stat(path)
    const file = await open(path)
    try {
      const target = { Bucket: this.#bucket, Key: key, ContentType: contentType }
      if (size <= partBytes) {
        const ChecksumSHA256 = toBase64Checksum(await sha256)
        await s3.send(new PutObjectCommand({ ...target, ChecksumSHA256, Body: await file.readFile() }))
        return
      }
      const body = file.createReadStream({ autoClose: false })
      await uploadStream(s3, { ...target, Body: body }, { partBytes, maxConcurrentParts })
    } finally {
      await file.close()
    }
  }

  /** Stores a stream. With a bucket on this machine, the stream is first written to `path` in the work folder. */
  async receive(
    key: string,
    body: AsyncIterable<Buffer>,
    { path, size, contentType, signal }: StoreStreamOptions,
  ): Promise<void> {
    if (!this.#exchange) return this.putStream(key, Readable.from(body), contentType, signal)
    await writeSynchronously(body, { path, size, onWritten: releaseBuffer })
    signal.throwIfAborted()
    await this.#exchange.put(key, path, contentType)
  }

  /** Streams a range of a file. @throws the same errors as `getFile`. */
  async stream(file: FileReference, range: ByteRange, signal: AbortSignal): Promise<Readable> {
    if (!this.#exchange) return this.#fetch(file, { Range: `bytes=${range.start}-${range.end - 1}`, signal })
    signal.throwIfAborted()
    try {
      return await readLocatedFiles(await this.#exchange.locate(file.key, file.etag), range)
    } catch (error) {
      throw toFileError(error, file.filename) ?? error
    }
  }

  async #fetch(
    { key, filename, etag }: FileReference,
    { Range, signal }: { readonly Range?: string; readonly signal?: AbortSignal } = {},
  ) {
    const { s3, GetObjectCommand } = await this.#open()
    const { Body } = await s3
      .send(
        new GetObjectCommand({
          Bucket: this.#bucket,
          Key: key,
          ...defined({ Range, IfMatch: etag }),
        }),
        { ...defined({ abortSignal: signal }) },
      )
      .catch((error: unknown) => {
        throw toFileError(error, filename) ?? error
      })
    if (!Body) throw new Error(`no body in the response for ${key}`)
    return Body as typeof Body & Readable // the type in Node, without the alternatives for browsers
  }

  async putBytes(key: string, body: Uint8Array, contentType: string): Promise<void> {
    const { s3, PutObjectCommand } = await this.#open()
    await s3.send(
      new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: body, ContentType: contentType }),
    )
  }

  /**
   * Fetches a file. If the reference has an `etag`, it has to match.
   * @throws AppError CONFLICT if the file was overwritten, FILE_GONE if it was deleted.
   */
  async getFile(file: FileReference, path: string, signal: AbortSignal): Promise<void> {
    if (!this.#exchange)
      return pipeline(await this.#fetch(file, { signal }), createWriteStream(path), { signal })
    await this.#exchange.get(file.key, path, file.etag).catch((error: unknown) => {
      throw toFileError(error, file.filename) ?? error
    })
  }

  /**
   * Copies a file within the bucket. If the reference has an `etag`, it has to match. @returns the ETag of the copy.
   */
  async copy(
    {
      key,
      filename,
      etag,
      size = 0,
      mimeType,
    }: FileReference & Partial<Pick<StoredFile, 'size' | 'mimeType'>>,
    to: string,
  ): Promise<string> {
    const clients = await this.#open()
    const request = { bucket: this.#bucket, from: key, to, etag }
    // A bucket on this machine creates a hard link, which is fast for any size.
    const isSlow = size > maxSingleCopyBytes && !this.#exchange
    const multipartOptions = {
      size,
      partBytes: copyPartBytes,
      contentType: mimeType ?? 'application/octet-stream',
    }
    try {
      return await (isSlow ? copyInParts(clients, request, multipartOptions) : copyObject(clients, request))
    } catch (error) {
      throw toFileError(error, filename) ?? error
    }
  }

  /** Reads bytes `start` to `end` (exclusive), fewer at the end of the object. */
  async read(key: string, start: number, end: number, etag?: string): Promise<Uint8Array> {
    if (end <= start) return new Uint8Array()
    const file = { key, filename: 'that was sent', ...defined({ etag }) }
    return (await this.#fetch(file, { Range: `bytes=${start}-${end - 1}` })).transformToByteArray()
  }

  /** Returns size and type of an object; undefined if it does not exist. */
  async head(key: string): Promise<ObjectInfo | undefined> {
    const { s3, HeadObjectCommand, NotFound } = await this.#open()
    try {
      const objectHead = await s3.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }))
      return {
        size: objectHead.ContentLength ?? 0,
        contentType: objectHead.ContentType ?? 'application/octet-stream',
        etag: objectHead.ETag ?? '',
        storedAt: objectHead.LastModified ?? new Date(),
      }
    } catch (error) {
      if (error instanceof NotFound) return undefined
      throw error
    }
  }

  /** Deletes objects; a missing object is not an error. */
  async delete(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return
    const { s3, DeleteObjectsCommand } = await this.#open()
    for (let at = 0; at < keys.length; at += 1000) {
      const batch = keys.slice(at, at + 1000).map((Key) => ({ Key }))
      const { Errors } = await s3.send(
        new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects: batch, Quiet: true } }),
      )
      if (Errors?.length) throw new Error(`could not delete ${Errors.length} objects: ${Errors[0]?.Code}`)
    }
  }

  /** Deletes the objects with these keys, and all objects whose keys have the prefix. */
  async deleteAll(keys: readonly string[], prefix: string): Promise<void> {
    const { s3, paginateListObjectsV2 } = await this.#open()
    const foundKeys: string[] = []
    for await (const { Contents = [] } of paginateListObjectsV2(
      { client: s3 },
      { Bucket: this.#bucket, Prefix: prefix },
    ))
      foundKeys.push(...Contents.map(({ Key = '' }) => Key))
    await this.delete([...new Set([...keys, ...foundKeys])])
  }

  /** Checks access to the bucket. @throws if it is not available. */
  async check(): Promise<void> {
    const { s3, HeadBucketCommand } = await this.#open()
    await s3.send(new HeadBucketCommand({ Bucket: this.#bucket }))
  }

  async downloadUrl(link: DownloadLink): Promise<string> {
    if (this.#cdnLink) {
      const { key, expiresS, contentType, disposition } = link
      const parameters = {
        'response-content-type': contentType,
        'response-content-disposition': disposition,
      }
      return this.#cdnLink({ key, expiresS, parameters })
    }
    const { signer, getSignedUrl, GetObjectCommand, HeadObjectCommand } = await this.#open()
    const target = {
      Bucket: this.#bucket,
      Key: link.key,
      ResponseContentType: link.contentType,
      ResponseContentDisposition: link.disposition,
    }
    const command = link.method === 'GET' ? new GetObjectCommand(target) : new HeadObjectCommand(target)
    if (link.digest) addDigestParameter(command, link.digest)
    return getSignedUrl(signer, command, { expiresIn: link.expiresS })
  }

  /** The signature covers type, length and, if known, hash, so that only this file can be sent. */
  async presignUpload(
    method: 'PUT' | 'POST',
    key: string,
    file: DeclaredFile,
    expiresS: number,
  ): Promise<{ url: string; headers?: Record<string, string>; fields?: Record<string, string> }> {
    if (method === 'POST') {
      const size = { min: file.size, max: file.size }
      return this.#presignPost(key, { ...file, size }, expiresS)
    }
    const { signer, getSignedUrl, PutObjectCommand } = await this.#open()
    const checksum = toBase64Checksum(file.sha256)
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      ContentType: file.contentType,
      ContentLength: file.size,
      ...defined({ ChecksumSHA256: checksum }),
    })
    const url = await getSignedUrl(signer, command, {
      expiresIn: expiresS,
      signableHeaders: new Set(['host', 'content-type', 'content-length', 'x-amz-checksum-sha256']),
      // The checksum is sent as a header, so that the storage verifies the body.
      unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
    })
    return {
      url,
      headers: { 'Content-Type': file.contentType, ...defined({ 'x-amz-checksum-sha256': checksum }) },
    }
  }

  /**
   * Presigns a PUT of any content or, if `sha256` is set, of the content with this hash. The size is checked after the
   * upload.
   */
  async presignUnsizedPut(
    key: string,
    { sha256 }: { sha256?: string | undefined },
    expiresS: number,
  ): Promise<{ url: string; headers: Record<string, string> }> {
    const { signer, getSignedUrl, PutObjectCommand } = await this.#open()
    const checksum = toBase64Checksum(sha256)
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: key,
      ...defined({ ChecksumSHA256: checksum }),
    })
    const url = await getSignedUrl(signer, command, {
      expiresIn: expiresS,
      signableHeaders: new Set(['host', 'x-amz-checksum-sha256']),
      unhoistableHeaders: new Set(['x-amz-checksum-sha256']),
    })
    return { url, headers: { ...defined({ 'x-amz-checksum-sha256': checksum }) } }
  }

  /** Presigns a form upload of any file up to this size; S3 then redirects to `redirect` or responds with 201. */
  presignForm(
    key: string,
    {
      maxSize,
      sha256,
      redirect,
    }: { maxSize: number; sha256?: string | undefined; redirect?: string | undefined },
    expiresS: number,
  ) {
    const successFields: Record<string, string> = redirect
      ? { success_action_redirect: redirect }
      : { success_action_status: '201' }
    return this.#presignPost(key, { sha256, size: { min: 1, max: maxSize }, successFields }, expiresS)
  }

  async #presignPost(
    key: string,
    file: {
      readonly contentType?: string
      readonly sha256?: string | undefined
      readonly size: { readonly min: number; readonly max: number }
      readonly successFields?: Readonly<Record<string, string>>
    },
    expiresS: number,
  ) {
    const { signer, createPresignedPost } = await this.#open()
    const checksum = toBase64Checksum(file.sha256)
    return createPresignedPost(signer, {
      Bucket: this.#bucket,
      Key: key,
      Expires: expiresS,
      Fields: {
        ...(file.contentType && { 'Content-Type': file.contentType }),
        ...defined({ 'x-amz-checksum-sha256': checksum }),
        ...file.successFields,
      },
      Conditions: [['content-length-range', file.size.min, file.size.max]],
    })
  }
}

/**
 * Adds the digest as a signed query parameter. The embedded server returns it as a header; "Amazon S3 ignores
 * query-string parameters that begin with x-".
 */
function addDigestParameter({ middlewareStack }: GetObjectCommand | HeadObjectCommand, digest: string): void {
  // Both commands are HTTP requests at this step.
  const stack = middlewareStack as GetObjectCommand['middlewareStack']
  stack.add(
    (next) => (args) => {
      // The SDK's type of the request is unknown.
      const { query } = args.request as { query: Record<string, string> }
      query['x-repr-digest'] = digest
      return next(args)
    },
    { step: 'build', name: 'carryDigest' },
  )
}

const toBase64Checksum = (sha256: string | undefined) =>
  sha256 && Buffer.from(sha256, 'hex').toString('base64')

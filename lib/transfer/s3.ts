import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type ObjectCannedACL,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
  type ServerSideEncryption,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { AppError } from '../errors.ts'
import { RemoteError } from './remote-error.ts'
import type { Fields, Find, OpenStore, RemoteFile, Surroundings } from './transfer.ts'

/** A bucket as a task names it; see lib/tasks/s3-fields.ts. */
interface Bucket {
  readonly bucket: string
  readonly region: string
  readonly endpoint?: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string
  readonly path_style?: boolean
}

/** Files of one import, most of which a prefix names. */
const mostFiles = 1000
const partBytes = 8 * 1024 ** 2
const partsAtATime = 4

function clientOf(fields: Fields, { outgoing }: Surroundings): { client: S3Client; bucket: string } {
  const given = fields as unknown as Bucket // parsed when the task was made
  const { http, https } = outgoing.agents
  const client = new S3Client({
    region: given.region,
    ...(given.endpoint && { endpoint: given.endpoint }),
    forcePathStyle: given.path_style ?? given.endpoint !== undefined,
    credentials: {
      accessKeyId: given.access_key_id,
      secretAccessKey: given.secret_access_key,
      ...(given.session_token && { sessionToken: given.session_token }),
    },
    requestHandler: { httpAgent: http, httpsAgent: https, connectionTimeout: 10_000, requestTimeout: 60_000 },
    // Other makers' servers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { client, bucket: given.bucket }
}

export const findInS3: Find = async (fields, surroundings) => {
  const { client, bucket } = clientOf(fields, surroundings)
  const { key, key_prefix: prefix } = fields as { key?: string; key_prefix?: string }
  const keys = key === undefined ? await keysBelow(client, bucket, prefix ?? '', surroundings) : [key]
  return Promise.all(keys.map((one) => fileOf(client, bucket, one, surroundings)))
}

async function keysBelow(client: S3Client, bucket: string, prefix: string, { signal }: Surroundings) {
  const keys: string[] = []
  await translated(bucket, async () => {
    const pages = paginateListObjectsV2(
      { client },
      { Bucket: bucket, Prefix: prefix },
      { abortSignal: signal },
    )
    for await (const { Contents = [] } of pages) {
      // A folder of the console is an empty object whose key ends in a slash.
      keys.push(...Contents.flatMap(({ Key = '' }) => (Key.endsWith('/') ? [] : [Key])))
      if (keys.length > mostFiles) throw tooMany()
    }
  })
  if (keys.length > 0) return keys
  throw new RemoteError('not-found', `There is no file below ${prefix} in the bucket ${bucket}.`)
}

const tooMany = () =>
  new AppError(
    'INVALID_INPUT',
    `key_prefix: expected at most ${mostFiles} files below it. Name a longer prefix.`,
    {
      field: 'key_prefix',
      max: mostFiles,
    },
  )

async function fileOf(
  client: S3Client,
  bucket: string,
  key: string,
  { signal }: Surroundings,
): Promise<RemoteFile> {
  const target = { Bucket: bucket, Key: key }
  const { ContentLength, ETag } = await translated(`${bucket}/${key}`, () =>
    client.send(new HeadObjectCommand(target), { abortSignal: signal }),
  )
  return {
    filename: key.split('/').at(-1) ?? key,
    size: ContentLength,
    isResumable: ETag !== undefined,
    open: async (start, abortSignal) => {
      const rest = { ...(start > 0 && { Range: `bytes=${start}-` }), ...(ETag && { IfMatch: ETag }) }
      const { Body } = await translated(`${bucket}/${key}`, () =>
        client.send(new GetObjectCommand({ ...target, ...rest }), { abortSignal }),
      )
      return Body as Readable // on Node; its type also covers browsers
    },
  }
}

export const openS3: OpenStore = async (fields, surroundings) => {
  const { client, bucket } = clientOf(fields, surroundings)
  const { acl, cache_control, content_disposition, metadata, server_side_encryption, tagging } = fields as {
    acl?: ObjectCannedACL
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
    server_side_encryption?: ServerSideEncryption
    tagging?: Record<string, string>
  }
  return {
    async put({ path, mimeType, size, open }, sent) {
      const upload = new Upload({
        client,
        queueSize: partsAtATime,
        // S3 takes 10,000 parts.
        partSize: Math.max(partBytes, Math.ceil(size / 10_000)),
        params: {
          ...{ Bucket: bucket, Key: path, ContentType: mimeType, Body: await open() },
          ...(acl && { ACL: acl }),
          ...(cache_control && { CacheControl: cache_control }),
          ...(content_disposition && { ContentDisposition: content_disposition }),
          ...(metadata && { Metadata: metadata }),
          ...(server_side_encryption && { ServerSideEncryption: server_side_encryption }),
          ...(tagging && { Tagging: new URLSearchParams(tagging).toString() }),
        },
      })
      let told = 0
      upload.on('httpUploadProgress', ({ loaded = 0 }) => {
        sent(Math.max(0, loaded - told))
        told = Math.max(told, loaded)
      })
      const abort = () => void upload.abort().catch(() => {})
      surroundings.signal.addEventListener('abort', abort, { once: true })
      try {
        await translated(`${bucket}/${path}`, () => upload.done())
      } catch (error) {
        // The SDK leaves the parts of an upload that was cut off, and somebody pays for them.
        const { uploadId: UploadId } = upload
        const aborted = new AbortMultipartUploadCommand({ Bucket: bucket, Key: path, UploadId })
        if (UploadId) await client.send(aborted).catch(() => {})
        throw error
      } finally {
        surroundings.signal.removeEventListener('abort', abort)
      }
      return `s3://${bucket}/${path}`
    },
    close: async () => client.destroy(),
  }
}

const forbidden: readonly string[] = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'AuthorizationHeaderMalformed',
]

/** What the other side says in words of ours. */
async function translated<T>(place: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw translation(place, error)
  }
}

function translation(place: string, error: unknown): unknown {
  if (error instanceof AppError || error instanceof RemoteError) return error
  if (!(error instanceof S3ServiceException))
    return new RemoteError('unreachable', `The storage of ${place} could not be reached.`, { cause: error })
  const { name } = error
  const status = error.$metadata.httpStatusCode ?? 0
  const details = { status, cause: error }
  if (forbidden.includes(name) || status === 401 || status === 403)
    return new RemoteError('forbidden', `The storage refuses access to ${place} (${name}).`, details)
  if (status === 404) return new RemoteError('not-found', `The storage has no ${place} (${name}).`, details)
  if (status === 412)
    return new RemoteError('incomplete', `The file ${place} changed while it was fetched.`, {
      ...details,
      changed: true,
    })
  return new RemoteError('status', `The storage of ${place} answered ${name} (status ${status}).`, {
    ...details,
    isPassing: status >= 500 || status === 429,
  })
}

import type { Readable } from 'node:stream'
import {
  GetObjectCommand,
  HeadObjectCommand,
  type ObjectCannedACL,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
  type ServerSideEncryption,
} from '@aws-sdk/client-s3'
import { filesBelow, lastPart } from './list-prefix.ts'
import { translating } from './map-store-errors.ts'
import { dropUpload, sendToS3 } from './s3-upload.ts'
import type { Fields, Find, OpenStore, RemoteFile, Surroundings } from './transfer.ts'

/** A bucket as a task names it; see lib/tasks/s3.ts. */
interface Bucket {
  readonly bucket: string
  readonly region: string
  readonly endpoint?: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string
  readonly path_style?: boolean
}

const say = () => {}
const silent = { trace: say, debug: say, info: say, warn: say, error: say }

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
    // It would tell the console of each stream that has to be sent again.
    logger: silent,
    requestHandler: { httpAgent: http, httpsAgent: https, connectionTimeout: 10_000, requestTimeout: 60_000 },
    // Other makers' servers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { client, bucket: given.bucket }
}

export const findInS3: Find = async (fields, surroundings) => {
  const { client, bucket } = clientOf(fields, surroundings)
  const { key, key_prefix: prefix = '' } = fields as { key?: string; key_prefix?: string }
  const asked = { field: 'key_prefix', prefix, place: `bucket ${bucket}` }
  const files =
    key === undefined
      ? await translated(bucket, () => filesBelow(filesIn(client, bucket, prefix, surroundings), asked))
      : [await fileAt(client, bucket, key, surroundings)]
  return files.map((file) => remoteFile(client, bucket, file))
}

/** As a list or a look at it tells. */
interface Found {
  /** Its key. */
  readonly name: string
  readonly size: number | undefined
  readonly tag: string | undefined
}

async function* filesIn(
  client: S3Client,
  bucket: string,
  prefix: string,
  { signal }: Surroundings,
): AsyncGenerator<Found> {
  const asked = { Bucket: bucket, Prefix: prefix }
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, asked, { abortSignal: signal }))
    for (const { Key: name = '', Size: size, ETag: tag } of Contents) yield { name, size, tag }
}

async function fileAt(
  client: S3Client,
  bucket: string,
  key: string,
  { signal }: Surroundings,
): Promise<Found> {
  const { ContentLength, ETag } = await translated(`${bucket}/${key}`, () =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal }),
  )
  return { name: key, size: ContentLength, tag: ETag }
}

const remoteFile = (client: S3Client, bucket: string, { name, size, tag }: Found): RemoteFile => ({
  filename: lastPart(name),
  size,
  isResumable: tag !== undefined,
  open: async (start, abortSignal) => {
    const rest = { ...(start > 0 && { Range: `bytes=${start}-` }), ...(tag && { IfMatch: tag }) }
    const { Body } = await translated(`${bucket}/${name}`, () =>
      client.send(new GetObjectCommand({ Bucket: bucket, Key: name, ...rest }), { abortSignal }),
    )
    return Body as Readable // on Node; its type also covers browsers
  },
})

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
    async put(file, sent) {
      const { path, mimeType } = file
      const target = {
        ...{ Bucket: bucket, Key: path, ContentType: mimeType },
        ...(acl && { ACL: acl }),
        ...(cache_control && { CacheControl: cache_control }),
        ...(content_disposition && { ContentDisposition: content_disposition }),
        ...(metadata && { Metadata: metadata }),
        ...(server_side_encryption && { ServerSideEncryption: server_side_encryption }),
        ...(tagging && { Tagging: new URLSearchParams(tagging).toString() }),
      }
      await translated(`${bucket}/${path}`, () => sendToS3(client, target, file, { ...surroundings, sent }))
      return `s3://${bucket}/${path}`
    },
    forget: (trace) => dropUpload(client, bucket, trace),
    // The client's own `destroy` would end the connections of all others that share the agents.
    close: async () => {},
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

const translated = translating((error) => {
  if (!(error instanceof S3ServiceException)) return undefined
  const { name: code, $metadata } = error
  // Some of the refusals come with status 400.
  return { code, status: forbidden.includes(code) ? 403 : ($metadata.httpStatusCode ?? 0) }
})

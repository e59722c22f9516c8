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
import { defined } from '../validation/defined.ts'
import { getBaseName, listPrefix } from './list-prefix.ts'
import { createErrorMapper } from './map-store-errors.ts'
import { abortUploadByTrace, uploadToS3 } from './s3-upload.ts'
import type { FindFiles, OpenStore, RemoteFile, TaskFields, TransferDeps } from './transfer.ts'

/** A bucket in the fields of a task; see lib/tasks/s3.ts. */
interface Bucket {
  readonly bucket: string
  readonly region: string
  readonly endpoint?: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly session_token?: string
  readonly path_style?: boolean
}

const doNothing = () => {}
const silentLogger = {
  trace: doNothing,
  debug: doNothing,
  info: doNothing,
  warn: doNothing,
  error: doNothing,
}

function createClient(
  fields: TaskFields,
  { guardedHttp }: TransferDeps,
): { client: S3Client; bucket: string } {
  const settings = fields as unknown as Bucket // parsed when the task was created
  const { http, https } = guardedHttp.agents
  const client = new S3Client({
    region: settings.region,
    ...(settings.endpoint && { endpoint: settings.endpoint }),
    forcePathStyle: settings.path_style ?? settings.endpoint !== undefined,
    credentials: {
      accessKeyId: settings.access_key_id,
      secretAccessKey: settings.secret_access_key,
      ...(settings.session_token && { sessionToken: settings.session_token }),
    },
    // The SDK's default logger would write to the console for each stream that cannot be retried.
    logger: silentLogger,
    requestHandler: { httpAgent: http, httpsAgent: https, connectionTimeout: 10_000, requestTimeout: 60_000 },
    // Other S3-compatible servers do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  return { client, bucket: settings.bucket }
}

export const findInS3: FindFiles = async (fields, deps) => {
  const { client, bucket } = createClient(fields, deps)
  // The fields were parsed when the task was created.
  const { key, key_prefix: prefix = '' } = fields as { key?: string; key_prefix?: string }
  const query = { field: 'key_prefix', prefix, location: `bucket ${bucket}` }
  const files =
    key === undefined
      ? await mapErrors(bucket, () => listPrefix(listObjects(client, bucket, prefix, deps), query))
      : [await readObject(client, bucket, key, deps)]
  return files.map((file) => toRemoteFile(client, bucket, file))
}

/** An object from a list, or from HeadObject. */
interface FoundObject {
  /** Key of the object. */
  readonly name: string
  readonly size: number | undefined
  readonly tag: string | undefined
}

async function* listObjects(
  client: S3Client,
  bucket: string,
  prefix: string,
  { signal }: TransferDeps,
): AsyncGenerator<FoundObject> {
  const query = { Bucket: bucket, Prefix: prefix }
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, query, { abortSignal: signal }))
    for (const { Key: name = '', Size: size, ETag: tag } of Contents) yield { name, size, tag }
}

async function readObject(
  client: S3Client,
  bucket: string,
  key: string,
  { signal }: TransferDeps,
): Promise<FoundObject> {
  const { ContentLength, ETag } = await mapErrors(`${bucket}/${key}`, () =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal }),
  )
  return { name: key, size: ContentLength, tag: ETag }
}

const toRemoteFile = (client: S3Client, bucket: string, { name, size, tag }: FoundObject): RemoteFile => ({
  filename: getBaseName(name),
  size,
  isResumable: tag !== undefined,
  open: async (start, abortSignal) => {
    const conditions = { ...(start > 0 && { Range: `bytes=${start}-` }), ...defined({ IfMatch: tag }) }
    const { Body } = await mapErrors(`${bucket}/${name}`, () =>
      client.send(new GetObjectCommand({ Bucket: bucket, Key: name, ...conditions }), { abortSignal }),
    )
    return Body as Readable // a Node stream, because this code never runs in a browser
  },
})

export const openS3: OpenStore = async (fields, deps) => {
  const { client, bucket } = createClient(fields, deps)
  // The fields were parsed when the task was created.
  const { acl, cache_control, content_disposition, metadata, server_side_encryption, tagging } = fields as {
    acl?: ObjectCannedACL
    cache_control?: string
    content_disposition?: string
    metadata?: Record<string, string>
    server_side_encryption?: ServerSideEncryption
    tagging?: Record<string, string>
  }
  return {
    async put(file, onSent) {
      const { path, mimeType } = file
      const target = {
        Bucket: bucket,
        Key: path,
        ContentType: mimeType,
        ...defined({ ACL: acl }),
        ...(cache_control && { CacheControl: cache_control }),
        ...(content_disposition && { ContentDisposition: content_disposition }),
        ...defined({
          Metadata: metadata,
          ServerSideEncryption: server_side_encryption,
          Tagging: tagging && new URLSearchParams(tagging).toString(),
        }),
      }
      await mapErrors(`${bucket}/${path}`, () => uploadToS3(client, target, file, { ...deps, onSent }))
      return `s3://${bucket}/${path}`
    },
    cleanUp: (trace) => abortUploadByTrace(client, bucket, trace),
    // Does nothing: the client's `destroy` would close the connections of all clients that share the agents.
    close: async () => {},
  }
}

const accessErrorNames: readonly string[] = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'AuthorizationHeaderMalformed',
]

const mapErrors = createErrorMapper((error) => {
  if (!(error instanceof S3ServiceException)) return undefined
  const { name: code, $metadata } = error
  // Some errors about missing access have status 400, so they are mapped to 403.
  return { code, status: accessErrorNames.includes(code) ? 403 : ($metadata.httpStatusCode ?? 0) }
})

import type { Config } from '../config.ts'
import { createClientConfig } from './client-config.ts'
import type { ClientConnection } from './connections.ts'
import { limitCallTime, type StoreTimeouts } from './timeouts.ts'

/** What takes no longer for a large file than for a small one. */
const timedCommands = [
  ...['HeadObjectCommand', 'GetObjectCommand', 'ListObjectsV2Command', 'DeleteObjectsCommand'],
  'HeadBucketCommand',
]
/** Of each call for whoever has little patience. */
const maxTimedAttempts = 2

export type BucketClients = Awaited<ReturnType<typeof openBucketClients>>

/** Loaded when the first file is wanted, with the commands that are sent by them. */
export async function openBucketClients(
  config: Config,
  connection?: ClientConnection,
  timeouts?: StoreTimeouts,
) {
  const sdk = await import('./s3.ts')
  // With a name for a host the SDK would put the bucket into the host name, which only AWS can resolve.
  const forcePathStyle = config.AWS_ENDPOINT_URL_S3 !== undefined
  const s3 = new sdk.S3Client({
    ...createClientConfig(config),
    forcePathStyle,
    // The connection guards the bytes already, and the SDK's look at them takes as long as all else about a GET.
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(timeouts && { maxAttempts: maxTimedAttempts }),
    ...connection,
  })
  if (timeouts) limitCallTime(s3, timeouts, timedCommands)
  const signer = new sdk.S3Client({
    ...createClientConfig(config),
    forcePathStyle,
    // Otherwise a presigned PUT would carry the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(config.S3_PUBLIC_ENDPOINT && { endpoint: config.S3_PUBLIC_ENDPOINT }),
  })
  return { ...sdk, s3, signer }
}

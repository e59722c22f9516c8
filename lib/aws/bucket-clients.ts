import type { Config } from '../config.ts'
import type { ClientConnection } from '../io/local-connections.ts'
import { defined } from '../validation/defined.ts'
import { createClientConfig } from './client-config.ts'
import { limitCallTime, type StoreTimeouts } from './timeouts.ts'

/** Commands whose duration does not depend on the file size. */
const timedCommands = [
  ...['HeadObjectCommand', 'GetObjectCommand', 'ListObjectsV2Command', 'DeleteObjectsCommand'],
  'HeadBucketCommand',
]
/** Maximum number of attempts per call if timeouts are set. */
const maxTimedAttempts = 2

export type BucketClients = Awaited<ReturnType<typeof openBucketClients>>

/** Creates the S3 clients and loads their commands; called on first use. */
export async function openBucketClients(
  config: Config,
  connection?: ClientConnection,
  timeouts?: StoreTimeouts,
) {
  const sdk = await import('./s3.ts')
  // For a named endpoint, the SDK would put the bucket into the host name, which only AWS can resolve.
  const forcePathStyle = config.AWS_ENDPOINT_URL_S3 !== undefined
  const s3 = new sdk.S3Client({
    ...createClientConfig(config),
    forcePathStyle,
    // TLS already protects the bytes, and checking them in the SDK takes as long as everything else in a GET.
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...defined({ maxAttempts: timeouts && maxTimedAttempts }),
    ...connection,
  })
  if (timeouts) limitCallTime(s3, timeouts, timedCommands)
  const signer = new sdk.S3Client({
    ...createClientConfig(config),
    forcePathStyle,
    // Without this setting, a presigned PUT would carry the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(config.S3_PUBLIC_ENDPOINT && { endpoint: config.S3_PUBLIC_ENDPOINT }),
  })
  return { ...sdk, s3, signer }
}

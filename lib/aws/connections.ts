import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** How a client gets its requests to a server that is nearer than an endpoint: settings that take the place of its own. */
export type Connection = Pick<S3ClientConfig, 'requestHandler' | 'signer' | 'requestChecksumCalculation'>

/** For the services that have one; the clients of all others connect to their endpoints. */
export interface Connections {
  readonly s3?: Connection | undefined
  readonly sqs?: Connection | undefined
  readonly eventBridge?: Connection | undefined
}

import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { SocketExchange } from './sockets.ts'

/** How a client gets its requests to a server that is nearer than an endpoint: settings that take the place of its own. */
export type ClientConnection = Pick<
  S3ClientConfig,
  'requestHandler' | 'signer' | 'requestChecksumCalculation' | 'credentials'
>

/** Where the bucket lies on this machine: files change hands, and no byte of them passes through a connection. */
export interface FileExchange {
  /** Makes the file an object, which it stays from then on: nobody may write it any more. */
  put(key: string, path: string, contentType: string): Promise<void>
  /** Copies an object into a new file. @throws errors of the names that the SDK gives them. */
  get(key: string, path: string, etag?: string): Promise<void>
  /** Where the bytes of an object lie, end to end, to be opened at once and read. @throws as `get` does. */
  locate(key: string, etag?: string): Promise<readonly LocatedFile[]>
}

export interface LocatedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

/** For the services that have one; the clients of all others connect to their endpoints. */
export interface Connections {
  readonly s3?: ClientConnection | undefined
  readonly sqs?: ClientConnection | undefined
  readonly eventBridge?: ClientConnection | undefined
  readonly files?: FileExchange | undefined
  readonly sockets?: SocketExchange | undefined
}

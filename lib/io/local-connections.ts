import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** Client settings for reaching a server on this machine without its endpoint. */
export type ClientConnection = Pick<
  S3ClientConfig,
  'requestHandler' | 'signer' | 'requestChecksumCalculation' | 'credentials'
>

/** Direct access to a bucket on this machine: files are moved or shared instead of sent over a connection. */
export interface FileExchange {
  /** Turns the file into an object; it must not be written any more. */
  put(key: string, path: string, contentType: string): Promise<void>
  /** Copies an object to a new file. @throws errors with the same names as the SDK's. */
  get(key: string, path: string, etag?: string): Promise<void>
  /** Returns the files that contain an object's bytes, in order; open them at once. @throws as `get` does. */
  locate(key: string, etag?: string): Promise<readonly LocatedFile[]>
}

export interface LocatedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
}

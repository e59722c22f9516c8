import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** Client settings for calling a server in this process without its endpoint. */
export type ClientConnection = Pick<
  S3ClientConfig,
  'requestHandler' | 'signer' | 'requestChecksumCalculation' | 'credentials'
>

/** Direct access to a bucket on this machine: files are moved or linked instead of being sent over a connection. */
export interface FileExchange {
  /** Turns a file into an object; the file must not be written any more. */
  put(key: string, path: string, contentType: string): Promise<void>
  /** Copies an object to a new file. @throws errors with the same names as the SDK's. */
  get(key: string, path: string, etag?: string): Promise<void>
  /**
   * Returns the files that contain the bytes of an object, in order; open them immediately.
   * @throws the same errors as `get`.
   */
  locate(key: string, etag?: string): Promise<readonly LocatedFile[]>
}

export interface LocatedFile {
  readonly path: string
  /** Size in bytes. */
  readonly size: number
}

import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { Config } from '../config.ts'
import { createClientConfig } from './client-config.ts'
import { maxSinglePutBytes, type PresignedForm } from './task-files.ts'

/** Presigns the requests that a worker may make for a task, with the permissions of this process's role. */
export class TaskUrlSigner {
  readonly #s3: S3Client
  readonly #bucket: string

  constructor(config: Pick<Config, 'AWS_REGION' | 'roleKey' | 'AWS_ENDPOINT_URL_S3' | 'BUCKET_NAME'>) {
    const forcePathStyle = config.AWS_ENDPOINT_URL_S3 !== undefined
    this.#s3 = new S3Client({ ...createClientConfig(config), forcePathStyle })
    this.#bucket = config.BUCKET_NAME
  }

  signInput(key: string, expiresS: number): Promise<string> {
    return getSignedUrl(this.#s3, new GetObjectCommand({ Bucket: this.#bucket, Key: key }), {
      expiresIn: expiresS,
    })
  }

  /** Signs a form with which any number of files can be uploaded below a prefix, each with its own type and hash. */
  async signOutput(prefix: string, expiresS: number): Promise<PresignedForm> {
    const { url, fields } = await createPresignedPost(this.#s3, {
      Bucket: this.#bucket,
      // This suffix tells the SDK to treat the key as a prefix.
      Key: `${prefix}\${filename}`,
      Expires: expiresS,
      Conditions: [
        ['content-length-range', 0, maxSinglePutBytes],
        ['starts-with', '$Content-Type', ''],
        ['starts-with', '$x-amz-checksum-sha256', ''],
      ],
    })
    return { url, prefix, fields }
  }
}

import { randomBytes } from 'node:crypto'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Bucket, createS3Client } from './start-s3.ts'

export const Key = 'whole'

export const MIB = 1 << 20

export const firstPart = randomBytes(5 * MIB)

export const lastPart = Buffer.from('end')

/** Creates a client that sends no checksums, like older tools. */
export const createClientWithoutChecksums = (endpoint: string) =>
  createS3Client(endpoint, { requestChecksumCalculation: 'WHEN_REQUIRED' })

export async function createUpload(client: S3Client, options: object = {}): Promise<string> {
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key, ...options }))
  return UploadId
}

export async function put(
  client: S3Client,
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  options: object = {},
) {
  const { $metadata: _, ...part } = await client.send(
    new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ...options }),
  )
  return { ...part, PartNumber }
}

export function complete(client: S3Client, UploadId: string, Parts: object[], options: object = {}) {
  return client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts }, ...options }),
  )
}

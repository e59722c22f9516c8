import { once } from 'node:events'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { credentials, region } from './server-process.ts'

const Bucket = 'bench'
const PART_MIB = 16
const CONCURRENT_PARTS = 4
const mebibyte = Buffer.alloc(1 << 20, 'mutabor ')

export interface Transfer {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Measures an upload, a download and a multipart upload with presigned URLs, to exclude the SDK's hashing. */
export async function measureS3Transfers(endpoint: string, mib: number): Promise<readonly Transfer[]> {
  const client = new S3Client({
    endpoint,
    region,
    credentials,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  await client.send(new CreateBucketCommand({ Bucket }))
  const wholeObject = { Bucket, Key: 'whole' }
  const multipartObject = { Bucket, Key: 'in parts' }

  async function uploadParts(): Promise<void> {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(multipartObject))
    const Parts: { PartNumber: number; ETag: string }[] = []
    let nextPart = 1
    const uploader = async () => {
      for (let PartNumber = nextPart++; PartNumber <= mib / PART_MIB; PartNumber = nextPart++) {
        const url = await getSignedUrl(
          client,
          new UploadPartCommand({ ...multipartObject, UploadId, PartNumber }),
        )
        Parts.push({ PartNumber, ETag: await send(url, PART_MIB) })
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT_PARTS }, uploader))
    Parts.sort((a, b) => a.PartNumber - b.PartNumber)
    await client.send(
      new CompleteMultipartUploadCommand({ ...multipartObject, UploadId, MultipartUpload: { Parts } }),
    )
  }

  return [
    {
      name: 'PUT',
      run: async () => void (await send(await getSignedUrl(client, new PutObjectCommand(wholeObject)), mib)),
    },
    {
      name: 'GET',
      run: async () => receive(await getSignedUrl(client, new GetObjectCommand(wholeObject)), mib),
    },
    { name: `multipart, ${CONCURRENT_PARTS} at a time`, run: uploadParts },
  ]
}

/** Uploads and returns the ETag. */
async function send(url: string, mib: number): Promise<string> {
  const call = request(url, { method: 'PUT', headers: { 'content-length': mib << 20 } })
  const responseEvent = once(call, 'response')
  await pipeline(Readable.from(Array.from({ length: mib }, () => mebibyte)), call)
  const [response] = await responseEvent
  response.resume()
  if (response.statusCode !== 200)
    throw new Error(`Expected the upload to return 200, got ${response.statusCode}.`)
  return String(response.headers.etag)
}

async function receive(url: string, mib: number): Promise<void> {
  const call = request(url).end()
  const [response] = await once(call, 'response')
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  if (bytes !== mib * 2 ** 20) throw new Error(`Expected ${mib * 2 ** 20} bytes, got ${bytes}.`)
}

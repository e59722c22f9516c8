// An S3 server in a separate process that adopts files: node file-exchange-process.ts <folder>. It gets requests like
// those of a worker, and messages that request the digests of its objects.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3'
import { createInProcessConnection } from '../../../lib/embedded-aws/in-process-transport.ts'
import { openS3Server } from '../../../lib/embedded-aws/s3/server.ts'
import { type FileRequest, handleFileRequest } from '../../../lib/local/runtime/worker-file-broker.ts'
import { region, s3Credentials } from './credentials.ts'

const Bucket = 'box'
const [folder = ''] = process.argv.slice(2)
const s3 = await openS3Server({ dir: join(folder, 's3'), credentials: [s3Credentials], region })
const client = new S3Client({
  region,
  credentials: s3Credentials,
  endpoint: 'http://localhost:1',
  forcePathStyle: true,
  ...createInProcessConnection(s3.handle),
})
await client.send(new CreateBucketCommand({ Bucket })).catch(() => undefined)
const exchange = s3.exchange({ bucket: Bucket, folder: join(folder, 'work') })

async function readDigests(): Promise<Record<string, string>> {
  const foundFiles: Record<string, string> = {}
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket }))
    for (const { Key = '' } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      foundFiles[Key] = createHash('sha256')
        .update((await Body?.transformToByteArray()) ?? '')
        .digest('hex')
    }
  return foundFiles
}

process.on('message', async (message: FileRequest | 'show') => {
  process.send?.(message === 'show' ? await readDigests() : await handleFileRequest(message, exchange))
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')

// Tests presigned URLs of the service and of other stores with well-known programs: curl uploads to them, the AWS
// CLI creates them for another store. Run by hand or with `npm run test:slow`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { after, before } from '../hooks.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import { Client, type Presigned, startService, type TestService } from '../support/service.ts'

/** Debian's packages; other versions may be earlier on the PATH. */
const AWS = '/usr/bin/aws'
const curlPath = '/usr/bin/curl'
const mib = 1024 ** 2

const folder = scratchFolder('presigned')
const png = join(folder, 'alpha.png')
let service: TestService
let client: Client
before(async () => {
  await copyFile(new URL('../fixtures/alpha.png', import.meta.url), png)
  service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32' })
  client = new Client(service)
})
after(() => service.stop())

const run = promisify(execFile)

/** Returns curl's output with headers; a status above 399 fails. */
const curl = async (...args: string[]) => (await run(curlPath, ['-sSf', '-i', ...args])).stdout
const createHeaderArgs = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])

async function readData<T>(response: Response): Promise<T> {
  const body = (await response.json()) as { data: T }
  assert.ok(response.ok, JSON.stringify(body))
  return body.data
}

async function convert(fields: object): Promise<void> {
  const job = await client.accepted(await client.post('/v1/convert', { targetFormat: 'webp', ...fields }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  assert.equal((await client.download(job.jobId)).toString('latin1', 8, 12), 'WEBP')
}

const skipWithout = (program: string) => ({ skip: !existsSync(program) && `${program} is not there` })

test(
  'curl uploads a file to a presigned PUT URL and through a presigned form',
  skipWithout(curlPath),
  async () => {
    const { size } = await stat(png)
    const announcedFile = { filename: 'alpha.png', contentType: 'image/png', size }
    const put = await client.presign(announcedFile)
    assert.match(await curl('-T', png, ...createHeaderArgs(put.headers), put.url), /^HTTP\/1\.1 200 /m)
    await convert({ uploadId: put.uploadId })

    const form: Presigned = await client.presign({ ...announcedFile, method: 'POST' })
    const fields = Object.entries(form.fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
    assert.match(await curl(...fields, '-F', `file=@${png}`, form.url), /^HTTP\/1\.1 20[14] /m)
    await convert({ uploadId: form.uploadId })
  },
)

interface StartedUpload {
  readonly uploadId: string
  readonly partSize: number
}

test('curl can upload 60 MB in parts and repeat one of the parts', skipWithout(curlPath), async () => {
  // Every line differs, so that parts in the wrong order are detected.
  const bytes = Buffer.from(
    Array.from({ length: 60 * 2 ** 15 }, (_, at) => `line ${at}\n`.padStart(32)).join(''),
  )
  const size = bytes.length
  const begin = await client.post('/v1/uploads/multipart', { filename: 'lines.txt', size })
  const { uploadId, partSize } = await readData<StartedUpload>(begin)
  const path = `/v1/uploads/multipart/${uploadId}`
  const numbers = Array.from({ length: Math.ceil(size / partSize) }, (_, at) => at + 1)
  assert.equal(numbers.length, 8)
  const batch = await client.fetch(`${path}/batch?partNumbers=${numbers}`)
  const { presignedUrls } = await readData<{ presignedUrls: Record<string, string> }>(batch)
  const send = async (number: number) => {
    const partPath = join(folder, `part-${number}`)
    await writeFile(partPath, bytes.subarray((number - 1) * partSize, number * partSize))
    const uploadedPart = await curl('-T', partPath, presignedUrls[number] ?? '')
    const ETag = /^etag: (.*)$/im.exec(uploadedPart)?.[1]?.trim()
    assert.ok(ETag, uploadedPart)
    return { PartNumber: number, ETag }
  }
  const parts = await Promise.all(numbers.map(send))
  await send(3)
  const completedUpload = await readData<{ size: number }>(await client.post(`${path}/complete`, { parts }))
  assert.equal(completedUpload.size, size)
  const tasks = {
    in: { operation: 'import/upload', upload_id: uploadId },
    out: { operation: 'export/url', input: 'in' },
  }
  const job = await client.accepted(await client.post('/v1/jobs', { tasks }))
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const back = join(folder, 'back')
  await run(curlPath, ['-sSfL', '-o', back, job.result?.downloadUrl ?? ''])
  assert.ok((await readFile(back)).equals(bytes))
})

/** Starts a store, and returns a function that runs the AWS CLI on it, and the task fields for access to the store. */
async function startCli(t: TestContext) {
  const { endpoint } = await startWithBucket(t)
  const env = {
    PATH: process.env['PATH'],
    AWS_DEFAULT_REGION: region,
    HOME: folder,
    AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
  }
  const aws = async (...args: string[]) => {
    const { stdout } = await run(AWS, ['--endpoint-url', endpoint, 's3', ...args], { env })
    return stdout.trim()
  }
  const access = {
    bucket: Bucket,
    region,
    endpoint,
    access_key_id: s3Credentials.accessKeyId,
    secret_access_key: s3Credentials.secretAccessKey,
  }
  return { aws, access }
}

test('a URL presigned by the AWS CLI can be imported', skipWithout(AWS), async (t) => {
  const { aws } = await startCli(t)
  const s3Uri = `s3://${Bucket}/Größe & 日本 +.png`
  await aws('cp', '--quiet', png, s3Uri)
  const url = await aws('presign', s3Uri, '--expires-in', '300')
  await convert({ fileUrl: url })

  const { uploadId, jobId } = await readData<{ uploadId: string; jobId: string }>(
    await client.post('/v1/import/url', { url }),
  )
  assert.equal((await client.finishedJob(jobId)).status, 'completed')
  const upload = await readData<Record<string, unknown>>(await client.fetch(`/v1/uploads/${uploadId}`))
  const { status, filename, format, sha256 } = upload
  const expectedHash = createHash('sha256')
    .update(await readFile(png))
    .digest('hex')
  assert.deepEqual([status, filename, format, sha256], ['ready', 'Größe & 日本 +.png', 'png', expectedHash])
  await convert({ uploadId })

  await aws('rm', '--quiet', s3Uri)
  const deletedJob = await client.accepted(
    await client.post('/v1/convert', { fileUrl: url, targetFormat: 'webp' }),
  )
  assert.deepEqual([deletedJob.status, deletedJob.error?.code], ['failed', 'IMPORT_FAILED'])
  assert.match(deletedJob.error?.message ?? '', /file does not exist on .*\(status 404\)/)
})

test(
  'a multipart object stored by the AWS CLI can be imported with a presigned URL and exported to S3',
  skipWithout(AWS),
  async (t) => {
    const { aws, access } = await startCli(t)
    const words = join(folder, 'words.txt')
    const content = Buffer.alloc(20 * mib, 'words of a text\n')
    await writeFile(words, content)
    // Above 8 MB the CLI uses a multipart upload.
    await aws('cp', '--quiet', words, `s3://${Bucket}/words.txt`)
    const tasks = {
      in: { operation: 'import/url', url: await aws('presign', `s3://${Bucket}/words.txt`) },
      out: { operation: 'export/s3', input: 'in', ...access, key: 'back/words.txt' },
    }
    const { status, error } = await client.accepted(await client.post('/v1/jobs', { tasks }))
    assert.equal(status, 'completed', JSON.stringify(error))
    const back = join(folder, 'back.txt')
    await aws('cp', '--quiet', `s3://${Bucket}/back/words.txt`, back)
    assert.ok((await readFile(back)).equals(content))
  },
)

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import {
  GetObjectAttributesCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { listDescendants } from '../support/processes.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { startProxy } from '../transfer/shaky-proxy.ts'
import { startSshd } from '../transfer/sshd.ts'

/** Content that an export to S3 uploads in four parts. */
const content = Buffer.from(Array.from({ length: 2_300_000 }, (_, at) => `line ${at + 1e7}\n`).join(''))
const hashBytes = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
/** Number of bytes after which a proxy stalls: in the middle of a part or of a file. */
const stallAfterBytes = 3_000_000

interface JobReply {
  readonly status: string
  readonly error: unknown
  readonly tasks: { readonly out: { readonly result: { readonly files: { readonly sha256: string }[] } } }
}

const findTransferWorker = ({ pid }: TestService) =>
  listDescendants(pid).find(({ command }) => /worker\.ts transfer/.test(command))?.pid

/** Starts imports and exports, each through a proxy that stalls in the middle. */
async function startTransfers(t: TestContext) {
  const { client: s3, endpoint } = await startWithBucket(t)
  const sshd = await startSshd()
  t.after(() => sshd.stop())
  const ports = [Number(new URL(endpoint).port), sshd.port]
  const proxies = await Promise.all([...ports, ...ports].map((port) => startProxy(port)))
  t.after(() => Promise.all(proxies.map((proxy) => proxy.stop())))
  const [
    s3Import = assert.fail(),
    sftpImport = assert.fail(),
    s3Export = assert.fail(),
    sftpExport = assert.fail(),
  ] = proxies
  const service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32' })
  t.after(() => service.stop())

  const createBucketAccess = (port: number, key: string) => ({
    bucket: Bucket,
    region,
    key,
    endpoint: `http://127.0.0.1:${port}`,
    access_key_id: s3Credentials.accessKeyId,
    secret_access_key: s3Credentials.secretAccessKey,
  })
  const { host, username, plainKey: private_key, fingerprint: host_key_fingerprint } = sshd
  const createServerAccess = (port: number, name: string) => ({
    host,
    port,
    username,
    private_key,
    host_key_fingerprint,
    file: join(sshd.files, name),
  })
  await s3.send(new PutObjectCommand({ Bucket, Key: 'in.txt', Body: content }))
  await writeFile(join(sshd.files, 'in.txt'), content)

  const directImport = { operation: 'import/s3', ...createBucketAccess(ports[0] ?? 0, 'in.txt') }
  const givenTask = { operation: 'export/url', input: 'in' }
  const taskMaps = [
    { in: { operation: 'import/s3', ...createBucketAccess(s3Import.port, 'in.txt') }, out: givenTask },
    { in: { operation: 'import/sftp', ...createServerAccess(sftpImport.port, 'in.txt') }, out: givenTask },
    {
      in: directImport,
      out: { operation: 'export/s3', input: 'in', ...createBucketAccess(s3Export.port, 'out.txt') },
    },
    {
      in: directImport,
      out: { operation: 'export/sftp', input: 'in', ...createServerAccess(sftpExport.port, 'out.txt') },
    },
  ]
  for (const { state } of proxies) state.holdAfter = stallAfterBytes
  const jobs = taskMaps.map(async (tasks) => {
    // Each job has a different owner, so that none waits for another.
    const client = new Client(service)
    const { jobId } = await client.accepted(await client.post('/v1/jobs', { tasks }))
    const { data } = (await (await client.fetch(`/v1/jobs/${jobId}`)).json()) as { data: JobReply }
    return data
  })
  const listUploads = async () => (await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? []
  return { s3, sshd, service, proxies, jobs, uploads: listUploads }
}

test('an S3 or SFTP transfer whose worker process is killed midway completes later and leaves no temporary files', async (t) => {
  const { s3, sshd, service, proxies, jobs, uploads } = await startTransfers(t)
  await waitUntil(() => proxies.every(({ state }) => state.isHeld), 'all are in the middle', 60)
  const [startedUpload = assert.fail('an upload')] = await uploads()
  const partialFiles = await readdir(sshd.files)
  assert.ok(partialFiles.some((name) => name.startsWith('out.txt.') && name.endsWith('.part')))
  process.kill(findTransferWorker(service) ?? assert.fail('no worker'), 'SIGKILL')
  for (const { state } of proxies) state.holdAfter = Number.POSITIVE_INFINITY

  for (const { status, error, tasks } of await Promise.all(jobs)) {
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.deepEqual(
      tasks.out.result.files.map(({ sha256 }) => sha256),
      [hashBytes(content)],
    )
  }
  const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: 'out.txt' }))
  assert.equal(hashBytes(await buffer(Body as Readable)), hashBytes(content))
  const attributes = { Bucket, Key: 'out.txt', ObjectAttributes: ['ObjectParts' as const] }
  const { ObjectParts } = await s3.send(new GetObjectAttributesCommand(attributes))
  assert.equal(ObjectParts?.TotalPartsCount, Math.ceil(content.length / 8 / 1024 ** 2))
  assert.deepEqual(await uploads(), [])
  const { Key, UploadId } = startedUpload
  await assert.rejects(s3.send(new ListPartsCommand({ Bucket, Key, UploadId })), { name: 'NoSuchUpload' })
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
  assert.deepEqual(
    Contents.map((object) => object.Key),
    ['in.txt', 'out.txt'],
  )
  assert.equal(hashBytes(await readFile(join(sshd.files, 'out.txt'))), hashBytes(content))
  assert.deepEqual((await readdir(sshd.files)).sort(), ['in.txt', 'out.txt'])
  const dataFiles = await readdir(service.dataDir, { recursive: true })
  assert.deepEqual(
    dataFiles.filter((path) => /import-\d+$/.test(path)),
    [],
  )
})

test('an S3 or SFTP transfer whose worker process is killed in all three attempts fails and leaves no temporary files', async (t) => {
  const { s3, sshd, service, proxies, jobs, uploads } = await startTransfers(t)
  for (let kills = 0; kills < 3; kills++) {
    await waitUntil(() => proxies.every(({ state }) => state.isHeld), 'all are in the middle', 90)
    const pid = findTransferWorker(service) ?? assert.fail('no worker')
    process.kill(pid, 'SIGKILL')
    await waitUntil(() => findTransferWorker(service) !== pid, 'the worker is gone', 30)
    for (const { state } of proxies) state.isHeld = false
  }
  const codes = (await Promise.all(jobs)).map(({ status, error }) => {
    const { code, message } = error as { code: string; message: string }
    // The stalled proxy must not be the reason: it would time out only much later.
    assert.match(message, /crashed in all three attempts/)
    return [status, code]
  })
  const [lostImport, lostExport] = [
    ['failed', 'IMPORT_FAILED'],
    ['failed', 'EXPORT_FAILED'],
  ]
  assert.deepEqual(codes, [lostImport, lostImport, lostExport, lostExport])
  assert.deepEqual(await uploads(), [])
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }))
  assert.deepEqual(
    Contents.map((object) => object.Key),
    ['in.txt'],
  )
  assert.deepEqual(await readdir(sshd.files), ['in.txt'])
})

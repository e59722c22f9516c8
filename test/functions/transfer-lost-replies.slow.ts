import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { GetObjectCommand, ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { region, s3Credentials } from '../embedded-aws/s3/credentials.ts'
import { Bucket, startWithBucket } from '../embedded-aws/s3/start-s3.ts'
import { listDescendants } from '../support/processes.ts'
import { Client, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { startAzurite } from '../transfer/azurite.ts'
import { credentials, startGcs } from '../transfer/gcs-server.ts'
import { startProxy } from '../transfer/shaky-proxy.ts'
import { startSshd } from '../transfer/sshd.ts'

/** Content that an export to S3 uploads in two parts. */
const content = Buffer.from(Array.from({ length: 650_000 }, (_, at) => `line ${at + 1e7}\n`).join(''))

interface JobReply {
  readonly status: string
  readonly error: unknown
  readonly tasks: { readonly out: { readonly result: { readonly files: readonly unknown[] } } }
}

async function startServers(t: TestContext) {
  const [s3, gcs, azurite, sshd] = await Promise.all([
    startWithBucket(t),
    startGcs(),
    startAzurite(),
    startSshd(),
  ])
  t.after(() => Promise.all([gcs.stop(), azurite.stop(), sshd.stop()]))
  return { s3, gcs, azurite, sshd }
}

/** Starts exports through proxies that hold back the reply of the store. */
async function exportWithLostReplies(
  t: TestContext,
  { s3, gcs, azurite, sshd }: Awaited<ReturnType<typeof startServers>>,
) {
  const proxies: Awaited<ReturnType<typeof startProxy>>[] = []
  const startDelayingProxy = async (endpoint: string, holdsResponse: (lastRequest: string) => boolean) => {
    const { protocol, port, pathname } = new URL(endpoint)
    const proxy = await startProxy(Number(port))
    t.after(() => proxy.stop())
    proxy.state.holdsResponse = holdsResponse
    proxies.push(proxy)
    return { port: proxy.port, url: `${protocol}//127.0.0.1:${proxy.port}${pathname.replace(/\/$/, '')}` }
  }
  const bucket = { bucket: Bucket, region, access_key_id: s3Credentials.accessKeyId }
  const startS3Export = async (key: string, lastTask: string) => {
    const { url: endpoint } = await startDelayingProxy(s3.endpoint, (lastRequest) =>
      lastRequest.includes(`/${key}?${lastTask}`),
    )
    return {
      operation: 'export/s3',
      ...bucket,
      secret_access_key: s3Credentials.secretAccessKey,
      endpoint,
      key,
    }
  }
  const gcsProxy = await startDelayingProxy(gcs.endpoint, () => gcs.objects.has('out.txt'))
  const azuriteProxy = await startDelayingProxy(azurite.access.endpoint, (lastRequest) =>
    lastRequest.includes('comp=blocklist'),
  )
  const file = join(sshd.files, 'out.txt')
  const sshdProxy = await startDelayingProxy(`ssh://127.0.0.1:${sshd.port}`, () => existsSync(file))
  const { host, username, plainKey: private_key, fingerprint: host_key_fingerprint } = sshd
  const outs: Record<string, unknown>[] = [
    await startS3Export('started.txt', 'uploads'),
    await startS3Export('out.txt', 'uploadId='),
    { operation: 'export/gcs', bucket: 'box', credentials, key: 'out.txt' },
    { operation: 'export/blobstore', ...azurite.access, endpoint: azuriteProxy.url, blob: 'out.txt' },
    {
      operation: 'export/sftp',
      host,
      username,
      private_key,
      host_key_fingerprint,
      port: sshdProxy.port,
      file,
    },
  ]
  return { outs, proxies, gcsEndpoint: gcsProxy.url }
}

test('an export whose process is killed before the reply of the store arrives is completed exactly once', async (t) => {
  const servers = await startServers(t)
  const { s3, gcs, azurite, sshd } = servers
  const { outs, proxies, gcsEndpoint } = await exportWithLostReplies(t, servers)
  const service = await startService({ OUTGOING_ALLOW: '127.0.0.1/32', GCS_ENDPOINT: gcsEndpoint })
  t.after(() => service.stop())
  const jobs = outs.map(async (out) => {
    // Each job has a different owner, so that none waits for another.
    const client = new Client(service)
    const givenTask = { operation: 'import/base64', file: content.toString('base64'), filename: 'in.txt' }
    const { jobId } = await client.accepted(
      await client.post('/v1/jobs', { tasks: { in: givenTask, out: { ...out, input: 'in' } } }),
    )
    return ((await (await client.fetch(`/v1/jobs/${jobId}`)).json()) as { data: JobReply }).data
  })
  await waitUntil(() => proxies.every(({ state }) => state.isHeld), 'all stores are ready', 120)
  const worker = listDescendants(service.pid).find(({ command }) => /worker\.ts transfer/.test(command))
  process.kill(worker?.pid ?? assert.fail('no worker'), 'SIGKILL')
  for (const { state } of proxies) state.holdsResponse = () => false

  for (const { status, error, tasks } of await Promise.all(jobs)) {
    assert.equal(status, 'completed', JSON.stringify(error))
    assert.equal(tasks.out.result.files.length, 1)
  }
  const { Contents = [] } = await s3.client.send(new ListObjectsV2Command({ Bucket }))
  assert.deepEqual(
    Contents.map(({ Key }) => Key),
    ['started.txt', 'out.txt'],
  )
  const { Uploads = [] } = await s3.client.send(new ListMultipartUploadsCommand({ Bucket }))
  assert.deepEqual(Uploads, [])
  assert.deepEqual([...gcs.objects.keys()], ['out.txt'])
  assert.equal(gcs.sessions.size, 0)
  assert.deepEqual(await readdir(sshd.files), ['out.txt'])
  const blob = azurite.container.getBlockBlobClient('out.txt')
  const { uncommittedBlocks = [] } = await blob.getBlockList('uncommitted')
  assert.deepEqual(uncommittedBlocks, [])
  const readFromS3 = async (Key: string) => {
    const { Body } = await s3.client.send(new GetObjectCommand({ Bucket, Key }))
    return Buffer.from((await Body?.transformToByteArray()) ?? [])
  }
  const { readableStreamBody } = await blob.download()
  const exportedFiles = [
    await readFromS3('started.txt'),
    await readFromS3('out.txt'),
    gcs.objects.get('out.txt')?.content,
    await buffer(readableStreamBody ?? assert.fail('a body')),
    await readFile(join(sshd.files, 'out.txt')),
  ]
  for (const bytes of exportedFiles) assert.ok(bytes?.equals(content))
})

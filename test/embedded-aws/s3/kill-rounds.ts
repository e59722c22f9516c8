// Kills the server with SIGKILL at random times while eight clients write, and checks the acknowledged writes.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Bucket, createS3Client } from './start-s3.ts'

const WRITERS = 8

/** Last acknowledged state of a key, and the change in progress when the server died: either may be found. */
interface ObjectHistory {
  acknowledged: string | undefined
  pending?: { readonly state: string | undefined }
}

export async function runS3KillRounds(rounds: number): Promise<{ acknowledged: number }> {
  const dir = await mkdtemp(join(tmpdir(), 's3-crash-'))
  const histories = new Map<string, ObjectHistory>()
  let acknowledgedCount = 0
  const servers: { readonly child: ChildProcess; readonly client: S3Client }[] = []
  const start = async () => {
    const server = await startServer(dir)
    servers.push(server)
    return server
  }
  try {
    for (let kill = 0; kill < rounds; kill++) {
      const { child, client } = await start()
      if (kill === 0) await client.send(new CreateBucketCommand({ Bucket }))
      else await check(client, histories, dir)
      const writers = Array.from({ length: WRITERS }, (_, writer) =>
        write(client, `w${writer}`, histories, () => acknowledgedCount++),
      )
      await setTimeout(randomInt(20, 400))
      child.kill('SIGKILL')
      await Promise.all([once(child, 'exit'), ...writers])
      client.destroy()
    }
    const { child, client } = await start()
    await check(client, histories, dir)
    client.destroy()
    child.kill('SIGKILL')
    await once(child, 'exit')
    return { acknowledged: acknowledgedCount }
  } finally {
    // After a failed check, the server and its connections are still open and would keep this process from exiting.
    for (const { child, client } of servers) {
      client.destroy()
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }
    await rm(dir, { recursive: true, maxRetries: 5 })
  }
}

async function startServer(dir: string): Promise<{ child: ChildProcess; client: S3Client }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'server-process.ts'), dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(createInterface({ input: child.stdout }), 'line')
  return { child, client: createS3Client(`http://127.0.0.1:${port}`) }
}

/** Puts, replaces and deletes objects until the server is killed. */
async function write(
  client: S3Client,
  name: string,
  histories: Map<string, ObjectHistory>,
  acknowledge: () => void,
): Promise<void> {
  for (;;) {
    const Key = `${name}/${randomInt(20)}`
    const entry: ObjectHistory = histories.get(Key) ?? { acknowledged: undefined }
    histories.set(Key, entry)
    const body = randomBytes(randomInt(1, 200_000))
    const remove = randomInt(5) === 0
    const state = remove ? undefined : digest(body)
    entry.pending = { state }
    try {
      if (remove) await client.send(new DeleteObjectCommand({ Bucket, Key }))
      else if (randomInt(4) === 0) await uploadInParts(client, Key, body)
      else await client.send(new PutObjectCommand({ Bucket, Key, Body: body }))
    } catch {
      return
    }
    entry.acknowledged = state
    delete entry.pending
    acknowledge()
  }
}

async function uploadInParts(client: S3Client, Key: string, body: Buffer): Promise<void> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
  const part = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: body }))
  const Parts = [{ PartNumber: 1, ETag: part.ETag, ChecksumCRC32: part.ChecksumCRC32 }]
  await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }))
}

const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function check(client: S3Client, histories: Map<string, ObjectHistory>, dir: string): Promise<void> {
  const digestsByKey = new Map<string, string>()
  for await (const page of paginateListObjectsV2({ client }, { Bucket }))
    for (const { Key = '', Size } of page.Contents ?? []) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
      assert.equal(bytes.length, Size)
      digestsByKey.set(Key, digest(bytes))
    }
  for (const [key, entry] of histories) {
    const { acknowledged, pending } = entry
    const allowedDigests = pending ? [acknowledged, pending.state] : [acknowledged]
    assert.ok(
      allowedDigests.includes(digestsByKey.get(key)),
      `${key} is neither as acknowledged nor as on its way`,
    )
    entry.acknowledged = digestsByKey.get(key)
    delete entry.pending
  }
  const files = (await readdir(join(dir, 'blobs'), { recursive: true })).filter((name) => name.includes('/'))
  assert.equal(
    files.length,
    digestsByKey.size + (await countParts(client)),
    'The sweep left a file or took one too many',
  )
}

async function countParts(client: S3Client): Promise<number> {
  let partCount = 0
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  for (const { Key, UploadId } of Uploads) {
    const listedParts = await client.send(new ListPartsCommand({ Bucket, Key, UploadId }))
    partCount += listedParts.Parts?.length ?? 0
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
  return partCount
}

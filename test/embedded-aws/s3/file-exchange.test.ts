// Turning files into objects and objects into files, without a network connection.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { readLocatedFiles } from '../../../lib/aws/prefetched-files.ts'
import { Bucket, startWithBucket } from './start-s3.ts'

const type = 'image/webp'

async function start(t: TestContext) {
  const startedServer = await startWithBucket(t)
  const folder = await mkdtemp(join(tmpdir(), 's3-work-'))
  t.after(() => rm(folder, { recursive: true }))
  return { ...startedServer, folder, exchange: startedServer.s3.exchange({ bucket: Bucket, folder }) }
}

test('a file that S3 adopted as an object is kept after its original name is deleted', async (t) => {
  const { client, folder, exchange } = await start(t)
  const path = join(folder, 'result')
  const bytes = randomBytes(100_000)
  await writeFile(path, bytes)
  await exchange.put('made/1', path, type)
  assert.equal((await stat(path)).nlink, 2, 'nothing was copied')
  await rm(path)
  const { Body, ContentType, ETag } = await client.send(new GetObjectCommand({ Bucket, Key: 'made/1' }))
  assert.ok(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(bytes))
  assert.equal(ContentType, 'image/webp')
  // The ETag looks like that of a multipart upload, so that no client takes it for an MD5.
  assert.match(ETag ?? '', /^"[0-9a-f]{32}-1"$/)
})

test('S3 adopts only regular files in the exchange folder as objects', async (t) => {
  const { client, dir, folder, exchange } = await start(t)
  const outsideFile = join(dir, 'secret')
  await writeFile(outsideFile, 'secret')
  await symlink(outsideFile, join(folder, 'link'))
  await symlink(dir, join(folder, 'folder'))
  await assert.rejects(exchange.put('a', outsideFile, type), { code: 'AccessDenied' })
  await assert.rejects(exchange.put('a', join(folder, '..', 'secret'), type))
  await assert.rejects(exchange.put('a', join(folder, 'link'), type), { code: 'AccessDenied' })
  await assert.rejects(exchange.put('a', join(folder, 'folder', 'secret'), type), { code: 'AccessDenied' })
  await writeFile(join(folder, 'plain'), 'x')
  await symlink(join(folder, 'plain'), join(folder, 'inside'))
  await assert.rejects(exchange.put('a', join(folder, 'inside'), type), { code: 'ELOOP' })
  await assert.rejects(exchange.put('a', folder, type))
  const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket }))
  assert.equal(KeyCount, 0)
})

test('an S3 file exchange with an owner adopts only files that belong to this user', {
  skip: process.getuid?.() !== 0,
}, async (t) => {
  const { s3, client, folder } = await start(t)
  const user = 1_900_000_001
  const exchange = s3.exchange({ bucket: Bucket, folder, owner: user })
  const path = join(folder, 'file')
  await writeFile(path, 'of the service')
  await assert.rejects(exchange.put('a', path, type), /Expected a file that the caller owns/)
  await chown(path, user, user)
  await exchange.put('a', path, type)
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'a' }))
  assert.equal(await Body?.transformToString(), 'of the service')
})

test('an S3 object is copied into a local file only if its ETag matches', async (t) => {
  const { client, folder, exchange } = await start(t)
  const { ETag = '' } = await client.send(new PutObjectCommand({ Bucket, Key: 'one', Body: 'first' }))
  const path = join(folder, 'one')
  await exchange.get('one', path, ETag)
  assert.equal(await readFile(path, 'utf8'), 'first')
  await writeFile(path, 'the copy is private')
  await client.send(new HeadObjectCommand({ Bucket, Key: 'one', IfMatch: ETag }))
  await client.send(new PutObjectCommand({ Bucket, Key: 'one', Body: 'second' }))
  await assert.rejects(exchange.get('one', join(folder, 'again'), ETag), { code: 'PreconditionFailed' })
  await assert.rejects(exchange.get('none', join(folder, 'none')), { code: 'NoSuchKey' })
})

test('reading ranges of an S3 object in place completes even if the object is deleted meanwhile', async (t) => {
  const { client, exchange } = await start(t)
  const target = { Bucket, Key: 'located' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  const pieces = [randomBytes(5 << 20), randomBytes(1000)]
  const Parts = []
  for (const [at, Body] of pieces.entries()) {
    const part = { PartNumber: at + 1 }
    Parts.push({
      ...part,
      ...(await client.send(new UploadPartCommand({ ...target, UploadId, ...part, Body }))),
    })
  }
  await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
  const locatedFiles = await exchange.locate('located')
  const allBytes = await readLocatedFiles(locatedFiles, { start: 0, end: (5 << 20) + 1000 })
  const edge = await readLocatedFiles(locatedFiles, { start: (5 << 20) - 7, end: (5 << 20) + 9 })
  await readLocatedFiles(locatedFiles, { start: 0, end: 5 }).then((unread) => unread.destroy())
  await client.send(new DeleteObjectCommand(target))
  const fileBytes = Buffer.concat(pieces)
  assert.ok((await buffer(allBytes)).equals(fileBytes))
  assert.ok((await buffer(edge)).equals(fileBytes.subarray((5 << 20) - 7, (5 << 20) + 9)))
  await assert.rejects(exchange.locate('located'), { code: 'NoSuchKey' })
  await assert.rejects(readLocatedFiles(locatedFiles, { start: 0, end: 5 }), { name: 'NoSuchKey' })
  const { ETag = '' } = await client.send(new PutObjectCommand({ ...target, Body: 'first' }))
  await client.send(new PutObjectCommand({ ...target, Body: 'second' }))
  await assert.rejects(exchange.locate('located', ETag), { code: 'PreconditionFailed' })
})

test('an S3 object uploaded in parts is copied into one local file', async (t) => {
  const { client, folder, exchange } = await start(t)
  const target = { Bucket, Key: 'parts' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  const pieces = [randomBytes(5 << 20), randomBytes(1000)]
  const Parts = []
  for (const [at, Body] of pieces.entries()) {
    const part = { ...target, UploadId, PartNumber: at + 1 }
    Parts.push({
      PartNumber: at + 1,
      ETag: (await client.send(new UploadPartCommand({ ...part, Body }))).ETag,
    })
  }
  await client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } }))
  const path = join(folder, 'parts')
  await exchange.get('parts', path)
  assert.ok((await readFile(path)).equals(Buffer.concat(pieces)))
})

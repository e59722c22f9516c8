// Debian's awscli against the server: sync, move, a gibibyte in parts. Run by hand or by `npm run test:aws`.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { region, s3Credentials } from './credentials.ts'
import { startS3 } from './start-s3.ts'

async function startCli(t: TestContext) {
  const { endpoint } = await startS3(t)
  const dir = await mkdtemp(join(tmpdir(), 'awscli-'))
  t.after(() => rm(dir, { recursive: true }))
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: dir,
    LANG: 'C.UTF-8',
    AWS_ACCESS_KEY_ID: s3Credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3Credentials.secretAccessKey,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  // Debian's package; another `aws` may come first on the PATH.
  const aws = async (...args: string[]) => {
    const options = { cwd: dir, env, timeout: 300_000, maxBuffer: 1 << 24 }
    const { stdout } = await promisify(execFile)(
      '/usr/bin/aws',
      ['--endpoint-url', endpoint, ...args],
      options,
    )
    return stdout
  }
  await aws('s3', 'mb', 's3://box')
  return { aws, dir }
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

test('awscli syncs a folder to and from a bucket, and skips unchanged files', async (t) => {
  const { aws, dir } = await startCli(t)
  await mkdir(join(dir, 'tree/sub'), { recursive: true })
  await writeFile(join(dir, 'tree/one.txt'), 'one')
  await writeFile(join(dir, 'tree/sub/two & ü +.txt'), 'two')
  await writeFile(join(dir, 'tree/big.bin'), Buffer.alloc(20 << 20, 'b'))
  // S3 stores whole seconds: files from the current second would count as newer than their copies.
  for (const name of ['one.txt', 'sub/two & ü +.txt', 'big.bin'])
    await utimes(join(dir, 'tree', name), 1e9, 1e9)
  assert.equal(
    (await aws('s3', 'sync', 'tree', 's3://box/tree', '--no-progress')).trim().split('\n').length,
    3,
  )
  assert.equal(await aws('s3', 'sync', 'tree', 's3://box/tree', '--no-progress'), '')
  await aws('s3', 'sync', 's3://box/tree', 'back', '--no-progress')
  for (const name of ['one.txt', 'sub/two & ü +.txt', 'big.bin'])
    assert.equal(await hashFile(join(dir, 'back', name)), await hashFile(join(dir, 'tree', name)))
  await aws('s3', 'cp', 's3://box/tree', 's3://box/copy', '--recursive', '--no-progress')
  await aws('s3', 'mv', 's3://box/copy/one.txt', 's3://box/moved.txt', '--no-progress')
  assert.match(await aws('s3', 'ls', 's3://box/'), /PRE copy\/\n\s+PRE tree\/\n.*moved\.txt/)
  await aws('s3', 'rm', 's3://box/tree', '--recursive')
  await aws('s3', 'rb', 's3://box', '--force')
  assert.equal(await aws('s3', 'ls'), '')
})

test('awscli uploads and downloads a file of 1 GiB', async (t) => {
  const { aws, dir } = await startCli(t)
  const file = join(dir, 'gib')
  await writeFile(file, 'not all zero')
  await truncate(file, 1 << 30)
  await aws('s3', 'cp', 'gib', 's3://box/gib', '--no-progress')
  await aws('s3', 'cp', 's3://box/gib', 'back', '--no-progress')
  assert.equal(await hashFile(join(dir, 'back')), await hashFile(file))
})

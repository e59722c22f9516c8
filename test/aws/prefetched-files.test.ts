import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { readLocatedFiles } from '../../lib/aws/prefetched-files.ts'
import { maxCachedFileBytes, openDirect } from '../../lib/io/direct-io.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

/** Creates a sparse file with a large hole, followed by bytes at an unaligned position. */
async function createSparseFile(bytes: Buffer): Promise<string> {
  const path = join(scratchFolder('prefetched'), 'sparse')
  const file = await open(path, 'w')
  await file.write(bytes, 0, bytes.length, maxCachedFileBytes - 1000)
  await file.sync()
  await file.close()
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none'])
  return path
}

test('the end of a large prefetched file is read correctly and bypasses the page cache', async (context) => {
  const bytes = randomBytes((1 << 20) + 12_345)
  const path = await createSparseFile(bytes)
  const size = maxCachedFileBytes - 1000 + bytes.length
  const range = (start: number, end: number) => ({
    start: maxCachedFileBytes + start,
    end: maxCachedFileBytes + end,
  })
  const read = async (start: number, end: number) =>
    buffer(await readLocatedFiles([{ path, size }], range(start, end)))

  const expectedBytes = bytes.subarray(1000)
  assert.deepEqual(await read(0, expectedBytes.length), expectedBytes)
  assert.deepEqual(await read(-1000, expectedBytes.length), bytes)
  assert.deepEqual(await read(77, 300_000), expectedBytes.subarray(77, 300_000))
  const directFile = await openDirect(path, 'read')
  if (!directFile) return context.diagnostic('This file system does not support direct reads.')
  await directFile.close()
  const cachedBytes = Number(execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', path]))
  assert.ok(cachedBytes < bytes.length, `${cachedBytes} bytes entered the cache`)
})

test('reading the start of a large prefetched file adds nothing to the page cache', async (context) => {
  const path = await createSparseFile(randomBytes(1 << 20))
  if (!(await openDirect(path, 'read').then((directFile) => directFile?.close().then(() => true))))
    return context.diagnostic('This file system does not support direct reads.')
  const size = maxCachedFileBytes - 1000 + (1 << 20)
  await buffer(await readLocatedFiles([{ path, size }], { start: 0, end: 1 << 20 }))
  const cachedBytes = Number(execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', path]))
  assert.equal(cachedBytes, 0)
})

test('bytes read from a prefetched file are not overwritten by a later read', async () => {
  const bytes = randomBytes(1 << 20)
  const path = await createSparseFile(bytes)
  const size = maxCachedFileBytes - 1000 + bytes.length
  const range = { start: maxCachedFileBytes - 1000, end: size }
  const firstBytes = await buffer(await readLocatedFiles([{ path, size }], range))
  await buffer(await readLocatedFiles([{ path, size: 4 << 20 }], { start: 0, end: 4 << 20 }))
  assert.deepEqual(firstBytes, bytes)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { constants, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeSynchronously } from '../../lib/io/sync-writer.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const cachedBytes = 4 << 20
const folder = scratchFolder('drain')

/** Chunks of odd sizes, one of them across the end of the cached part. */
const chunks = Array.from({ length: 90 }, (_, at) => randomBytes(150_000 + at * 1001))
const wholeFile = Buffer.concat(chunks)

const unsupportedMessage = 'This file system does not support direct writes.'

async function supportsDirectWrites(path: string): Promise<boolean> {
  const directFile = await open(path, constants.O_WRONLY | constants.O_DIRECT).catch(() => undefined)
  await directFile?.close()
  return directFile !== undefined
}

const countCachedBytes = (path: string) =>
  Number(execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', path]))

async function writeChunks(path: string, size?: number): Promise<number> {
  let writtenBytes = 0
  const onWritten = (chunk: Buffer) => {
    writtenBytes += chunk.length
    // The buffer is reused for something else.
    chunk.fill(0)
  }
  const copies = chunks.map((chunk) => Buffer.from(chunk))
  await writeSynchronously(ReadableStream.from(copies) as AsyncIterable<Buffer>, {
    path,
    onWritten,
    size,
    cachedBytes,
  })
  return writtenBytes
}

test('a large file is written completely, and its later part is not kept in the page cache', async (context) => {
  const path = join(folder, 'large')
  assert.equal(await writeChunks(path), wholeFile.length)
  assert.equal(sha256(readFileSync(path)), sha256(wholeFile))

  const repeatedPath = join(folder, 'again')
  await writeChunks(repeatedPath)
  if (!(await supportsDirectWrites(repeatedPath))) return context.diagnostic(unsupportedMessage)
  const cachedByteCount = countCachedBytes(repeatedPath)
  assert.ok(
    cachedByteCount >= cachedBytes && cachedByteCount < cachedBytes + (3 << 20),
    `${cachedByteCount} bytes are in memory`,
  )
})

test('a file whose declared size is large is written completely and not kept in the page cache', async (context) => {
  const path = join(folder, 'declared as large')
  await writeChunks(path, wholeFile.length)
  if (!(await supportsDirectWrites(path))) return context.diagnostic(unsupportedMessage)
  const cachedByteCount = countCachedBytes(path)
  assert.ok(cachedByteCount < 2 << 20, `${cachedByteCount} bytes are in memory`)
  assert.equal(sha256(readFileSync(path)), sha256(wholeFile))
})

test('a file is written completely even if its declared size is wrong', async () => {
  for (const size of [1, 2 ** 40]) {
    const path = join(folder, `declared size ${size}`)
    await writeChunks(path, size)
    assert.equal(sha256(readFileSync(path)), sha256(wholeFile))
  }
})

test('a small file is written completely', async () => {
  const path = join(folder, 'small')
  const bytes = Buffer.from('a file of few bytes')
  await writeSynchronously(ReadableStream.from([bytes]) as AsyncIterable<Buffer>, {
    path,
    onWritten: () => {},
  })
  assert.equal(readFileSync(path, 'utf8'), 'a file of few bytes')
})

test('an error while writing a file is thrown to the caller', async () => {
  async function* createBrokenSource() {
    yield* chunks.slice(0, 60)
    throw new Error('the line is dead')
  }
  const path = join(folder, 'broken')
  await assert.rejects(
    writeSynchronously(createBrokenSource(), { path, onWritten: () => {}, cachedBytes }),
    /the line is dead/,
  )
})

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { readLocatedFiles } from '../../lib/aws/prefetched-files.ts'
import { releaseBuffer } from '../../lib/io/buffer-pool.ts'
import { tapStream } from '../../lib/io/collect-garbage.ts'
import { GuardedHttp } from '../../lib/transfer/guarded-http.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

const bytes = randomBytes(32 * 1024 ** 2)
const sha256 = (chunks: readonly Buffer[]) =>
  chunks.reduce((sum, chunk) => sum.update(chunk), createHash('sha256')).digest('hex')
const expectedHash = sha256([bytes])

/** Starts a server that sends `bytes`, either with their length or with chunked encoding. */
async function startByteServer(t: TestContext, isChunked = false) {
  const server = createServer((_, response) => {
    if (!isChunked) response.setHeader('content-length', bytes.length)
    response.end(bytes)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
  t.after(async () => {
    await guardedHttp.close()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return async () => (await guardedHttp.request(url, { signal: t.signal })).body as AsyncIterable<Buffer>
}

test('buffers released to the buffer pool are reused', async (t) => {
  const get = await startByteServer(t)
  const arrayBuffers = new Set<ArrayBufferLike>()
  let largeCount = 0
  for (let round = 0; round < 4; round++) {
    const sum = createHash('sha256')
    for await (const chunk of await get()) {
      sum.update(chunk)
      const { buffer } = chunk
      if (!releaseBuffer(chunk)) continue
      largeCount++
      arrayBuffers.add(buffer)
    }
    assert.equal(sum.digest('hex'), expectedHash)
  }
  assert.ok(largeCount > 50, `${largeCount} chunks were in large buffers`)
  assert.ok(arrayBuffers.size <= 10, `${largeCount} chunks were in ${arrayBuffers.size} buffers`)
})

test('the buffer pool does not overwrite buffers that are still in use', async (t) => {
  const get = await startByteServer(t)
  const keptBuffers: Buffer[] = []
  for await (const chunk of await get()) keptBuffers.push(chunk)
  for await (const chunk of await get()) releaseBuffer(chunk)
  assert.equal(sha256(keptBuffers), expectedHash)
})

test('the buffer pool does not overwrite the used part of a partially released buffer', async (t) => {
  const get = await startByteServer(t, true)
  const keptBuffers: Buffer[] = []
  const sum = createHash('sha256')
  for await (const chunk of await get()) {
    sum.update(chunk)
    const half = chunk.length >> 1
    keptBuffers.push(chunk.subarray(half))
    releaseBuffer(chunk.subarray(0, half))
  }
  assert.equal(sum.digest('hex'), expectedHash)
  const hashBefore = sha256(keptBuffers)
  for await (const chunk of await get()) releaseBuffer(chunk)
  assert.equal(sha256(keptBuffers), hashBefore)
})

test('data sent from pooled buffers arrives completely, even to a slow reader', async (t) => {
  const path = join(scratchFolder('sent'), 'file')
  writeFileSync(path, bytes)
  const server = createServer(async (request, response) => {
    const sum = createHash('sha256')
    for await (const piece of request) {
      if (request.url === '/slow') await setImmediate()
      sum.update(piece)
    }
    response.end(sum.digest('hex'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const guardedHttp = new GuardedHttp({ allowedNetworks: ['127.0.0.1/32'] })
  t.after(async () => {
    await guardedHttp.close()
    server.close()
  })
  const buffers = new Set<ArrayBufferLike>()
  const send = async (speed: string) => {
    const file = await readLocatedFiles([{ path, size: bytes.length }], {
      start: 0,
      end: bytes.length,
      releasesBuffers: true,
    })
    const { body } = await guardedHttp.request(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/${speed}`,
      {
        method: 'PUT',
        headers: { 'content-length': String(bytes.length) },
        body: tapStream(file, ({ buffer }) => void buffers.add(buffer)),
        signal: t.signal,
      },
    )
    return text(body)
  }
  assert.deepEqual(await Promise.all([send('fast'), send('slow'), send('slow')]), Array(3).fill(expectedHash))
  assert.ok(buffers.size < 50, `${buffers.size} buffers were used for 384 chunks`)
})

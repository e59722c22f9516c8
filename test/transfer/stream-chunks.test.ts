import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { readChunks } from '../../lib/transfer/stream-chunks.ts'

const createChunks = (count: number) => Array.from({ length: count }, (_, at) => Buffer.from(`piece ${at}`))

/** Creates a stream that pushes all chunks at once, like a fast connection. */
const createEagerStream = (chunks: readonly Buffer[]) =>
  new Readable({
    read() {
      for (const chunk of chunks) this.push(chunk)
      this.push(null)
    },
  })

test('chunks of a stream are passed on unchanged to a slow consumer', async () => {
  const chunks = createChunks(50)
  const receivedChunks: Buffer[] = []
  for await (const chunk of readChunks(createEagerStream(chunks))) {
    receivedChunks.push(chunk)
    await setImmediate()
  }
  assert.equal(receivedChunks.length, 50)
  assert.ok(receivedChunks.every((chunk, at) => chunk === chunks[at]))
})

test('a slow consumer applies back-pressure to a stream of chunks', async () => {
  let readCount = 0
  const endless = new Readable({
    highWaterMark: 1,
    read() {
      readCount++
      setTimeout(() => this.push(Buffer.from('more')), 0)
    },
  })
  const reader = readChunks(endless)
  await reader.next()
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  assert.ok(readCount < 10, `${readCount} chunks were requested`)
  await reader.return(undefined)
  assert.ok(endless.destroyed)
})

test('an error or a premature end of a stream is thrown', async () => {
  const readAll = async (stream: Readable) => {
    for await (const chunk of readChunks(stream)) assert.equal(String(chunk), 'half')
  }
  const createUnfinishedStream = () => {
    const stream = new Readable({ read() {} })
    stream.push(Buffer.from('half'))
    return stream
  }
  const failingStream = createUnfinishedStream()
  setTimeout(() => failingStream.destroy(new Error('the connection is dead')), 5)
  await assert.rejects(readAll(failingStream), /the connection is dead/)
  const closedStream = createUnfinishedStream()
  setTimeout(() => closedStream.destroy(), 5)
  await assert.rejects(readAll(closedStream), /closed before its end/)
})

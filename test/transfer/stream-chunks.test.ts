import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { readChunks } from '../../lib/transfer/stream-chunks.ts'

const numbered = (count: number) => Array.from({ length: count }, (_, at) => Buffer.from(`piece ${at}`))

/** Pushes all it has at once, as a fast line does. */
const eager = (given: readonly Buffer[]) =>
  new Readable({
    read() {
      for (const piece of given) this.push(piece)
      this.push(null)
    },
  })

test('pieces come as they were given, however slowly they are taken', async () => {
  const given = numbered(50)
  const taken: Buffer[] = []
  for await (const piece of readChunks(eager(given))) {
    taken.push(piece)
    await setImmediate()
  }
  assert.equal(taken.length, 50)
  assert.ok(taken.every((piece, at) => piece === given[at]))
})

test('a slow taker holds the stream back', async () => {
  let asked = 0
  const endless = new Readable({
    highWaterMark: 1,
    read() {
      asked++
      setTimeout(() => this.push(Buffer.from('more')), 0)
    },
  })
  const pieces = readChunks(endless)
  await pieces.next()
  for (let turn = 0; turn < 50; turn++) await setImmediate()
  assert.ok(asked < 10, `${asked} pieces were asked for`)
  await pieces.return(undefined)
  assert.ok(endless.destroyed)
})

test('an error, and an end that came too early, are thrown', async () => {
  const all = async (stream: Readable) => {
    for await (const piece of readChunks(stream)) assert.equal(String(piece), 'half')
  }
  const halfOf = () => {
    const stream = new Readable({ read() {} })
    stream.push(Buffer.from('half'))
    return stream
  }
  const failing = halfOf()
  setTimeout(() => failing.destroy(new Error('the line is dead')), 5)
  await assert.rejects(all(failing), /the line is dead/)
  const closed = halfOf()
  setTimeout(() => closed.destroy(), 5)
  await assert.rejects(all(closed), /closed before its end/)
})

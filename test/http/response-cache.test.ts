import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { AppendableGzip } from '../../lib/http/replies/appendable-gzip.ts'
import { ResponseCache } from '../../lib/http/replies/response-cache.ts'
import { openAccess } from '../../lib/model/principal.ts'

const list = contract({
  method: 'GET',
  path: '/v1/list',
  access: openAccess,
  tag: 'Lists',
  summary: 'A list',
  reply: { status: 200, schema: z.array(z.string()), etag: true, cacheControl: 'public, max-age=300' },
  handle: () => ({ data: [] }),
})

const words = Array.from({ length: 1000 }, (_, at) => `word ${at}`)
const requestWith = (headers: Record<string, string>) => ({ headers })
const gzip = { 'accept-encoding': 'br, gzip' }

test('AppendableGzip returns a compressed text and the text appended to it as one gzip member', async () => {
  const [head, tail] = [Buffer.from(words.join()), Buffer.from(', and the last')]
  const compressedHead = await AppendableGzip.compress(head)
  const bothTexts = Buffer.concat([head, tail])
  const gzipBytes = compressedHead.gzip(tail)
  assert.deepEqual(gunzipSync(gzipBytes), bothTexts)
  // The last four bytes are the uncompressed size of this member (RFC 1952, 2.3.1).
  assert.equal(gzipBytes.readUInt32LE(gzipBytes.length - 4), bothTexts.length)
  assert.deepEqual(gunzipSync(compressedHead.gzip(Buffer.alloc(0))), head)
  assert.deepEqual(await compressedHead.decompressAndAppend(tail), bothTexts)
  assert.ok(gzipBytes.length < bothTexts.length / 3, `${gzipBytes.length} of ${bothTexts.length} bytes`)
})

test('a cached reply is created once for two requests, which get the same data with their own request id', async () => {
  const cache = new ResponseCache()
  let createdCount = 0
  const reply = async () => {
    createdCount++
    return { data: words }
  }
  const cachedReply = { contract: list, name: 'all', reply }
  const [firstReply, secondReply] = await Promise.all([
    cache.respond(cachedReply, requestWith(gzip), 'req_1'),
    cache.respond(cachedReply, requestWith({}), 'req_2'),
  ])
  assert.equal(createdCount, 1)
  const [one, two] = [
    JSON.parse(gunzipSync(Buffer.from(firstReply.body ?? '', 'base64')).toString()),
    JSON.parse(Buffer.from(secondReply.body ?? '', 'base64').toString()),
  ]
  assert.deepEqual([one.success, one.data, one.meta.requestId], [true, words, 'req_1'])
  assert.deepEqual([two.success, two.data, two.meta.requestId], [true, words, 'req_2'])
  assert.equal(firstReply.headers?.['content-encoding'], 'gzip')
  assert.equal(secondReply.headers?.['content-encoding'], undefined)
  assert.notEqual(firstReply.headers?.['etag'], secondReply.headers?.['etag'])
})

test('a client that has the cached reply, compressed or not, receives a 304', async () => {
  const cache = new ResponseCache()
  const cachedReply = { contract: list, name: 'all', reply: async () => ({ data: words }) }
  for (const encoding of [gzip, {}]) {
    const { headers } = await cache.respond(cachedReply, requestWith(encoding), 'req_1')
    for (const other of [gzip, {}]) {
      const etag = String(headers?.['etag'])
      const repeatedReply = await cache.respond(
        cachedReply,
        requestWith({ ...other, 'if-none-match': etag }),
        'req_2',
      )
      assert.equal(repeatedReply.statusCode, 304)
      assert.equal(repeatedReply.body, undefined)
    }
  }
  const other = await cache.respond(cachedReply, requestWith({ 'if-none-match': '"other"' }), 'req_3')
  assert.equal(other.statusCode, 200)
})

test('replies are cached separately per cache key, and failures are not cached', async () => {
  const cache = new ResponseCache()
  const ask = (name: string, reply: () => Promise<{ data: string[] }>) =>
    cache.respond({ contract: list, name, reply }, requestWith({}), 'req_1')
  await assert.rejects(
    ask('a', async () => {
      throw new Error('not now')
    }),
    /not now/,
  )
  const [a, b] = [
    await ask('a', async () => ({ data: ['a'] })),
    await ask('b', async () => ({ data: ['b'] })),
  ]
  const parseData = ({ body = '' }) => JSON.parse(Buffer.from(body, 'base64').toString()).data
  assert.deepEqual([parseData(a), parseData(b)], [['a'], ['b']])
})

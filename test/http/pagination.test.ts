import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createPagination, paginateList, readCursor } from '../../lib/http/pagination.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'

/** Every list reply has the same shape: the list under a name of its own, and `pagination` beside it. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const lists = [
  ['/v1/formats', 'formats'],
  ['/v1/formats/conversions', 'conversions'],
  ['/v1/plans', 'plans'],
  ['/v1/jobs', 'jobs'],
  ['/v1/webhooks', 'webhooks'],
  ['/v1/workflows', 'workflows'],
] as const

describe('pagination of lists', () => {
  test('each list endpoint returns its list in a field of its own, next to the same pagination fields', async () => {
    for (const [path, name] of lists) {
      const { status, json } = await app.send('GET', path)
      assert.equal(status, 200, path)
      assert.ok(Array.isArray(json.data[name]), path)
      assert.deepEqual(
        Object.keys(json.data.pagination).toSorted(),
        ['hasMore', 'limit', 'nextCursor', 'prevCursor'],
        path,
      )
    }
  })

  test('formats, conversions and plans are listed completely if the request has no `limit` parameter', async () => {
    for (const [path, name] of lists.slice(0, 3)) {
      const { data } = (await app.send('GET', path)).json
      const { length } = data[name]
      assert.ok(length > 1)
      assert.deepEqual(
        data.pagination,
        { limit: length, hasMore: false, nextCursor: null, prevCursor: null },
        path,
      )
    }
  })

  test('a client can read all pages of GET /v1/plans forward and back by nextCursor and prevCursor', async () => {
    const pages: string[][] = []
    const read = async (query: Record<string, string>) => {
      const { json, headers } = await app.send('GET', '/v1/plans', { query })
      const ids = (json.data.plans as { id: string }[]).map(({ id }) => id)
      return { ids, ...json.data.pagination, link: headers['link'] }
    }
    let page = await read({ limit: '2' })
    assert.match(page.link, /^<[^>]+limit=2&cursor=[^>]+>; rel="next"$/)
    for (;;) {
      pages.push(page.ids)
      if (!page.hasMore) break
      page = await read({ limit: '2', cursor: page.nextCursor })
    }
    assert.match(page.link, /rel="prev"$/)
    assert.deepEqual(pages.flat(), (await read({})).ids)
    for (const ids of pages.toReversed().slice(1)) {
      page = await read({ limit: '2', cursor: page.prevCursor })
      assert.deepEqual(page.ids, ids)
    }
    assert.equal(page.prevCursor, null)
  })

  test('GET /v1/webhooks can still be paginated with the old parameter `before` and the old field `next`', async () => {
    const owner = await app.send('POST', '/v1/webhooks', {
      body: { url: 'https://example.com/1', events: ['*'] },
    })
    const headers = { 'x-owner-token': owner.headers['x-owner-token'] ?? '' }
    for (const at of [2, 3])
      await app.send('POST', '/v1/webhooks', {
        body: { url: `https://example.com/${at}`, events: ['*'] },
        headers,
      })
    const list = async (query: Record<string, string>) =>
      (await app.send('GET', '/v1/webhooks', { headers, query: { limit: '1', ...query } })).json.data
    const first = await list({})
    const [pageByBefore, pageByCursor] = [
      await list({ before: first.next }),
      await list({ cursor: first.pagination.nextCursor }),
    ]
    assert.deepEqual(pageByBefore, pageByCursor)
    assert.notDeepEqual(pageByBefore.webhooks, first.webhooks)
    const back = await list({ cursor: pageByCursor.pagination.prevCursor })
    assert.deepEqual(back, first)
  })

  test('each list endpoint refuses malformed cursors', async () => {
    const malformedCursors = [
      'x',
      'W10x',
      Buffer.from('{"a":1}').toString('base64url'),
      Buffer.from('["~"]').toString('base64url'),
    ]
    for (const [path] of lists)
      for (const cursor of [...malformedCursors, 'é', '%00', 'a'.repeat(9000)]) {
        const { status, json } = await app.send('GET', path, { query: { limit: '1', cursor } })
        assert.deepEqual(
          [status, json.error?.code, json.error?.details.field],
          [400, 'INVALID_INPUT', 'cursor'],
          path,
        )
      }
  })
})

test('list cursors stay short after hundreds of pages', () => {
  const entries = Array.from({ length: 500 }, (_, index) => `whk_${String(index).padStart(26, '0')}`)
  let cursor: string | undefined
  for (let at = 0; at < 400; at++) {
    const { pagination } = paginateList(entries, { limit: 1, cursor }, (id) => id)
    cursor = pagination.nextCursor ?? undefined
    assert.ok((cursor?.length ?? 0) < 5000)
  }
  assert.equal(readCursor(cursor, (token) => entries.includes(token)).at(-1), entries[399])
  assert.equal(createPagination(1, [], null).prevCursor, null)
})

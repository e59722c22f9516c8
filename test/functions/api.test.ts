import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorStatus } from '../../lib/errors.ts'
import { imageIds } from '../../lib/resources.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../service.ts'

let service: TestService
let client: Client
before(async () => {
  service = await startService()
  client = new Client(service)
})
after(() => service.stop())

const json = async (response: Response) =>
  (await response.json()) as Record<string, never> & { [name: string]: unknown }

test('GET /v1 says what this is and where to go on', async () => {
  const response = await client.fetch('/v1')
  assert.equal(response.status, 200)
  const body = await json(response)
  assert.equal(body['success'], true)
  assert.deepEqual(Object.keys(body), ['success', 'data', 'meta'])
})

test('an unknown path answers 404 in the error envelope, with the request id in header and body', async () => {
  const response = await client.fetch('/v1/nothing', { headers: { 'x-request-id': 'my-id-1' } })
  assert.equal(response.status, 404)
  assert.equal(response.headers.get('x-request-id'), 'my-id-1')
  const body = (await response.json()) as {
    success: boolean
    error: { code: string }
    meta: { requestId: string }
  }
  assert.equal(body.success, false)
  assert.equal(body.error.code, 'NOT_FOUND')
  assert.equal(body.meta.requestId, 'my-id-1')
})

test('a request id that could break a log line is replaced', async () => {
  const response = await client.fetch('/v1', { headers: { 'x-request-id': 'a b"c' } })
  assert.match(response.headers.get('x-request-id') ?? '', /^req_[0-9A-Z]{26}$/)
})

test('a wrong method answers 405 with the methods that are allowed', async () => {
  const response = await client.fetch('/v1/convert')
  assert.equal(response.status, 405)
  assert.equal(response.headers.get('allow'), 'POST, OPTIONS')
  const other = await client.fetch('/v1/jobs', { method: 'TRACE' as 'GET' }).catch(() => undefined)
  assert.equal(other, undefined, 'fetch refuses TRACE; raw clients get 405 as well')
})

test('HEAD answers as GET without a body', async () => {
  const get = await client.fetch('/v1/formats/png')
  const head = await client.fetch('/v1/formats/png', { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('etag'), get.headers.get('etag'))
  assert.equal(await head.text(), '')
})

test('OPTIONS tells browsers of any origin what they may do', async () => {
  const response = await client.fetch('/v1/convert', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-owner-token',
    },
  })
  assert.equal(response.status, 204)
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.match(response.headers.get('access-control-allow-methods') ?? '', /POST/)
  assert.equal(response.headers.get('access-control-allow-headers'), 'x-owner-token')
})

test('errors come as problem details when asked for', async () => {
  const response = await client.fetch('/v1/formats/nope', { headers: { accept: 'application/problem+json' } })
  assert.equal(response.status, 404)
  assert.equal(response.headers.get('content-type'), 'application/problem+json')
  const body = (await response.json()) as Record<string, unknown>
  assert.equal(body['type'], `${service.url}/errors/format-not-found`)
  assert.equal(body['title'], 'Format not found')
  assert.equal(body['status'], 404)
  assert.equal(body['instance'], '/v1/formats/nope')
  assert.equal(body['code'], 'FORMAT_NOT_FOUND')
})

test('a client that has the formats already gets 304', async () => {
  const first = await client.fetch('/v1/formats')
  const etag = first.headers.get('etag')
  assert.match(etag ?? '', /^"[\w-]+"$/)
  assert.equal(first.headers.get('cache-control'), 'public, max-age=300')
  await first.text()
  const second = await client.fetch('/v1/formats', { headers: { 'if-none-match': etag ?? '' } })
  assert.equal(second.status, 304)
  assert.equal(await second.text(), '')
})

test('formats tell what they become, and totals are counted from the registry', async () => {
  const { data } = (await (await client.fetch('/v1/formats?category=image')).json()) as {
    data: {
      formats: { id: string; category: string; targets: string[] }[]
      totals: { formats: number; pairs: number }
    }
  }
  assert.ok(data.formats.length > 5, `${data.formats.length} formats`)
  assert.deepEqual([...new Set(data.formats.map(({ category }) => category))], ['image'])
  const targets = data.formats.find(({ id }) => id === 'png')?.targets
  assert.ok(targets?.includes('webp'), `png becomes ${targets}`)
  assert.ok(data.totals.pairs > data.totals.formats, JSON.stringify(data.totals))
})

test('a format is found by its alias', async () => {
  const { data } = (await (await client.fetch('/v1/formats/JPEG')).json()) as { data: { id: string } }
  assert.equal(data.id, 'jpg')
})

test('conversions of a pair come with the options of that pair', async () => {
  const response = await client.fetch('/v1/formats/conversions?from=png&to=jpg')
  const { data } = (await response.json()) as {
    data: {
      conversions: {
        from: string
        to: string
        engines: string[]
        options: { name: string; type: string; description: string }[]
      }[]
    }
  }
  const [pair] = data.conversions
  assert.equal(data.conversions.length, 1)
  assert.deepEqual(pair?.engines, ['vips'])
  const names = pair?.options.map(({ name }) => name)
  assert.ok(names?.includes('quality'), `its options are ${names}`)
  const bare = pair?.options.filter(({ description }) => description === '')
  assert.deepEqual(bare, [], 'these options have no description')
})

test('all conversions share their options, and are far from what a function may answer', async () => {
  const response = await client.fetch('/v1/formats/conversions')
  const text = await response.text()
  // Lambda ends an answer at 6 MB.
  assert.ok(text.length < 5_000_000, `${text.length} bytes`)
  const { data } = JSON.parse(text) as {
    data: {
      conversions: { from: string; to: string; optionSet: number; experimental: boolean }[]
      optionSets: { name: string }[][]
      total: number
    }
  }
  const of = (from: string, to: string) =>
    data.conversions.find((pair) => pair.from === from && pair.to === to)
  const pair = of('png', 'jpg')
  const names = data.optionSets[pair?.optionSet ?? -1]?.map(({ name }) => name)
  assert.ok(names?.includes('quality'), `its options are ${names}`)
  assert.equal(pair?.experimental, false)
  assert.equal(of('docx', 'xlsx')?.experimental, true)
})

test('a tool is listed with the formats and options that it takes', async () => {
  const { data } = (await (await client.fetch('/v1/formats/conversions?operation=rotate-pdf')).json()) as {
    data: { conversions: { from: string; to: string; options: { name: string }[] }[] }
  }
  for (const { from, options } of data.conversions) {
    assert.equal(from, 'pdf')
    assert.ok(options.length > 0, 'the tool has no options')
  }
  const wrong = await client.fetch('/v1/formats/conversions?operation=rotate')
  assert.equal(wrong.status, 400)
})

test('a long list comes compressed to who can read that, and is known again by its ETag', async () => {
  // fetch asks for gzip by itself and unpacks it.
  const response = await client.fetch('/v1/formats/conversions')
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.equal(response.headers.get('vary'), 'accept-encoding')
  const { data } = (await response.json()) as { data: { conversions: unknown[]; total: number } }
  assert.equal(data.conversions.length, data.total)
  const etag = response.headers.get('etag') ?? ''
  const again = await client.fetch('/v1/formats/conversions', { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  const plain = await client.fetch('/v1/formats/conversions', { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  await plain.text()
})

test('the pages of all conversions are all conversions, each with its options', async () => {
  interface Page {
    conversions: { from: string; to: string; optionSet: number }[]
    optionSets: { name: string }[][]
    total: number
    pagination: { limit: number; hasMore: boolean; nextCursor: string | null }
  }
  const pageAt = async (path: string) => {
    const response = await client.fetch(path)
    assert.equal(response.status, 200, path)
    return { page: ((await response.json()) as { data: Page }).data, link: response.headers.get('link') }
  }
  const named = ({ conversions }: Page) => conversions.map(({ from, to }) => `${from} ${to}`)
  const { page: whole } = await pageAt('/v1/formats/conversions?category=font')
  assert.equal(whole.pagination, undefined)
  const seen: string[] = []
  let path: string | undefined = '/v1/formats/conversions?category=font&limit=50'
  while (path !== undefined) {
    const { page, link } = await pageAt(path)
    assert.ok(page.conversions.length <= 50, `${page.conversions.length} pairs`)
    assert.equal(page.total, whole.total)
    assert.ok(page.conversions.every(({ optionSet }) => page.optionSets[optionSet]))
    assert.equal(page.pagination.hasMore, link !== null)
    seen.push(...named(page))
    path = link === null ? undefined : /<[^/]*\/\/[^/]+(.+)>; rel="next"/.exec(link)?.[1]
  }
  assert.deepEqual(seen, named(whole))
  const { page: last } = await pageAt(`/v1/formats/conversions?category=font&limit=${whole.total}`)
  assert.deepEqual(last.pagination, { limit: whole.total, hasMore: false, nextCursor: null })
  const refused = await client.fetch('/v1/formats/conversions?limit=50&cursor=png:nothing')
  assert.equal(refused.status, 400)
  assert.match(((await refused.json()) as { error: { message: string } }).error.message, /^cursor: /)
})

test('the OpenAPI document describes every endpoint and every code that it may answer', async () => {
  const document = (await (await client.fetch('/v1/openapi.json')).json()) as {
    openapi: string
    paths: Record<string, Record<string, { summary: string; responses: Record<string, unknown> }>>
  }
  assert.equal(document.openapi, '3.1.0')
  const paths = Object.keys(document.paths)
  for (const path of [
    '/v1/convert',
    '/v1/status/{jobId}',
    '/v1/download/{jobId}',
    '/v1/jobs',
    '/v1/jobs/{jobId}',
    '/v1/uploads/presign',
    '/v1/formats',
    '/health',
  ]) {
    assert.ok(paths.includes(path), path)
  }
  const statuses = new Set(Object.values(errorStatus).map(String))
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(operations)) {
      const failures = Object.keys(responses).filter((status) => Number(status) >= 400)
      const unknown = failures.filter((status) => !statuses.has(status))
      assert.deepEqual(unknown, [], `${path} answers what no error has`)
    }
  }
})

test('the reference page and its parts are served from here', async () => {
  for (const path of ['/docs', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css', '/docs/docs.js']) {
    const response = await client.fetch(path)
    assert.equal(response.status, 200, path)
    assert.ok((await response.text()).length > 50, `${path} is empty`)
  }
  assert.match(
    (await client.fetch('/docs/swagger-ui-bundle.js')).headers.get('content-type') ?? '',
    /charset=utf-8/,
  )
  assert.equal((await client.fetch('/docs/package.json')).status, 404)
  assert.equal((await client.fetch('/web/..%2f..%2fpackage.json')).status, 404)
})

test('health names every part and is 200 when a conversion would work', async () => {
  const response = await client.fetch('/health')
  const body = (await response.json()) as {
    status: string
    parts: Record<string, { ok: boolean }>
    engines: { id: string; available: boolean }[]
  }
  assert.equal(response.status, 200)
  assert.deepEqual(
    Object.keys(body.parts).sort(),
    [...imageIds.map((image) => `queue-${image}`), 'disk', 'files', 'table'].sort(),
  )
  const absent = body.engines.filter(({ available }) => !available).map(({ id }) => id)
  assert.deepEqual(absent, [], 'these engines are not there')
})

test('an identity is handed out once and accepted back as header or cookie', async () => {
  const first = await fetch(`${service.url}/v1/jobs`)
  const token = first.headers.get('x-owner-token')
  assert.match(token ?? '', /^anon_[0-9A-Z]{26}\.[\w-]{43}$/)
  assert.match(first.headers.get('set-cookie') ?? '', /^mutabor_owner=anon_.*; HttpOnly; SameSite=Lax$/)
  const again = await fetch(`${service.url}/v1/jobs`, { headers: { cookie: `mutabor_owner=${token}` } })
  assert.equal(again.headers.get('x-owner-token'), null)
  const forged = await fetch(`${service.url}/v1/jobs`, {
    headers: { 'x-owner-token': `${token?.split('.')[0]}.AAAA` },
  })
  assert.notEqual(forged.headers.get('x-owner-token'), null)
})

test('a wrong query names the field, what was expected and what came', async () => {
  const response = await client.fetch('/v1/jobs?limit=1000')
  assert.equal(response.status, 400)
  const { error } = (await response.json()) as {
    error: { code: string; message: string; details: { field: string } }
  }
  assert.equal(error.code, 'INVALID_INPUT')
  assert.equal(error.details.field, 'limit')
  assert.match(error.message, /100/)
})

test('the paths of PDF tools that never existed lead to the operation that does it', async () => {
  const response = await client.fetch('/v1/pdf/ocr', { method: 'POST' })
  assert.equal(response.status, 404)
  const { error } = (await response.json()) as { error: { details: { hint: string } } }
  assert.equal(error.details.hint, 'POST /v1/convert toolOperation=ocr-pdf')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorCatalog } from '../../lib/error-catalog.ts'
import { queueIds } from '../../lib/resources/queues.ts'
import { after, before } from '../hooks.ts'
import { OpenApiChecker } from '../support/openapi-checker.ts'
import { Client, startService, type TestService } from '../support/service.ts'

let service: TestService

let client: Client

before(async () => {
  service = await startService()
  client = new Client(service)
})

after(() => service.stop())

const json = async (response: Response) =>
  (await response.json()) as Record<string, never> & { [name: string]: unknown }

test('GET /v1 returns a JSON object with the members success, data and meta', async () => {
  const response = await client.fetch('/v1')
  assert.equal(response.status, 200)
  const body = await json(response)
  assert.equal(body['success'], true)
  assert.deepEqual(Object.keys(body), ['success', 'data', 'meta'])
})

test('an unknown path returns 404 in the error envelope, with the request id in header and body', async () => {
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
  const longPathReply = await client.fetch(`/v1/${'a'.repeat(5000)}`)
  assert.ok((await longPathReply.text()).length < 400, 'the path is shortened in the message')
})

test('an X-Request-Id that could break a log line is replaced', async () => {
  const response = await client.fetch('/v1', { headers: { 'x-request-id': 'a b"c' } })
  assert.match(response.headers.get('x-request-id') ?? '', /^req_[0-9A-Z]{26}$/)
})

test('an unsupported method returns 405 with the allowed methods', async () => {
  const response = await client.fetch('/v1/convert')
  assert.equal(response.status, 405)
  assert.equal(response.headers.get('allow'), 'POST, OPTIONS')
  const otherReply = await client.fetch('/v1/jobs', { method: 'TRACE' as 'GET' }).catch(() => undefined)
  assert.equal(otherReply, undefined, 'fetch refuses TRACE; raw clients get 405 as well')
})

test('HEAD /v1/formats/png returns the ETag of GET without a body', async () => {
  const get = await client.fetch('/v1/formats/png')
  const head = await client.fetch('/v1/formats/png', { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('etag'), get.headers.get('etag'))
  assert.equal(await head.text(), '')
})

test('OPTIONS returns the allowed methods and headers for any origin', async () => {
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

test('errors are returned as problem details if the client accepts them', async () => {
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

test('a client that has cached the format list receives 304', async () => {
  const firstReply = await client.fetch('/v1/formats')
  const etag = firstReply.headers.get('etag')
  assert.match(etag ?? '', /^"[\w-]+"$/)
  assert.equal(firstReply.headers.get('cache-control'), 'public, max-age=300')
  await firstReply.text()
  const secondReply = await client.fetch('/v1/formats', { headers: { 'if-none-match': etag ?? '' } })
  assert.equal(secondReply.status, 304)
  assert.equal(await secondReply.text(), '')
})

test('GET /v1/formats?category=image lists only image formats, with their targets and with totals', async () => {
  const { data } = (await (await client.fetch('/v1/formats?category=image')).json()) as {
    data: {
      formats: { id: string; category: string; targets: string[] }[]
      totals: { formats: number; pairs: number }
    }
  }
  assert.ok(data.formats.length > 5, `${data.formats.length} formats`)
  assert.deepEqual([...new Set(data.formats.map(({ category }) => category))], ['image'])
  const targets = data.formats.find(({ id }) => id === 'png')?.targets
  assert.ok(targets?.includes('webp'), `the targets of png are ${targets}`)
  assert.ok(data.totals.pairs > data.totals.formats, JSON.stringify(data.totals))
})

test('GET /v1/formats/JPEG finds the format jpg by its alias', async () => {
  const { data } = (await (await client.fetch('/v1/formats/JPEG')).json()) as { data: { id: string } }
  assert.equal(data.id, 'jpg')
})

test('GET /v1/formats/conversions lists the engine and the options of a format pair', async () => {
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
  const undescribedOptions = pair?.options.filter(({ description }) => description === '')
  assert.deepEqual(undescribedOptions, [], 'these options have no description')
})

test('the list of all conversions shares sets of options and stays below 5 MB', async () => {
  const response = await client.fetch('/v1/formats/conversions')
  const text = await response.text()
  // Lambda limits a reply to 6 MB.
  assert.ok(text.length < 5_000_000, `${text.length} bytes`)
  const { data } = JSON.parse(text) as {
    data: {
      conversions: { from: string; to: string; optionSet: number; experimental: boolean }[]
      optionSets: { name: string }[][]
      total: number
    }
  }
  const findConversion = (from: string, to: string) =>
    data.conversions.find((pair) => pair.from === from && pair.to === to)
  const pair = findConversion('png', 'jpg')
  const names = data.optionSets[pair?.optionSet ?? -1]?.map(({ name }) => name)
  assert.ok(names?.includes('quality'), `its options are ${names}`)
  assert.equal(pair?.experimental, false)
  assert.equal(findConversion('docx', 'xlsx')?.experimental, true)
})

test('GET /v1/formats/conversions?operation=rotate-pdf lists the formats and options of the tool', async () => {
  const { data } = (await (await client.fetch('/v1/formats/conversions?operation=rotate-pdf')).json()) as {
    data: { conversions: { from: string; to: string; options: { name: string }[] }[] }
  }
  for (const { from, options } of data.conversions) {
    assert.equal(from, 'pdf')
    assert.ok(options.length > 0, 'the tool has no options')
  }
  const wrongReply = await client.fetch('/v1/formats/conversions?operation=rotate')
  assert.equal(wrongReply.status, 400)
})

test('the conversion list is compressed for clients that accept gzip, and has an ETag', async () => {
  // fetch requests and decompresses gzip automatically.
  const response = await client.fetch('/v1/formats/conversions')
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.equal(response.headers.get('vary'), 'accept-encoding')
  const { data } = (await response.json()) as { data: { conversions: unknown[]; total: number } }
  assert.equal(data.conversions.length, data.total)
  const etag = response.headers.get('etag') ?? ''
  const cachedReply = await client.fetch('/v1/formats/conversions', { headers: { 'if-none-match': etag } })
  assert.equal(cachedReply.status, 304)
  const plainReply = await client.fetch('/v1/formats/conversions', {
    headers: { 'accept-encoding': 'identity' },
  })
  assert.equal(plainReply.headers.get('content-encoding'), null)
  await plainReply.text()
})

test('the pages of the conversion list together contain all conversions with their options', async () => {
  interface Page {
    conversions: { from: string; to: string; optionSet: number }[]
    optionSets: { name: string }[][]
    total: number
    pagination: { limit: number; hasMore: boolean; nextCursor: string | null }
  }
  const fetchPage = async (path: string) => {
    const response = await client.fetch(path)
    assert.equal(response.status, 200, path)
    const links = response.headers.get('link')?.split(', ') ?? []
    const next = links.flatMap((link) => /<[^/]*\/\/[^/]+(.+)>; rel="next"/.exec(link)?.[1] ?? [])[0]
    return { page: ((await response.json()) as { data: Page }).data, next }
  }
  const getPairNames = ({ conversions }: Page) => conversions.map(({ from, to }) => `${from} ${to}`)
  const { page: wholePage } = await fetchPage('/v1/formats/conversions?category=font')
  assert.equal(wholePage.pagination.hasMore, false)
  const pairs: string[] = []
  let path: string | undefined = '/v1/formats/conversions?category=font&limit=50'
  while (path !== undefined) {
    const { page, next } = await fetchPage(path)
    assert.ok(page.conversions.length <= 50, `${page.conversions.length} pairs`)
    assert.equal(page.total, wholePage.total)
    assert.ok(page.conversions.every(({ optionSet }) => page.optionSets[optionSet]))
    assert.equal(page.pagination.hasMore, next !== undefined)
    pairs.push(...getPairNames(page))
    path = next
  }
  assert.deepEqual(pairs, getPairNames(wholePage))
  const { page: lastPage } = await fetchPage(`/v1/formats/conversions?category=font&limit=${wholePage.total}`)
  assert.deepEqual(lastPage.pagination, {
    limit: wholePage.total,
    hasMore: false,
    nextCursor: null,
    prevCursor: null,
  })
  const refusedReply = await client.fetch('/v1/formats/conversions?limit=50&cursor=png:nothing')
  assert.equal(refusedReply.status, 400)
  assert.match(((await refusedReply.json()) as { error: { message: string } }).error.message, /^cursor: /)
})

test('the OpenAPI document contains the main endpoints, and each of its error statuses is in the error catalog', async () => {
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
  const statuses = new Set(Object.values(errorCatalog).map(({ status }) => String(status)))
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { responses } of Object.values(operations)) {
      const failures = Object.keys(responses).filter((status) => Number(status) >= 400)
      const undefinedStatuses = failures.filter((status) => !statuses.has(status))
      assert.deepEqual(undefinedStatuses, [], `${path} has a status of no error`)
    }
  }
})

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

type Content = Readonly<Record<string, Media>>

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const getExampleValues = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map(({ value }) => value) : example === undefined ? [] : [example]

/** Returns every request and reply body of an operation, with its place in the document. */
function getBodies({ requestBody, responses }: Operation) {
  const requests = Object.entries(requestBody?.content ?? {}).map(([type, media]) => ({
    place: ['requestBody', 'content', type],
    media,
    isNeeded: true,
  }))
  const replies = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, media]) => ({
      place: ['responses', status, 'content', type],
      media,
      isNeeded: Number(status) < 300,
    })),
  )
  return [...requests, ...replies]
}

test('every operation in the OpenAPI document has request and reply examples that match their schemas', async () => {
  const checker = new OpenApiChecker((await (await client.fetch('/v1/openapi.json')).json()) as object)
  const operations = Object.entries(checker.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as Operation,
    })),
  )
  for (const { path, method, operation } of operations) {
    const label = `${method} ${path}`
    const pathParameters = operation.parameters?.filter((parameter) => parameter.in === 'path') ?? []
    assert.ok(
      pathParameters.every(({ example }) => example !== undefined),
      `${label} has no example of its address`,
    )
    for (const { place, media, isNeeded } of getBodies(operation)) {
      const values = getExampleValues(media)
      assert.ok(values.length > 0 || !isNeeded, `${label} has no example of ${place}`)
      for (const value of values)
        checker.validate(['paths', path, method, ...place, 'schema'], value, `${label} has an example`)
    }
  }
})

test('the server serves the page and its assets, but no other files', async () => {
  for (const path of ['/docs', '/formats/png-to-webp', '/web/icon.svg']) {
    const response = await client.fetch(path)
    assert.equal(response.status, 200, path)
    assert.ok((await response.text()).length > 50, `${path} is empty`)
  }
  assert.equal((await client.fetch('/docs/package.json')).status, 404)
  assert.equal((await client.fetch('/web/..%2f..%2fpackage.json')).status, 404)
})

test('the health endpoint lists every component and returns 200 if conversions work', async () => {
  const response = await client.fetch('/health')
  const body = (await response.json()) as {
    status: string
    parts: Record<string, { ok: boolean }>
    engines: { id: string; available: boolean }[]
  }
  assert.equal(response.status, 200)
  assert.deepEqual(
    Object.keys(body.parts).sort(),
    [...queueIds.map((queue) => `queue-${queue}`), 'disk', 'files', 'table'].sort(),
  )
  const unavailableEngines = body.engines.filter(({ available }) => !available).map(({ id }) => id)
  assert.deepEqual(unavailableEngines, [], 'these engines are missing')
})

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import * as z from 'zod'
import type { Config } from '../../lib/config.ts'
import { parseBatchItems } from '../../lib/http/batch-items.ts'
import { decodeRequestBody } from '../../lib/http/body/content-encoding.ts'
import { HeadAndTail } from '../../lib/http/body/head-and-tail.ts'
import { readStream } from '../../lib/http/body/read-body.ts'
import { contract, type HttpEvent } from '../../lib/http/contract.ts'
import { collectOptions } from '../../lib/http/conversion-request.ts'
import { optionalBooleanParameter } from '../../lib/http/query.ts'
import { createServicesForOrigin, getOrigin } from '../../lib/http/request-origin.ts'
import { createRouter } from '../../lib/http/router.ts'
import { uploadIdsSchema } from '../../lib/http/upload-ids.ts'
import { openAccess } from '../../lib/model/principal.ts'
import { getClientIpBehindEdge } from '../../lib/net/edge-origin.ts'
import type { Services } from '../../lib/services/services.ts'
import { requireUniqueFields } from '../../lib/validation/repeated-field.ts'

describe('Content-Encoding of request bodies', () => {
  const text = Buffer.from('{"text":"mutabor"}')
  const read = (bytes: Buffer, encoding?: string, kind: 'json' | 'multipart' = 'json') =>
    readStream(decodeRequestBody(Readable.from([bytes]), encoding, kind), 100)

  test('an encoded request body is decoded', async () => {
    const encodedBodies: [encoding: string | undefined, bytes: Buffer][] = [
      [undefined, text],
      ['', text],
      ['identity', text],
      [' GZIP ', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
      ['zstd', zstdCompressSync(text)],
    ]
    for (const [encoding, bytes] of encodedBodies)
      assert.deepEqual(await read(bytes, encoding), text, encoding)
  })

  test('the size limit of a request body applies after decoding', async () => {
    const longGzippedBody = gzipSync(Buffer.alloc(101))
    assert.ok(longGzippedBody.length < 100)
    await assert.rejects(read(longGzippedBody, 'gzip'), {
      code: 'INVALID_REQUEST',
      details: { maxBytes: 100 },
    })
    assert.equal((await read(gzipSync(Buffer.alloc(100)), 'gzip')).length, 100)
  })

  test('a request body that does not match its Content-Encoding, or has an unsupported one, is rejected', async () => {
    for (const [encoding, bytes] of [
      ['gzip', text],
      ['br', text],
      ['zstd', text],
      ['gzip', gzipSync(text).subarray(0, 12)],
    ] as const) {
      await assert.rejects(read(bytes, encoding), {
        code: 'INVALID_REQUEST',
        details: { field: 'Content-Encoding' },
      })
    }
    assert.throws(() => decodeRequestBody(Readable.from([]), 'compress', 'json'), {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Content-Encoding: expected gzip, deflate, br, zstd or none, got "compress".',
      details: { field: 'Content-Encoding', expected: ['gzip', 'deflate', 'br', 'zstd'] },
    })
  })

  test('a multipart form with Content-Encoding: gzip is rejected', async () => {
    assert.throws(() => decodeRequestBody(Readable.from([]), 'gzip', 'multipart'), {
      code: 'UNSUPPORTED_MEDIA_TYPE',
      details: { field: 'Content-Encoding', expected: ['identity'] },
    })
    assert.deepEqual(await read(text, 'identity', 'multipart'), text)
  })
})

describe('request fields', () => {
  test('the items field of a batch can be an array or JSON text', () => {
    const items = [{ uploadId: 'upl_1', targetFormat: 'webp', options: { quality: 5 }, dpi: 7 }]
    assert.deepEqual(parseBatchItems(items), items)
    assert.deepEqual(parseBatchItems(JSON.stringify(items)), items)
    assert.deepEqual(parseBatchItems([{ upload_id: 'upl_1', target_format: 'webp', jpeg_quality: 5 }]), [
      { uploadId: 'upl_1', targetFormat: 'webp', jpeg_quality: 5 },
    ])
    for (const noItems of [undefined, '']) assert.equal(parseBatchItems(noItems), undefined)
    for (const [wrong, message] of [
      ['{', /^items: expected a JSON array/],
      [{}, /^items: expected a list/],
      [[1], /^items\.0: expected an object, got 1/],
      [[{ filename: 'a'.repeat(1025) }], /^items\.0\.filename: expected a text/],
      [[{}, { upload_id: 1 }], /^items\.1\.upload_id: expected a text/],
    ] as const)
      assert.throws(() => parseBatchItems(wrong), { code: 'INVALID_INPUT', message }, JSON.stringify(wrong))
  })

  test('an option can be sent in `options` or as a field, but not with different values in both', () => {
    const schema = z.object({ targetFormat: z.string(), options: z.unknown() })
    const collect = (body: Record<string, unknown>) =>
      collectOptions({ targetFormat: 'pdf', ...body }, schema)
    assert.deepEqual(collect({}), {})
    assert.deepEqual(collect({ dpi: 7, options: { quality: 5 } }), { dpi: 7, quality: 5 })
    assert.deepEqual(collect({ dpi: 7, options: '{"quality":5}' }), { dpi: 7, quality: 5 })
    assert.deepEqual(collect({ options: ' ' }), {})
    // A form sends text.
    assert.deepEqual(collect({ dpi: '7', options: { dpi: 7 } }), { dpi: '7' })
    assert.throws(() => collect({ dpi: 8, options: { dpi: 7 } }), {
      code: 'INVALID_INPUT',
      details: { field: 'dpi' },
    })
    for (const wrongItems of ['[]', '{', '1'])
      assert.throws(() => collect({ options: wrongItems }), /^AppError: options: expected a JSON object/)
  })

  test('the upload ids of a request can be an array, JSON text or a comma-separated list', () => {
    for (const ids of [['a', 'b'], '["a","b"]', 'a, b,', ' ["a","b"]'])
      assert.deepEqual(uploadIdsSchema.parse(ids), ['a', 'b'])
    const manyIds = Array.from({ length: 101 }, (_, at) => `u${at}`)
    for (const wrongIds of [[''], '[', '[1]', ['a'.repeat(65)], manyIds, manyIds.join(), 7])
      assert.equal(uploadIdsSchema.safeParse(wrongIds).success, false, JSON.stringify(wrongIds).slice(0, 40))
    assert.equal(uploadIdsSchema.parse(manyIds.slice(1).join()).length, 100)
    assert.equal(uploadIdsSchema.parse(['a'.repeat(64)]).length, 1)
  })

  test('a Boolean field of a request accepts true, false, yes, no, on, off, 1 and 0 in any case', () => {
    const parse = (text: string | undefined) => optionalBooleanParameter.parse(text)
    for (const text of ['true', '1', 'Yes', 'ON']) assert.equal(parse(text), true, text)
    for (const text of ['false', '0', 'no', 'Off']) assert.equal(parse(text), false, text)
    assert.deepEqual(
      [parse(undefined), optionalBooleanParameter.safeParse('maybe').success],
      [undefined, false],
    )
  })

  test('a repeated field of a request is rejected, and the error names the field', () => {
    assert.deepEqual(
      requireUniqueFields([
        ['a', '1'],
        ['b', '2'],
      ]),
      { a: '1', b: '2' },
    )
    const name = 'n'.repeat(70)
    assert.throws(
      () =>
        requireUniqueFields([
          [name, '1'],
          ['b', '2'],
          [name, '1'],
        ]),
      {
        code: 'INVALID_INPUT',
        details: { field: 'n'.repeat(64) },
      },
    )
  })
})

test('the first and the last 64 KiB of a stream are buffered, for chunks of different sizes', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251))
  const edge = 64 * 1024
  for (const step of [1000, 70_000, 300_000]) {
    const headAndTail = new HeadAndTail()
    for (let at = 0; at < bytes.length; at += step) headAndTail.add(bytes.subarray(at, at + step))
    const isSameRange = (start: number, end: number) =>
      assert.deepEqual(
        Buffer.from(headAndTail.read(start, end) ?? []),
        bytes.subarray(start, end),
        `${start}-${end}`,
      )
    isSameRange(0, edge)
    isSameRange(100, 200)
    isSameRange(bytes.length - edge, bytes.length)
    isSameRange(bytes.length - 10, bytes.length + 10)
    isSameRange(bytes.length - 20, bytes.length - 10)
    if (step === 1000) {
      assert.equal(headAndTail.read(0, edge + 1), undefined)
      assert.equal(headAndTail.read(bytes.length - edge - 1000, bytes.length), undefined)
      assert.equal(headAndTail.read(100_000, 100_001), undefined)
    }
  }
  const shortHeadAndTail = new HeadAndTail()
  shortHeadAndTail.add(bytes.subarray(0, 10))
  assert.deepEqual(Buffer.from(shortHeadAndTail.read(2, 99) ?? []), bytes.subarray(2, 10))
})

describe('routing of requests', () => {
  const createContract = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
    contract({
      method,
      path,
      access: openAccess,
      tag: 'Test',
      summary: path,
      reply: { status: 200, schema: z.object({}) },
      handle: () => ({ data: {} }),
    })
  const [read, remove, make] = [
    createContract('GET', '/v1/jobs/:jobId'),
    createContract('DELETE', '/v1/jobs/:jobId'),
    createContract('POST', '/v1/jobs'),
  ]
  const router = createRouter([read, remove, make])

  test('a request is routed to its contract, HEAD is routed like GET, and a trailing slash is ignored', () => {
    for (const [method, path, foundContract] of [
      ['GET', '/v1/jobs/job_1', read],
      ['HEAD', '/v1/jobs/job_1/', read],
      ['DELETE', '/v1/jobs/job_1', remove],
      ['POST', '/v1/jobs', make],
    ] as const) {
      assert.equal(router.find(method, path).contract, foundContract)
    }
    assert.deepEqual({ ...router.find('GET', '/v1/jobs/job_1').params }, { jobId: 'job_1' })
  })

  test('a request with an unsupported method is refused, and the error lists the allowed methods', () => {
    assert.deepEqual(router.listMethods('/v1/jobs/job_1'), ['GET', 'DELETE', 'HEAD', 'OPTIONS'])
    assert.deepEqual(router.listMethods('/v1/jobs'), ['POST', 'OPTIONS'])
    assert.deepEqual(router.listMethods('/v2'), [])
    for (const method of ['POST', 'PUT'])
      assert.throws(() => router.find(method, '/v1/jobs/job_1'), {
        code: 'METHOD_NOT_ALLOWED',
        details: { method, allowed: ['GET', 'DELETE', 'HEAD', 'OPTIONS'] },
      })
    assert.throws(() => router.find('HEAD', '/v1/jobs'), { code: 'METHOD_NOT_ALLOWED' })
  })

  test('an unknown path returns 404, and the old PDF paths return a hint', () => {
    assert.throws(() => router.find('GET', '/v1/job'), { code: 'NOT_FOUND', message: /GET \/v1 lists/ })
    for (const path of ['/v1/pdf/rotate', '/v1/pdf/rotate-pdf'])
      assert.throws(() => router.find('POST', path), {
        code: 'NOT_FOUND',
        details: { hint: 'POST /v1/convert toolOperation=rotate-pdf' },
      })
    for (const [name, tool] of [
      ['to-pdfa', 'to-pdfa'],
      ['extract-pages', 'extract-pdf-pages'],
      ['watermark', 'add-watermark-pdf'],
      ['compress', 'compress-pdf'],
    ])
      assert.throws(() => router.find('POST', `/v1/pdf/${name}`), {
        details: { hint: `POST /v1/convert toolOperation=${tool}` },
      })
    const hintForUnknownTool = { details: { hint: 'POST /v1/convert with toolOperation' } }
    assert.throws(() => router.find('POST', '/v1/pdf/zzzzzz'), hintForUnknownTool)
  })

  test('the error for a path without /v1 suggests the path with /v1', () => {
    const details = { suggestion: '/v1/jobs' }
    const message = /^There is no endpoint at \/jobs\. Did you mean \/v1\/jobs\? GET \/v1 lists/
    assert.throws(() => router.find('POST', '/jobs'), { code: 'NOT_FOUND', message, details })
    assert.throws(() => router.find('PUT', '/jobs'), { code: 'NOT_FOUND', details: undefined })
  })
})

test('a request that bypasses the CDN is rejected, and the client IP is read from the header of the CDN', () => {
  const config = {
    ORIGIN_SECRET: 'o'.repeat(32),
    TRUSTED_PROXIES: undefined,
    PUBLIC_URL: 'https://files.example.com',
  }
  const from = (headers: Record<string, string>) =>
    getClientIpBehindEdge({ headers, sourceIp: '198.51.100.1' }, config)
  const viewerHeaders = { 'x-viewer-address': '192.0.2.1' }
  assert.equal(from({ ...viewerHeaders, 'x-origin-secret': config.ORIGIN_SECRET }), '192.0.2.1')
  for (const secret of [{}, { 'x-origin-secret': 'p'.repeat(32) }, { 'x-origin-secret': '' }])
    assert.throws(
      () => from({ ...viewerHeaders, ...secret }),
      /does not accept requests at this URL. Send them to https:\/\/files/,
    )
})

test('the request origin is the Host header, with https only if the Origin header has the same host and https', () => {
  assert.equal(getOrigin({ host: '192.168.1.5:8080' }), 'http://192.168.1.5:8080')
  assert.equal(getOrigin({ host: '[fe80::1]:80' }), 'http://[fe80::1]')
  assert.equal(getOrigin({ host: 'files.lan', origin: 'https://files.lan' }), 'https://files.lan')
  assert.equal(getOrigin({ host: 'files.lan', origin: 'https://evil.example' }), 'http://files.lan')
  for (const host of [undefined, '', 'a b', 'a/b', 'a@b', 'a?b', 'a#b', '.a', 'a:b', 'a:99999'])
    assert.equal(getOrigin(host === undefined ? {} : { host }), undefined, host)
})

describe('requests to another host name', () => {
  const createdOrigins: (string | undefined)[] = []
  const localhost = 'http://localhost:8080'
  const createConfigReader = (moreFields: Partial<Config>) => {
    const config = {
      TRUST_HOST: '1',
      PUBLIC_URL: localhost,
      S3_PUBLIC_ENDPOINT: `${localhost}/files`,
      ...moreFields,
    }
    const services = {
      config,
      withConfig: (changedConfig: Config) => {
        createdOrigins.push(changedConfig.PUBLIC_URL)
        return { config: changedConfig }
      },
    } as unknown as Services // a stub with only the members that are used
    const of = createServicesForOrigin(services)
    return (host: string) => of({ headers: { host } } as unknown as HttpEvent).config
  }

  test('PUBLIC_URL and S3_PUBLIC_ENDPOINT get the host name of the request if TRUST_HOST is 1', () => {
    const config = createConfigReader({})('files.lan')
    assert.deepEqual(
      [config.PUBLIC_URL, config.S3_PUBLIC_ENDPOINT],
      ['http://files.lan', 'http://files.lan/files'],
    )
    const otherEndpoint = 'https://s3.example.com'
    assert.equal(
      createConfigReader({ S3_PUBLIC_ENDPOINT: otherEndpoint })('files.lan').S3_PUBLIC_ENDPOINT,
      otherEndpoint,
    )
    assert.equal(
      createConfigReader({ S3_PUBLIC_ENDPOINT: undefined })('files.lan').S3_PUBLIC_ENDPOINT,
      undefined,
    )
    const reusedConfigs = [
      createConfigReader({ TRUST_HOST: '0' })('files.lan'),
      createConfigReader({})('localhost:8080'),
      createConfigReader({})('a b'),
    ]
    assert.deepEqual(
      reusedConfigs.map(({ PUBLIC_URL }) => PUBLIC_URL),
      [localhost, localhost, localhost],
    )
  })

  test('services for the last sixteen requested host names are cached', () => {
    const of = createConfigReader({})
    createdOrigins.length = 0
    const names = Array.from({ length: 16 }, (_, at) => `host-${at}.lan`)
    for (const name of [...names, ...names]) of(name)
    assert.deepEqual(
      createdOrigins,
      names.map((name) => `http://${name}`),
    )
    const [firstName = '', secondName = ''] = names
    of(firstName)
    of('another.lan')
    of(firstName)
    of(secondName)
    assert.deepEqual(createdOrigins.slice(16), ['http://another.lan', `http://${secondName}`])
  })
})

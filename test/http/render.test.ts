import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  createErrorBody,
  createProblemDetails,
  toAppError,
  toErrorTitle,
} from '../../lib/http/replies/envelope.ts'
import { removeBody, renderReply } from '../../lib/http/replies/render.ts'
import { openAccess } from '../../lib/model/principal.ts'

const base = { method: 'GET', path: '/x', access: openAccess, tag: 'Test', summary: 'X' } as const
const handle = () => ({ data: {} })
const schema = z.object({})
const requestWith = (headers: Record<string, string> = {}) => ({ headers })
const taggedContract = contract({
  ...base,
  reply: { status: 200, schema, etag: true, cacheControl: 'private' },
  handle,
})

describe('HEAD replies', () => {
  test('a HEAD reply contains the length of the body in bytes and no body', () => {
    const head = removeBody({ statusCode: 200, headers: { etag: '"a"' }, body: 'grüße' })
    assert.deepEqual(head, { statusCode: 200, headers: { etag: '"a"', 'content-length': '7' } })
  })

  test('the Content-Length of a HEAD reply is the number of bytes of the body, not of its base64 text', () => {
    const body = Buffer.alloc(10).toString('base64')
    const head = removeBody({ statusCode: 200, isBase64Encoded: true, body })
    assert.deepEqual(head, { statusCode: 200, headers: { 'content-length': '10' } })
  })

  test('a HEAD reply for an empty body has no Content-Length', () => {
    assert.deepEqual(removeBody({ statusCode: 304 }), { statusCode: 304, headers: {} })
  })
})

describe('rendering of replies', () => {
  test('a reply has Cache-Control: no-store by default, and an ETag if its contract declares one', () => {
    const plainContract = contract({ ...base, reply: { status: 201, schema }, handle })
    const { statusCode, headers } = renderReply(plainContract, { data: {} }, requestWith(), 'req_1')
    assert.equal(statusCode, 201)
    assert.deepEqual(headers, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    const etag = renderReply(taggedContract, { data: {} }, requestWith(), 'req_1').headers?.['etag']
    assert.match(String(etag), /^"[\w-]{43}"$/)
  })

  test('a request handler can set the status and headers of its reply', () => {
    const { statusCode, headers } = renderReply(
      taggedContract,
      { data: {}, status: 202, headers: { location: '/y' } },
      requestWith(),
      'req_1',
    )
    assert.deepEqual([statusCode, headers?.['location'], headers?.['cache-control']], [202, '/y', 'private'])
  })

  test('a reply body is an envelope, an envelope with copied fields or raw, as the contract declares', () => {
    const createReply = (form: 'envelope' | 'mirrored' | 'raw', data: unknown) =>
      renderReply(
        contract({ ...base, reply: { status: 200, schema, form }, handle }),
        { data },
        requestWith(),
        'req_1',
      )
    const parseBody = (form: 'envelope' | 'mirrored' | 'raw') =>
      JSON.parse(createReply(form, { a: 1 }).body ?? '')
    const { meta, ...envelope } = parseBody('envelope')
    assert.deepEqual([envelope, meta.requestId], [{ success: true, data: { a: 1 } }, 'req_1'])
    assert.ok(Math.abs(Date.parse(meta.timestamp) - Date.now()) < 60_000, meta.timestamp)
    const { meta: _, ...mirroredFields } = parseBody('mirrored')
    assert.deepEqual(mirroredFields, { a: 1, success: true, data: { a: 1 } })
    assert.deepEqual(parseBody('raw'), { a: 1 })
    assert.equal(createReply('raw', 'text').body, 'text')
    assert.deepEqual(createReply('raw', Buffer.from([255])), {
      ...createReply('raw', 'text'),
      body: '/w==',
      isBase64Encoded: true,
    })
  })

  test('a reply without content has no body and no content type', () => {
    const emptyContract = contract({ ...base, reply: { status: 204, schema, form: 'empty' }, handle })
    assert.deepEqual(renderReply(emptyContract, { data: {} }, requestWith(), 'req_1'), {
      statusCode: 204,
      headers: { 'cache-control': 'no-store' },
    })
  })

  test('a reply whose ETag matches If-None-Match becomes a 304', () => {
    const etag = String(renderReply(taggedContract, { data: {} }, requestWith(), 'req_1').headers?.['etag'])
    for (const knownEtag of [etag, `W/${etag}`, `"other" , ${etag}`, '*']) {
      const cachedReply = renderReply(
        taggedContract,
        { data: {} },
        requestWith({ 'if-none-match': knownEtag }),
        'req_2',
      )
      assert.deepEqual(
        cachedReply,
        { statusCode: 304, headers: { etag, 'cache-control': 'private' } },
        knownEtag,
      )
    }
    for (const unknownEtag of ['"other"', '']) {
      assert.equal(
        renderReply(taggedContract, { data: {} }, requestWith({ 'if-none-match': unknownEtag }), 'r')
          .statusCode,
        200,
      )
    }
    const changedReply = renderReply(
      taggedContract,
      { data: { a: 1 } },
      requestWith({ 'if-none-match': etag }),
      'req_2',
    )
    assert.equal(changedReply.statusCode, 200)
  })
})

describe('rendering of errors', () => {
  const errors = [
    { field: 'a', error: 'is missing' },
    { field: 'b', error: 'is no number' },
  ]
  const request = { requestId: 'req_1', path: '/v1/jobs', baseUrl: 'https://a.test' }

  test('an error lists every invalid field, in the envelope and as problem details', () => {
    const wrongInput = new AppError('INVALID_INPUT', 'a: is missing.', { field: 'a', errors })
    assert.deepEqual(createErrorBody(wrongInput, 'req_1').error, {
      code: 'INVALID_INPUT',
      message: 'a: is missing.',
      details: { field: 'a', errors },
    })
    const {
      errors: listedErrors,
      type,
      title,
      detail,
      instance,
      status,
      requestId,
    } = createProblemDetails(wrongInput, request)
    assert.deepEqual(listedErrors, errors)
    assert.deepEqual(
      [type, title, detail, instance, status, requestId],
      ['https://a.test/errors/invalid-input', 'Invalid input', 'a: is missing.', '/v1/jobs', 400, 'req_1'],
    )
  })

  test('the problem details of an error about one field list that field, and without a field they have no `errors`', () => {
    const problem = createProblemDetails(
      new AppError('INVALID_INPUT', 'It is wrong.', { field: 'a', more: 1 }),
      request,
    )
    assert.deepEqual(problem.errors, [{ field: 'a', error: 'It is wrong.' }])
    assert.equal((problem as { more?: number }).more, 1)
    const errorWithoutFields = new AppError('JOB_NOT_FOUND', 'There is none.')
    assert.equal('errors' in createProblemDetails(errorWithoutFields, request), false)
    const over = createProblemDetails(
      new AppError('CONFLICT', 'It is over.', { status: 'completed', type: 'x' }),
      request,
    )
    assert.equal(over.status, 409)
    assert.match(over.type, /\/errors\/conflict$/)
    assert.equal('details' in createErrorBody(errorWithoutFields, 'req_1').error, false)
  })

  test('the title of an error is its code in words', () => {
    assert.equal(toErrorTitle('JOB_NOT_FOUND'), 'Job not found')
    assert.equal(toErrorTitle('PDF_ENCRYPTED'), 'PDF encrypted')
  })

  test('an AppError stays unchanged, a timeout becomes SERVICE_UNAVAILABLE, and an unknown error hides its message', () => {
    const appError = new AppError('JOB_NOT_FOUND', 'There is none.')
    assert.equal(toAppError(appError), appError)
    const timeoutError = toAppError(Object.assign(new Error('no answer'), { name: 'TimeoutError' }))
    assert.deepEqual([timeoutError.code, timeoutError.details], ['SERVICE_UNAVAILABLE', { retryAfter: 5 }])
    const bug = toAppError(new Error('/srv/secret is missing'))
    assert.equal(bug.code, 'INTERNAL_ERROR')
    assert.doesNotMatch(JSON.stringify(createErrorBody(bug, 'req_1')), /secret/)
  })
})

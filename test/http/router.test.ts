import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../functions/routes/index.ts'
import { AppError } from '../../lib/errors.ts'
import { createRouter } from '../../lib/http/router.ts'

const router = createRouter(routes)
/** @param path as the gateway passes it on: decoded once */
const find = (path: string, method = 'GET') => {
  try {
    const { contract, params } = router.find(method, path)
    return [contract.path, { ...params }]
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.code
  }
}

test('the router does not decode or split a path that the gateway has decoded', () => {
  assert.deepEqual(find('/v1/formats/png'), ['/v1/formats/:formatId', { formatId: 'png' }])
  assert.deepEqual(find('/v1/formats/%70ng'), ['/v1/formats/:formatId', { formatId: '%70ng' }])
  assert.deepEqual(find('/v1/formats/png?x'), ['/v1/formats/:formatId', { formatId: 'png?x' }])
  assert.deepEqual(find('/v1/formats/a#b;c'), ['/v1/formats/:formatId', { formatId: 'a#b;c' }])
  assert.deepEqual(find('/v1/formats/100%'), ['/v1/formats/:formatId', { formatId: '100%' }])
  assert.deepEqual(find('/v1/workflows/#/runs'), ['/v1/workflows/:workflowId/runs', { workflowId: '#' }])
  assert.equal(find('/v1/workflows#'), 'NOT_FOUND')
  assert.equal(find('/v1/workflows?'), 'NOT_FOUND')
})

test('a path with a lone surrogate or a very long segment returns 404', () => {
  assert.equal(find('/v1/\ud83d'), 'NOT_FOUND')
  assert.equal(find(`/v1/formats/${'%'.repeat(10_000)}`), 'NOT_FOUND')
})

test('the error for a POST to a page suggests the API endpoint with the same name', () => {
  assert.throws(() => router.find('POST', '/convert'), {
    code: 'METHOD_NOT_ALLOWED',
    message: /Did you mean \/v1\/convert\?$/,
  })
})

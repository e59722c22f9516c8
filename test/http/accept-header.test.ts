import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../functions/routes/index.ts'
import type { AnyContract } from '../../lib/http/contract.ts'
import { repliesOnlyJson, requireAcceptable } from '../../lib/http/replies/accept-header.ts'

const findContract = (method: string, path: string): AnyContract =>
  routes.find((route) => route.method === method && route.path === path) ?? assert.fail(`${method} ${path}`)

const acceptedHeaders = [
  ...[undefined, '', ' ', '*/*', 'application/*', 'application/json', 'Application/JSON'],
  ...['application/json; charset=utf-8', 'application/problem+json', 'text/html, */*;q=0.1'],
  ...[
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
    'text/csv, application/json;q=0.2',
  ],
]
const refusedHeaders = [
  'text/csv',
  'image/png, text/html',
  'application/xml',
  'application/json;q=0',
  'application/json;q=0, text/*',
]

test('GET /v1/jobs rejects an Accept header that does not allow application/json', () => {
  const jobs = findContract('GET', '/v1/jobs')
  for (const accept of acceptedHeaders) assert.doesNotThrow(() => requireAcceptable(jobs, accept), accept)
  for (const accept of refusedHeaders)
    assert.throws(() => requireAcceptable(jobs, accept), {
      code: 'NOT_ACCEPTABLE',
      message: `Accept: expected application/json, the only type of this endpoint, got ${JSON.stringify(accept)}. Omit the header or add application/json.`,
      details: { field: 'Accept', expected: ['application/json', 'application/problem+json'] },
    })
})

test('Accept: application/pdf is accepted by endpoints that redirect to a file or reply without the envelope', () => {
  const otherContracts = [
    findContract('POST', '/v1/convert'),
    findContract('GET', '/v1/download/:jobId'),
    findContract('POST', '/v1/download/zip'),
    findContract('GET', '/v1/openapi.json'),
  ]
  for (const otherContract of otherContracts)
    assert.doesNotThrow(() => requireAcceptable(otherContract, 'application/pdf'), otherContract.path)
  assert.ok(routes.filter(repliesOnlyJson).length > 40)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '../../functions/routes/index.ts'
import { type ApiKey, findInactiveReason } from '../../lib/access/api-keys.ts'
import type { AnyContract } from '../../lib/http/contract.ts'

/** Required access by prefix of the operation, written independently of the contracts; the first match counts. */
const requiredAccess: readonly (readonly [
  begin: string,
  scopes: string,
  anonymous: 'all' | 'own service' | 'none',
])[] = [
  ['* /v1/admin/', 'ADMIN', 'none'],
  ['* /v1/api-keys', 'ACCOUNT_MANAGE', 'none'],
  ['* /v1/oauth/clients', 'ACCOUNT_MANAGE', 'none'],
  ['GET /v1/account/', 'ACCOUNT_READ', 'own service'],
  ['GET /v1/account', 'ACCOUNT_READ', 'none'],
  ['* /v1/webhooks', 'WEBHOOKS_MANAGE', 'own service'],
  ['GET /v1/workflows', 'CONVERT_READ', 'own service'],
  ['* /v1/workflows', 'CONVERT_WRITE', 'own service'],
  ['* /v1/cloud/', 'CONVERT_WRITE', 'own service'],
  ['GET /v1/cloud', 'CONVERT_WRITE', 'own service'],
  ['* /v1/uploads/multipart', 'CONVERT_WRITE', 'all'],
  ['* /v1/uploads/s3/', 'CONVERT_WRITE', 'all'],
  ['POST /v1/uploads/presign', 'CONVERT_WRITE', 'all'],
  ['GET /v1/uploads/', 'CONVERT_READ', 'all'],
  ['POST /v1/import/url', 'CONVERT_WRITE', 'all'],
  ['POST /v1/convert/check', 'CONVERT_READ', 'all'],
  ['POST /v1/convert', 'CONVERT_WRITE', 'all'],
  ['GET /v1/jobs', 'CONVERT_READ', 'all'],
  ['* /v1/jobs', 'CONVERT_WRITE', 'all'],
  ['GET /v1/status/', 'CONVERT_READ', 'all'],
  ['* /v1/download/', 'CONVERT_READ', 'all'],
  ['POST /v1/ws/tickets', 'CONVERT_READ', 'all'],
  ['GET /v1/formats', 'CONVERT_READ', 'all'],
  ['* /', '', 'all'],
]

const matchesPrefix = ({ method, path }: AnyContract, begin: string) => {
  const [allowedMethod, start = ''] = begin.split(' ')
  return (allowedMethod === '*' || allowedMethod === method) && path.startsWith(start)
}

test('every API operation requires the expected scope, and only the expected operations serve anonymous clients', () => {
  for (const contract of api) {
    const { scopes, anonymous } = contract.access
    const [, scope, expectedOpenAccess] =
      requiredAccess.find(([begin]) => matchesPrefix(contract, begin)) ?? []
    const openAccess = anonymous === true ? 'all' : anonymous === 'self-hosted' ? 'own service' : 'none'
    assert.deepEqual(
      [scopes.join(), openAccess],
      [scope, expectedOpenAccess],
      `${contract.method} ${contract.path}`,
    )
  }
  for (const [begin] of requiredAccess)
    assert.ok(
      api.some((contract) => matchesPrefix(contract, begin)),
      begin,
    )
})

test('the API contracts mark endpoints such as GET /v1/jobs and POST /v1/ws/tickets as lists', () => {
  const lists = api.filter(({ access }) => access.lists).map(({ method, path }) => `${method} ${path}`)
  for (const listedContract of [
    'GET /v1/jobs',
    'POST /v1/ws/tickets',
    'GET /v1/workflows',
    'POST /v1/cloud/:drive/import',
  ])
    assert.ok(lists.includes(listedContract), listedContract)
})

test('an API key expires exactly at its expiry time', () => {
  const expiry = '2026-11-23T08:00:00.000Z'
  const key: ApiKey = {
    id: 'key_1',
    owner: 'acc_1',
    digest: '',
    name: 'a',
    kind: 'secret',
    scopes: [],
    prefix: 'sk_AAAA',
    last4: 'AAAA',
    createdAt: '2026-11-01T00:00:00.000Z',
  }
  const msAfterExpiry = (ms: number) => new Date(Date.parse(expiry) + ms)
  assert.equal(findInactiveReason({ ...key, validUntil: expiry }, msAfterExpiry(-1)), undefined)
  assert.equal(findInactiveReason({ ...key, validUntil: expiry }, msAfterExpiry(0)), 'revoked')
  assert.equal(findInactiveReason({ ...key, expiresAt: expiry }, msAfterExpiry(-1)), undefined)
  assert.equal(findInactiveReason({ ...key, expiresAt: expiry }, msAfterExpiry(0)), 'expired')
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  apiKeyFields,
  requirePublicKeyRules,
  resolveScopes,
  scopePresets,
  toKeyView,
} from '../../lib/access/api-key-fields.ts'
import { createKeyText, hasKeyPrefix, isKeyText } from '../../lib/access/api-key-text.ts'
import type { ApiKey } from '../../lib/access/api-keys.ts'
import { readBearerToken } from '../../lib/access/bearer.ts'
import {
  createSecretText,
  hashSecret,
  isSecretText,
  matchesSecretHash,
} from '../../lib/access/secret-text.ts'

describe('fields of API keys', () => {
  const isAccepted = (field: keyof typeof apiKeyFields, value: unknown) =>
    apiKeyFields[field].safeParse(value).success

  test('the allowedIps field of an API key accepts up to fifty IP addresses and networks', () => {
    for (const rightAddress of ['203.0.113.7', '203.0.113.0/24', '2001:db8::1', '2001:db8::/32'])
      assert.ok(isAccepted('allowedIps', [rightAddress]), rightAddress)
    for (const wrongAddress of ['', 'example.com', '203.0.113.0/33', '203.0.113', '10/8', '010.0.0.1'])
      assert.ok(!isAccepted('allowedIps', ['203.0.113.7', wrongAddress]), wrongAddress)
    const tooManyAddresses = Array.from({ length: 51 }, (_, at) => `203.0.113.${at}`)
    assert.deepEqual(
      [isAccepted('allowedIps', []), isAccepted('allowedIps', tooManyAddresses)],
      [false, false],
    )
    assert.ok(isAccepted('allowedIps', tooManyAddresses.slice(1)))
  })

  test('the allowedOrigins field of an API key accepts up to fifty origins, written as browsers send them', () => {
    for (const rightOrigin of ['https://www.example.com', 'http://localhost:3000', 'https://[::1]:8443'])
      assert.ok(isAccepted('allowedOrigins', [rightOrigin]), rightOrigin)
    for (const wrongOrigin of [
      ...['www.example.com', 'https://www.example.com/', 'https://WWW.example.com', 'https://a.example:443'],
      ...['ftp://example.com', 'null', '*', ''],
    ])
      assert.ok(!isAccepted('allowedOrigins', ['https://www.example.com', wrongOrigin]), wrongOrigin)
    const tooManyOrigins = Array.from({ length: 51 }, (_, at) => `https://${at}.example.com`)
    assert.deepEqual(
      [isAccepted('allowedOrigins', []), isAccepted('allowedOrigins', tooManyOrigins)],
      [false, false],
    )
    assert.ok(isAccepted('allowedOrigins', tooManyOrigins.slice(1)))
  })

  test('the expiresAt field of an API key must be a UTC time in the future', () => {
    assert.equal(apiKeyFields.expiresAt.parse('2126-01-02T03:04:05Z'), '2126-01-02T03:04:05.000Z')
    for (const wrongExpiry of [
      new Date(Date.now() - 1).toISOString(),
      '2126-01-02',
      '2126-01-02T03:04:05+01:00',
    ])
      assert.ok(!isAccepted('expiresAt', wrongExpiry), wrongExpiry)
  })

  test('an API key is created with a list of scopes or a preset, but not both', () => {
    assert.deepEqual(apiKeyFields.scopes.parse(['CONVERT_READ', 'CONVERT_READ']), ['CONVERT_READ'])
    const fiveScopes = Array.from({ length: 5 }, () => 'CONVERT_READ')
    for (const wrongScopes of [[], ['ADMIN'], ['ACCOUNT_MANAGE'], fiveScopes])
      assert.ok(!isAccepted('scopes', wrongScopes))
    assert.ok(isAccepted('scopes', [...scopePresets.full]))
    assert.deepEqual(resolveScopes({ access: 'read-only' }), ['CONVERT_READ', 'ACCOUNT_READ'])
    assert.deepEqual(resolveScopes({ access: 'convert-only' }), ['CONVERT_READ', 'CONVERT_WRITE'])
    assert.deepEqual(resolveScopes({ scopes: ['ACCOUNT_READ'] }), ['ACCOUNT_READ'])
    assert.equal(resolveScopes({}), undefined)
    assert.throws(() => resolveScopes({ access: 'full', scopes: [] }), {
      code: 'INVALID_REQUEST',
      details: { field: 'scopes' },
    })
  })

  test('a public API key requires allowedOrigins and may only have the scopes CONVERT_READ and CONVERT_WRITE', () => {
    const input = { name: 'a', kind: 'public', scopes: ['CONVERT_READ', 'CONVERT_WRITE'] } as const
    const allowedOrigins = ['https://www.example.com']
    const givenInput = { ...input, scopes: [...input.scopes], allowedOrigins }
    requirePublicKeyRules(givenInput)
    requirePublicKeyRules({ name: 'a', kind: 'secret', scopes: ['WEBHOOKS_MANAGE'] })
    assert.throws(() => requirePublicKeyRules({ ...givenInput, allowedOrigins: undefined }), {
      details: { field: 'allowedOrigins' },
    })
    assert.throws(() => requirePublicKeyRules({ ...givenInput, scopes: ['CONVERT_READ', 'ACCOUNT_READ'] }), {
      message: 'scopes: a public key may have CONVERT_READ and CONVERT_WRITE, got ACCOUNT_READ.',
      details: { field: 'scopes', expected: ['CONVERT_READ', 'CONVERT_WRITE'], got: 'ACCOUNT_READ' },
    })
  })

  test('the API returns the status of an API key but not its hash', () => {
    const now = '2026-11-23T08:00:00.000Z'
    const key: ApiKey = {
      id: 'key_1',
      owner: 'acc_1',
      digest: 'd',
      name: 'a',
      kind: 'secret',
      scopes: ['CONVERT_READ'],
      prefix: 'sk_AAAA',
      last4: 'AAAA',
      createdAt: '2026-11-01T00:00:00.000Z',
    }
    const { status, ...rest } = toKeyView(key, now)
    assert.deepEqual(
      [status, rest],
      [
        'active',
        {
          id: 'key_1',
          name: 'a',
          kind: 'secret',
          scopes: ['CONVERT_READ'],
          prefix: 'sk_AAAA',
          last4: 'AAAA',
          createdAt: key.createdAt,
          validUntil: null,
          expiresAt: null,
          allowedIps: null,
          allowedOrigins: null,
          lastUsedAt: null,
          lastUsedIp: null,
        },
      ],
    )
    const bounds = {
      allowedIps: ['203.0.113.7'],
      allowedOrigins: ['https://www.example.com'],
      lastUsedAt: now,
      lastUsedIp: '203.0.113.7',
    }
    assert.partialDeepStrictEqual(toKeyView({ ...key, ...bounds }, now), bounds)
    const laterTime = '2026-11-23T08:00:00.001Z'
    const getStatus = (overrides: Partial<ApiKey>) => toKeyView({ ...key, ...overrides }, now).status
    assert.deepEqual(
      [{ expiresAt: laterTime }, { expiresAt: now }, { validUntil: laterTime }, { validUntil: now }].map(
        getStatus,
      ),
      ['active', 'expired', 'rotating', 'expired'],
    )
    assert.equal(getStatus({ validUntil: now, expiresAt: laterTime }), 'expired')
  })
})

describe('API key secrets', () => {
  test('an API key is recognized by its prefix, and a secret with an added, missing or invalid character is rejected', () => {
    for (const kind of ['secret', 'public'] as const) assert.ok(isKeyText(createKeyText(kind)), kind)
    const text = createSecretText('cs_')
    assert.ok(isSecretText(text, 'cs_'))
    assert.ok(!isSecretText(text, 'sk_') && !isKeyText(text) && !hasKeyPrefix(text))
    assert.ok(hasKeyPrefix('sk_') && hasKeyPrefix('ck_x') && !hasKeyPrefix('k_') && !hasKeyPrefix('xsk_'))
    for (const odd of [`${text}a`, text.slice(0, -1), ` ${text}`, `${text}\n`, `cs_-${text.slice(4)}`])
      assert.ok(!isSecretText(odd, 'cs_'), odd)
    // Checksums can start with zeros.
    for (let triesLeft = 300; triesLeft > 0; triesLeft--)
      assert.match(createSecretText('x_'), /^x_[0-9A-Za-z]{49}$/)
  })

  test('an API key is verified by its hash', () => {
    const hash = hashSecret('a')
    assert.equal(hash, 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb')
    assert.deepEqual(
      [matchesSecretHash(hash, 'a'), matchesSecretHash(hash, 'b'), matchesSecretHash('', 'a')],
      [true, false, false],
    )
    assert.equal(matchesSecretHash(hash.slice(0, -1), 'a'), false)
  })
})

test('no bearer token is read from a missing or malformed Authorization header', () => {
  const parseToken = (authorization?: string) => readBearerToken({ authorization })
  assert.deepEqual([parseToken('Bearer abc'), parseToken('BEARER   abc')], ['abc', 'abc'])
  for (const otherInput of [
    undefined,
    '',
    'Basic abc',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'xBearer abc',
    'Bearerabc',
  ])
    assert.equal(parseToken(otherInput), undefined, otherInput)
})

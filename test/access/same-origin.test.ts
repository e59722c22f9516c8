import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isOwnPage, ownOrigins } from '../../lib/access/same-origin.ts'
import { endedSession, endsSession, sessionCookie } from '../../lib/access/session-auth.ts'
import { AppError } from '../../lib/errors.ts'

describe('a page', () => {
  test('is the service’s own by its host or by the public address, and a program is no page', () => {
    const is = (origin: string | undefined, host?: string, publicUrl?: string) =>
      isOwnPage({ origin, host }, publicUrl)
    assert.ok(is(undefined, 'files.lan'))
    assert.ok(is('http://files.lan:8080', 'files.lan:8080'))
    assert.ok(is('https://files.example.com', 'internal', 'https://files.example.com/'))
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      'http://files.lan:8081',
      'http://files.example.com',
    ])
      assert.ok(!is(origin, 'files.lan:8080', 'https://files.example.com'), origin)
    assert.ok(!is('https://evil.example'))
  })

  test('of one machine has all the names of that machine', () => {
    assert.deepEqual(ownOrigins('https://files.example.com/x'), ['https://files.example.com'])
    const local = ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']
    for (const url of local) assert.deepEqual(ownOrigins(url), local)
    assert.deepEqual(ownOrigins('http://localhost'), ['http://localhost', 'http://127.0.0.1', 'http://[::1]'])
  })

  test('has the cookie of a session for its very origin where the connection is safe', () => {
    assert.deepEqual(['https://files.example.com', 'http://localhost:8080', undefined].map(sessionCookie), [
      '__Host-session',
      'session',
      'session',
    ])
    assert.equal(endedSession('http://localhost'), 'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
    // Without Secure browsers would not take one of that name.
    assert.equal(
      endedSession('https://files.example.com'),
      '__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    )
  })

  test('loses the cookie of its session when that is over, and for no other error', () => {
    const error = (code: AppError['code'], details?: object) => new AppError(code, 'a', { ...details })
    assert.ok(endsSession(error('AUTHENTICATION_REQUIRED', { reason: 'session' })))
    assert.ok(!endsSession(error('AUTHENTICATION_REQUIRED')))
    assert.ok(!endsSession(error('INVALID_API_KEY', { reason: 'session' })))
    assert.ok(!endsSession(new AppError('AUTHENTICATION_REQUIRED', 'a')))
  })
})

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isSameOrigin, listServiceOrigins } from '../../lib/access/same-origin.ts'
import { clearsSession, createClearingCookie, getSessionCookieName } from '../../lib/access/session-auth.ts'
import { AppError } from '../../lib/errors.ts'

describe('same-origin checks', () => {
  test('a request counts as same-origin if its Origin matches the host or the public URL, or is missing', () => {
    const checkOrigin = (origin: string | undefined, host?: string, publicUrl?: string) =>
      isSameOrigin({ origin, host }, publicUrl)
    assert.ok(checkOrigin(undefined, 'files.lan'))
    assert.ok(checkOrigin('http://files.lan:8080', 'files.lan:8080'))
    assert.ok(checkOrigin('https://files.example.com', 'internal', 'https://files.example.com/'))
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      'http://files.lan:8081',
      'http://files.example.com',
    ])
      assert.ok(!checkOrigin(origin, 'files.lan:8080', 'https://files.example.com'), origin)
    assert.ok(!checkOrigin('https://evil.example'))
  })

  test('a service on localhost accepts all loopback names as origins', () => {
    assert.deepEqual(listServiceOrigins('https://files.example.com/x'), ['https://files.example.com'])
    const local = ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']
    for (const url of local) assert.deepEqual(listServiceOrigins(url), local)
    assert.deepEqual(listServiceOrigins('http://localhost'), [
      'http://localhost',
      'http://127.0.0.1',
      'http://[::1]',
    ])
  })

  test('the session cookie has the __Host- prefix if the service uses https', () => {
    assert.deepEqual(
      ['https://files.example.com', 'http://localhost:8080', undefined].map(getSessionCookieName),
      ['__Host-session', 'session', 'session'],
    )
    assert.equal(
      createClearingCookie('http://localhost'),
      'session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    )
    // Browsers accept a cookie with this prefix only if it is Secure.
    assert.equal(
      createClearingCookie('https://files.example.com'),
      '__Host-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure',
    )
  })

  test('the session cookie is deleted only when its session has ended', () => {
    const createError = (code: AppError['code'], details?: object) => new AppError(code, 'a', { ...details })
    assert.ok(clearsSession(createError('AUTHENTICATION_REQUIRED', { reason: 'session' })))
    assert.ok(!clearsSession(createError('AUTHENTICATION_REQUIRED')))
    assert.ok(!clearsSession(createError('INVALID_API_KEY', { reason: 'session' })))
    assert.ok(!clearsSession(new AppError('AUTHENTICATION_REQUIRED', 'a')))
  })
})

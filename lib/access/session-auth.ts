import { createHmac, timingSafeEqual } from 'node:crypto'
import { Account, getAccountKey } from '../accounts/accounts.ts'
import { getAccountPlan } from '../accounts/owner-plan.ts'
import type { Key } from '../aws/table.ts'
import { AppError } from '../errors.ts'
import { getScopesOfRole } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { getMarkerKey, getRecordKey, models } from './auth/records.ts'
import type { AuthMethod } from './auth-method.ts'
import { createCredential } from './credential.ts'
import { isSameOrigin } from './same-origin.ts'

/**
 * Authenticates the session cookie of better-auth, which consists of a token and its signature. Does not load
 * better-auth, because it is as large as the rest of the API.
 */

export const authPath = '/v1/auth'

const isSecure = (publicUrl = '') => publicUrl.startsWith('https:')

/**
 * Returns the name of the session cookie. Browsers bind a cookie with the prefix `__Host-` to its exact origin: no
 * other host, subdomain or insecure connection can set it. Over plain http, Chromium and Firefox accept it on loopback
 * only and Safari not at all, so there the name has no prefix.
 */
export const getSessionCookieName = (publicUrl: string | undefined): string =>
  isSecure(publicUrl) ? '__Host-session' : 'session'

/** The secret with which better-auth signs cookies and derives keys. */
export const getAuthSecret = ({ keys }: Pick<Services, 'keys'>): string => keys.accounts.toString('base64url')

/** Returns the Set-Cookie value that deletes the session cookie. */
export const createClearingCookie = (publicUrl: string | undefined): string =>
  `${getSessionCookieName(publicUrl)}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${isSecure(publicUrl) ? '; Secure' : ''}`

const safeMethods = ['GET', 'HEAD', 'OPTIONS']

/** @throws AppError AUTHENTICATION_REQUIRED for an ended session, INSUFFICIENT_PERMISSIONS for another site's page. */
export const authenticateBySession: AuthMethod = async ({ headers, cookies, method }, services) => {
  const { PUBLIC_URL } = services.config
  const name = `${getSessionCookieName(PUBLIC_URL)}=`
  const cookie = cookies?.find((pair) => pair.startsWith(name))?.slice(name.length)
  if (!cookie) return undefined
  if (!safeMethods.includes(method) && !isSameOrigin(headers, PUBLIC_URL))
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      'Origin: session cookies are only accepted from pages of this service. Send an API key instead of the cookie.',
      { field: 'Origin', expected: PUBLIC_URL },
    )
  const token = verifyToken(cookie, getAuthSecret(services))
  const foundSession = token && (await findSession(token, services))
  if (!foundSession) throw createSessionEndedError('Your session has ended.')
  const { account, sessionKey } = foundSession
  if (account.status !== 'active') throw createSessionEndedError('Your account is suspended.')
  return {
    ownerId: account.id,
    kind: 'session',
    plan: getAccountPlan(account),
    role: account.role,
    scopes: getScopesOfRole(account.role),
    limiterKey: `account:${account.id}`,
    credential: createCredential(account.id, sessionKey),
  }
}

const createSessionEndedError = (explanation: string) =>
  new AppError('AUTHENTICATION_REQUIRED', `${explanation} Sign in again, or continue without an account.`, {
    reason: 'session',
  })

/** True if a reply with this error should delete the session cookie. */
export const clearsSession = ({ code, details }: AppError): boolean =>
  code === 'AUTHENTICATION_REQUIRED' && details?.['reason'] === 'session'

/**
 * Returns the token of a cookie if its signature is valid. A cookie is `token.signature`, percent-encoded; the
 * signature is base64.
 */
function verifyToken(cookie: string, secret: string): string | undefined {
  const value = decodeCookie(cookie)
  const dotIndex = value.lastIndexOf('.')
  if (dotIndex <= 0) return undefined
  const token = value.slice(0, dotIndex)
  // Compared as text: base64 has several spellings of the same bytes.
  const expected = Buffer.from(createHmac('sha256', secret).update(token).digest('base64'))
  const givenSignature = Buffer.from(value.slice(dotIndex + 1))
  return givenSignature.length === expected.length && timingSafeEqual(givenSignature, expected)
    ? token
    : undefined
}

function decodeCookie(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Finds an active session with two reads: of the session id by the token, then of the session and its account. */
async function findSession(
  token: string,
  services: Services,
): Promise<{ readonly account: Account; readonly sessionKey: Key } | undefined> {
  const { table } = services
  const marker = await table.get(getMarkerKey('session', 'token', token, { ...services, models }))
  if (!marker) return undefined
  const sessionKey = getRecordKey('session', String(marker['id']))
  const items = await table.getAll([sessionKey, getAccountKey(String(marker['userId']))])
  const session = items.find(({ pk }) => pk === sessionKey.pk)
  const account = items.find(({ pk }) => pk !== sessionKey.pk)
  const hasEnded = !session || String(session['expiresAt']) <= new Date().toISOString()
  return hasEnded || !account ? undefined : { account: Account.parse(account), sessionKey }
}

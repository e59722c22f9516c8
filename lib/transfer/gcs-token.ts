import { sign } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { RemoteError } from './remote-error.ts'
import type { TransferDeps } from './transfer.ts'

/** The required fields of a service account's key file. */
export interface ServiceAccount {
  readonly client_email: string
  /** The private key in PEM format. */
  readonly private_key: string
}

const scope = 'https://www.googleapis.com/auth/devstorage.read_write'
/** Remaining lifetime in seconds below which a new token is requested. */
const minRemainingS = 300

/**
 * Returns a function that provides tokens of a service account ("Using OAuth 2.0 for Server to Server Applications").
 * They are cached while valid.
 */
export function createTokenSource(account: ServiceAccount, { guardedHttp, gcsEndpoint }: TransferDeps) {
  // The `token_uri` of the key file is ignored. Otherwise, the client that sent the file could choose where the service
  // signs in.
  const url = gcsEndpoint ? `${gcsEndpoint}/token` : 'https://oauth2.googleapis.com/token'
  let cachedToken: { readonly token: string; readonly expiresAtMs: number } | undefined
  return async (signal: AbortSignal): Promise<string> => {
    if (cachedToken && cachedToken.expiresAtMs > Date.now()) return cachedToken.token
    const response = await guardedHttp.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: createAssertion(account, url),
      }).toString(),
      signal,
      maxRedirects: 0,
    })
    const body = await text(response.body)
    if (response.status !== 200) throw createTokenError(account, response.status, body)
    const { access_token: token, expires_in: lifetimeS } = JSON.parse(body) as TokenReply // as documented by Google
    cachedToken = { token, expiresAtMs: Date.now() + (lifetimeS - minRemainingS) * 1000 }
    return token
  }
}

interface TokenReply {
  readonly access_token: string
  readonly expires_in: number
}

/** Creates a JWT assertion signed with the account's key (RFC 7523). */
function createAssertion({ client_email, private_key }: ServiceAccount, url: string): string {
  const nowS = Math.floor(Date.now() / 1000)
  const claims = { iss: client_email, scope, aud: url, iat: nowS, exp: nowS + 3600 }
  const signedText = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((segment) => Buffer.from(JSON.stringify(segment)).toString('base64url'))
    .join('.')
  return `${signedText}.${sign('sha256', Buffer.from(signedText), private_key).toString('base64url')}`
}

function createTokenError({ client_email }: ServiceAccount, status: number, body: string): RemoteError {
  if (status >= 500 || status === 429)
    return new RemoteError('status', `Google's sign-in responded with status ${status}.`, {
      isTransient: true,
      status,
    })
  const reason = /"error":\s*"(\w+)"/.exec(body)?.[1] ?? `status ${status}`
  return new RemoteError('forbidden', `Google rejected the key of ${client_email} (${reason}).`, {
    status,
  })
}

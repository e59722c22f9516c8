import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** An OpenID provider that signs every visitor in as the same person. */
export async function openOpenIdProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const nonces = new Map<string, string | null>()
  let issuer = ''
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    const answer = (body: object) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (pathname === '/jwks') return answer({ keys: [jwk] })
    if (pathname === '/authorize') {
      assert.equal(searchParams.get('code_challenge_method'), 'S256')
      const code = String(nonces.size)
      nonces.set(code, searchParams.get('nonce'))
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      return response.writeHead(302, { location: back.href }).end()
    }
    if (pathname === '/token') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const nonce = nonces.get(form.get('code') ?? '')
      const claims = { email: 'sol@example.com', email_verified: true, name: 'Sol', ...(nonce && { nonce }) }
      const idToken = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(issuer)
        .setAudience('mutabor')
        .setSubject('person-1')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey)
      return answer({ access_token: 'opaque', token_type: 'Bearer', expires_in: 300, id_token: idToken })
    }
    answer({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      id_token_signing_alg_values_supported: ['RS256'],
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { issuer, close: () => server.close() }
}

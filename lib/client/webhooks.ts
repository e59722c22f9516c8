import type { Api } from './api-types.ts'

/** The body of a webhook request. */
export type WebhookEvent = Api['events'][keyof Api['events']]

export class InvalidSignature extends Error {
  constructor(reason: string) {
    super(`The webhook signature could not be verified: ${reason}.`)
    this.name = 'InvalidSignature'
  }
}

type Headers = { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>

const readHeader = (headers: Headers, name: string): string => {
  // In a plain object, `get` may be the name of a header; its value is then not a function.
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return String(value ?? '')
}

/**
 * Verifies the signature of a webhook request and returns its event (https://www.standardwebhooks.com).
 * @param body the raw body: one that was parsed and serialized again no longer matches the signature
 * @param secrets the secret of the webhook, or several during a rotation
 * @param toleranceS how far the timestamp may differ from the current time, in seconds
 * @throws InvalidSignature
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers,
  secrets: string | readonly string[],
  toleranceS = 300,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  )
  if (!id || !timestamp || !signatures) throw new InvalidSignature('a signature header is missing')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS))
    throw new InvalidSignature('the timestamp is too old or in the future')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signedBytes = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes])
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const keyBytes = decodeBase64(secret.replace(/^whsec_/, ''))
    if (keyBytes.length === 0) throw new InvalidSignature('the secret is invalid, expected whsec_…')
    const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    for (const signature of signatures.split(' ')) {
      const [version, encoded = ''] = signature.split(',')
      // Web Crypto compares signatures in constant time.
      if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, decodeBase64(encoded), signedBytes)))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent // signed by the service
    }
  }
  throw new InvalidSignature('no signature matches')
}

function decodeBase64(encoded: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

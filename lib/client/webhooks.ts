import type { Api } from './api-types.ts'

/** What a webhook is told. */
export type WebhookEvent = Api['events'][keyof Api['events']]

export class InvalidSignature extends Error {
  constructor(reason: string) {
    super(`The webhook is not to be believed: ${reason}.`)
    this.name = 'InvalidSignature'
  }
}

type Headers = { get(name: string): string | null } | Readonly<Record<string, string | string[] | undefined>>

const readHeader = (headers: Headers, name: string): string => {
  const value =
    typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name]
  return String(value ?? '')
}

/**
 * The event of a request, when the service has sent it (https://www.standardwebhooks.com).
 * @param body as it came: a body that was parsed and written anew has another signature
 * @param secrets the secret of the webhook, or several while one takes the place of another
 * @param toleranceS seconds that a request may be old or early
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
  if (!id || !timestamp || !signatures) throw new InvalidSignature('it carries no signature')
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceS))
    throw new InvalidSignature('it is too old')
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signedBytes = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes])
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const keyBytes = decodeBase64(secret.replace(/^whsec_/, ''))
    if (keyBytes.length === 0) throw new InvalidSignature('the secret is none, as whsec_…')
    const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    for (const signature of signatures.split(' ')) {
      const [version, encoded = ''] = signature.split(',')
      // The comparison takes the same time for every wrong signature.
      if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, decodeBase64(encoded), signedBytes)))
        return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent // it is the service's own
    }
  }
  throw new InvalidSignature('no signature fits')
}

function decodeBase64(encoded: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

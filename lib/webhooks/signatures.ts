import { createHmac, randomBytes } from 'node:crypto'

/**
 * Signs requests twice with one secret. One signature is `sha256=` plus the hex HMAC of the body, keyed with the secret
 * as text. The other has the three headers of Standard Webhooks (https://www.standardwebhooks.com) and is keyed with
 * the decoded secret. The first does not cover a timestamp, so it alone does not protect against replays.
 */

const prefix = 'whsec_'
const secretBytes = 32

export const createSecret = () => `${prefix}${randomBytes(secretBytes).toString('base64')}`

/** Whether a text is a secret of 24 to 64 bytes, as Standard Webhooks requires. */
export function isWebhookSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64
}

/** Signs a request body with the secret as text. */
const signBody = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

interface SignedMessage {
  /** Id of the delivery, which is the same for each attempt, so that the receiver can detect duplicates. */
  readonly id: string
  readonly body: Buffer
  readonly at: Date
}

function createStandardSignature({ id, body, at }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const hmac = createHmac('sha256', key)
    .update(`${id}.${toUnixSeconds(at)}.`)
    .update(body)
  return `v1,${hmac.digest('base64')}`
}

const toUnixSeconds = (at: Date) => Math.floor(at.getTime() / 1000)

/** Creates the headers that sign a body. @param secrets the current one, then old ones that are still valid. */
export function createSignatureHeaders(
  message: SignedMessage,
  [currentSecret, ...oldSecrets]: readonly [string, ...string[]],
): Record<string, string> {
  const [lastSecret] = oldSecrets
  return {
    'x-webhook-signature': signBody(message.body, currentSecret),
    ...(lastSecret !== undefined && { 'x-webhook-signature-old': signBody(message.body, lastSecret) }),
    'webhook-id': message.id,
    'webhook-timestamp': String(toUnixSeconds(message.at)),
    'webhook-signature': [currentSecret, ...oldSecrets]
      .map((secret) => createStandardSignature(message, secret))
      .join(' '),
  }
}

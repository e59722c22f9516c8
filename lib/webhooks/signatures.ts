import { createHmac, randomBytes } from 'node:crypto'

/**
 * Two signatures under one secret: `sha256=` with hex over the body, keyed by the secret as it is written, and the three
 * headers of Standard Webhooks (https://www.standardwebhooks.com), keyed by the bytes that it stands for. The first has
 * no time in it, so that by itself it could be replayed.
 */

const prefix = 'whsec_'
const secretBytes = 32

export const newSecret = () => `${prefix}${randomBytes(secretBytes).toString('base64')}`

/** Of 24 to 64 bytes, as Standard Webhooks wants them. */
export function isWebhookSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64
}

/** Of the body of a request, by the secret as text. */
export const signBody = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

interface SignedMessage {
  /** The same for each attempt, so that the receiver can tell repetitions. */
  readonly id: string
  readonly body: Buffer
  readonly at: Date
}

function standardSignature({ id, body, at }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const hmac = createHmac('sha256', key)
    .update(`${id}.${secondsOf(at)}.`)
    .update(body)
  return `v1,${hmac.digest('base64')}`
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)

/** @param secrets the current one, then those that hold for a while beside it. */
export function signatureHeaders(
  message: SignedMessage,
  [current, ...old]: readonly [string, ...string[]],
): Record<string, string> {
  const [last] = old
  return {
    'x-webhook-signature': signBody(message.body, current),
    ...(last !== undefined && { 'x-webhook-signature-old': signBody(message.body, last) }),
    'webhook-id': message.id,
    'webhook-timestamp': String(secondsOf(message.at)),
    'webhook-signature': [current, ...old].map((secret) => standardSignature(message, secret)).join(' '),
  }
}

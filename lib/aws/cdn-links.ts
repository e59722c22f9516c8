import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Config } from '../config.ts'

interface CdnLink {
  readonly key: string
  /** Parameters of S3's GetObject, which the CDN passes on. */
  readonly parameters: Readonly<Record<CdnParameter, string>>
  readonly expiresS: number
}

/** Parameters that set the filename and the content type of S3's response. */
export const cdnParameters = ['response-content-type', 'response-content-disposition'] as const
type CdnParameter = (typeof cdnParameters)[number]

/** Identifies a key pair by its public key: CloudFront assigns ids only when the keys are deployed. */
export const getKeyFingerprint = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

/** S3 and CloudFront read `+` differently, so spaces and all reserved characters are percent-encoded (RFC 3986). */
const encodeStrictly = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

/** Encodes bytes in CloudFront's variant of base64, whose characters have no special meaning in URLs. */
const toCloudFrontBase64 = (bytes: Buffer) =>
  bytes.toString('base64').replaceAll('+', '-').replaceAll('=', '_').replaceAll('/', '~')

/** Returns the policy that CloudFront derives from a URL and its expiry (a canned policy). */
export const createCannedPolicy = (url: string, expiresAtS: number) =>
  `{"Statement":[{"Resource":"${url}","Condition":{"DateLessThan":{"AWS:EpochTime":${expiresAtS}}}}]}`

/** Returns the private key and the id of its public key in CloudFront. */
function readKeyPair(pem: string, keys: string): { privateKey: KeyObject; id: string } {
  const privateKey = createPrivateKey(pem)
  const fingerprint = getKeyFingerprint(createPublicKey(pem))
  const [, id] =
    keys
      .split(',')
      .map((entry) => entry.split('='))
      .find(([entryFingerprint]) => entryFingerprint === fingerprint) ?? []
  if (id === undefined)
    throw new Error(
      `CDN_PRIVATE_KEY belongs to none of the deployed public keys: its fingerprint is ${fingerprint}, those in CDN_KEYS are ${keys}`,
    )
  return { privateKey, id }
}

/**
 * Returns a function that signs links to files through CloudFront, or undefined if the service has no key for it. The
 * signature covers the whole URL with its parameters, for GET and HEAD.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html
 */
export function createCdnLinks({
  CDN_KEYS,
  CDN_PRIVATE_KEY,
  PUBLIC_URL = '',
}: Pick<Config, 'CDN_KEYS' | 'CDN_PRIVATE_KEY' | 'PUBLIC_URL'>): ((link: CdnLink) => string) | undefined {
  if (CDN_KEYS === undefined || CDN_PRIVATE_KEY === undefined) return undefined
  let pair: ReturnType<typeof readKeyPair> | undefined
  return ({ key, parameters, expiresS }) => {
    pair ??= readKeyPair(CDN_PRIVATE_KEY, CDN_KEYS)
    const query = cdnParameters.map((name) => `${name}=${encodeStrictly(parameters[name])}`).join('&')
    const url = `${PUBLIC_URL.replace(/\/$/, '')}/${key}?${query}`
    const expiresAtS = Math.floor(Date.now() / 1000) + expiresS
    // CloudFront expects SHA-1 signatures.
    const signature = sign('RSA-SHA1', Buffer.from(createCannedPolicy(url, expiresAtS)), pair.privateKey)
    return `${url}&Expires=${expiresAtS}&Signature=${toCloudFrontBase64(signature)}&Key-Pair-Id=${pair.id}`
  }
}

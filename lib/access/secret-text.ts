import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * Format of secrets of keys, clients and tokens: a prefix for their kind, 32 random bytes in base 62, and a checksum of
 * six characters. The checksum lets secret scanners recognize leaked secrets, and a typo is rejected without a lookup.
 */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function toBase62(value: bigint, length: number): string {
  let text = ''
  for (let remaining = value; text.length < length; remaining /= 62n)
    text = digits.charAt(Number(remaining % 62n)) + text
  return text
}

/** Number of base 62 characters that can represent 32 bytes: 62^43 > 2^256. */
const secretLength = 43
/** Number of base 62 characters that can represent a CRC-32: 62^6 > 2^32. */
const checksumLength = 6
const secretPattern = new RegExp(`^[0-9A-Za-z]{${secretLength + checksumLength}}$`)

const computeChecksum = (text: string) => toBase62(BigInt(crc32(text)), checksumLength)

/** @param prefix for example `sk_`. */
export function createSecretText(prefix: string): string {
  const text = prefix + toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return text + computeChecksum(text)
}

/** True if the format and checksum are correct; the secret may still be unknown or revoked. */
export function isSecretText(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix) || !secretPattern.test(text.slice(prefix.length))) return false
  return computeChecksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/**
 * Returns the hash under which a secret is stored and looked up, as lower-case hex. Secrets are random enough for a
 * plain SHA-256.
 */
export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Compares a secret with a hash in constant time. */
export function matchesSecretHash(hash: string, text: string): boolean {
  const [expected, givenHash] = [Buffer.from(hash), Buffer.from(hashSecret(text))]
  return expected.length === givenHash.length && timingSafeEqual(expected, givenHash)
}

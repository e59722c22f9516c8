import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * What keys, clients and tokens prove themselves by: a prefix that says what it is, 32 random bytes in base 62, and six
 * characters of a checksum, by which scanners find it in what somebody published and a typo costs no look-up.
 */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

/** 62^43 is just above 2^256, 62^6 above 2^32. */
const secretLength = 43
const checksumLength = 6
const shape = new RegExp(`^[0-9A-Za-z]{${secretLength + checksumLength}}$`)

const checksumOf = (text: string) => base62(BigInt(crc32(text)), checksumLength)

/** @param prefix as `sk_`. */
export function newSecretText(prefix: string): string {
  const text = prefix + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  return text + checksumOf(text)
}

/** Whether we may have made it; says nothing about whether it holds. */
export function isSecretText(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix) || !shape.test(text.slice(prefix.length))) return false
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/**
 * What is stored of one, and looked up by: it is random enough that a plain hash keeps it, and the hash tells nothing
 * about one that is nearly right. Lower-case hex.
 */
export const hashSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Takes as long for a near miss as for anything else. */
export function matchesSecretHash(hash: string, text: string): boolean {
  const [expected, given] = [Buffer.from(hash), Buffer.from(hashSecret(text))]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

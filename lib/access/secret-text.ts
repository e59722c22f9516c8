import { createHash, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * What keys, clients and tokens prove themselves by: a prefix that says what it is, 32 random letters and digits (190
 * bits), and six of a checksum, by which scanners find it in what somebody published and a typo costs no look-up.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 32
const checkLength = 6
const form = new RegExp(`^[0-9A-Za-z]{${randomLength + checkLength}}$`)

/** CRC-32 in base 62, as long as the largest is. */
function checkOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let at = 0; at < checkLength; at++) {
    digits = `${alphabet[rest % 62]}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** @param prefix as `sk_`. */
export function newSecretText(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(62)]).join('')
  return `${prefix}${random}${checkOf(prefix + random)}`
}

/** Whether we may have made it; says nothing about whether it holds. */
export function isSecretText(text: string, prefix: string): boolean {
  if (!text.startsWith(prefix) || !form.test(text.slice(prefix.length))) return false
  return checkOf(text.slice(0, -checkLength)) === text.slice(-checkLength)
}

/** What is stored of one: it is random enough that a plain hash keeps it. Lower-case hex. */
export const hashOfSecret = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Takes as long for a near miss as for anything else. */
export function isSecretOf(hash: string, text: string): boolean {
  const [expected, given] = [Buffer.from(hash), Buffer.from(hashOfSecret(text))]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

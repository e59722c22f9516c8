import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * A key as its owner has it: `sk_` for servers or `ck_` for web pages, 32 random bytes and a checksum, so that scanners
 * for secrets know it when they see it, and a mistyped one is told from a revoked one without looking it up.
 */

export const keyPrefixes = { secret: 'sk_', public: 'ck_' } as const
export type KeyKind = keyof typeof keyPrefixes

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text
}

/** 62^43 is just above 2^256, 62^6 above 2^32. */
const secretLength = 43
const sumLength = 6
const shape = new RegExp(`^[sc]k_[0-9A-Za-z]{${secretLength + sumLength}}$`)

const sumOf = (text: string) => base62(BigInt(crc32(text)), sumLength)

export function newKeyText(kind: KeyKind): string {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength)
  const text = `${keyPrefixes[kind]}${secret}`
  return text + sumOf(text)
}

/** Whether it can be a key at all. */
export const isKeyText = (text: string): boolean =>
  shape.test(text) && sumOf(text.slice(0, -sumLength)) === text.slice(-sumLength)

/** Whether it claims to be one. */
export const looksLikeKey = (text: string): boolean => /^[sc]k_/.test(text)

/** What is stored, and looked up by: it tells nothing about keys that are nearly right. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

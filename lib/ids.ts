import { createHash, randomBytes } from 'node:crypto'
import { encodeTime } from 'ulid'

/** The prefix of an id says what it belongs to; the rest is a ULID, so that ids sort by creation time. */
export type IdPrefix =
  | 'job'
  | 'upl'
  | 'evt'
  | 'req'
  | 'anon'
  | 'wf'
  | 'run'
  | 'whk'
  | 'whd'
  | 'key'
  | 'acc'
  | 'ses'
  | 'rec'
  | 'client'
  | 'conn'
  | 'aud'

export function newId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return encodeId(prefix, Date.now(), randomBytes(16))
}

/** Returns a pattern for route parameters: a malformed id is reported as unknown and never becomes part of a path. */
export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)

/**
 * Formats an id from a client for a message, in quotes: an empty id, or one of invisible characters, would look like a
 * gap.
 */
export function quoteId(id: string): string {
  const shortenedId = id.trim().slice(0, 64)
  if (shortenedId === '') return '"" (the id is empty)'
  return /^[\w-]+$/.test(shortenedId) ? shortenedId : JSON.stringify(shortenedId)
}

const crockfordAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Encodes an id. Replaces the library's `ulid()`, which calls the system's random source for each character. */
function encodeId<P extends IdPrefix>(prefix: P, atMs: number, random: Uint8Array): `${P}_${string}` {
  const characters = Array.from(random.subarray(0, 16), (byte) => crockfordAlphabet[byte % 32])
  return `${prefix}_${encodeTime(atMs, 10)}${characters.join('')}`
}

/** Returns the same id for the same facts, so that an event that is published twice has the same id. */
export function deriveId(prefix: IdPrefix, at: Date, ...idParts: readonly (string | number)[]): string {
  return encodeId(prefix, at.getTime(), createHash('sha256').update(idParts.join('\n')).digest())
}

import { createHash, randomBytes } from 'node:crypto'
import { encodeTime } from 'ulid'

/** What an id belongs to is readable from its prefix; the rest is a ULID, so ids sort by time of making. */
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

/** A pattern for route parameters: a wrong id is unknown, never a path. */
export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)

/** An id that somebody sent, as a sentence names it: of an empty one, or of signs that nobody sees, it would show a hole. */
export function quoteId(id: string): string {
  const shown = id.trim().slice(0, 64)
  if (shown === '') return '"" (the id is empty)'
  return /^[\w-]+$/.test(shown) ? shown : JSON.stringify(shown)
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The library's own `ulid()` asks the system for each character anew. */
function encodeId<P extends IdPrefix>(prefix: P, atMs: number, random: Uint8Array): `${P}_${string}` {
  const characters = Array.from(random.subarray(0, 16), (byte) => crockford[byte % 32])
  return `${prefix}_${encodeTime(atMs, 10)}${characters.join('')}`
}

/** The same id for the same facts, so that an event told twice is told under one id. */
export function derivedId(prefix: IdPrefix, at: Date, ...facts: readonly (string | number)[]): string {
  return encodeId(prefix, at.getTime(), createHash('sha256').update(facts.join('\n')).digest())
}

import { createHash } from 'node:crypto'
import { encodeTime, ulid } from 'ulid'

/** What an id belongs to is readable from its prefix; the rest is a ULID, so ids sort by time of making. */
export type IdPrefix = 'job' | 'upl' | 'evt' | 'req' | 'anon'

export function newId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return `${prefix}_${ulid()}`
}

/** A pattern for route parameters: a wrong id is unknown, never a path. */
export const idPattern = (prefix: IdPrefix) => new RegExp(`^${prefix}_[0-9A-HJKMNP-TV-Z]{26}$`)

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The same id for the same facts, so that an event told twice is told under one id. */
export function derivedId(prefix: IdPrefix, at: Date, ...facts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(facts.join('\n')).digest()
  const random = Array.from(digest.subarray(0, 16), (byte) => crockford[byte % 32]).join('')
  return `${prefix}_${encodeTime(at.getTime(), 10)}${random}`
}

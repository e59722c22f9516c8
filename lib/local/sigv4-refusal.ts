// Why a request is not taken for one that somebody with a known key has signed.

export type Refusal =
  | 'missing'
  | 'malformed'
  | 'foreign-scope'
  | 'no-payload-hash'
  | 'old-signature'
  | 'unsupported'
  | 'two-mechanisms'
  | 'unknown-key'
  | 'bad-token'
  | 'bad-signature'
  | 'unsigned-headers'
  | 'expired'
  | 'skewed'

export interface Refused {
  readonly ok: false
  readonly reason: Refusal
  readonly message: string
  /** The refused authentication stood in the query string. */
  readonly presigned: boolean
  /** What AWS adds to its error document: expected region, string to sign, names of unsigned headers. */
  readonly details?: Readonly<Record<string, string>>
}

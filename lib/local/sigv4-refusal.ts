// Why a request is not taken for one that somebody with a known key has signed.

export type SignatureRefusal =
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

export interface RefusedSignature {
  readonly ok: false
  readonly reason: SignatureRefusal
  readonly message: string
  /** The refused authentication stood in the query string. */
  readonly isPresigned: boolean
  /** What AWS adds to its error document: expected region, string to sign, names of unsigned headers. */
  readonly details?: Readonly<Record<string, string>>
}

// Why the signature of a request is refused.

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
  /** True if the refused signature was in the query string. */
  readonly isPresigned: boolean
  /** Details that AWS adds to its error document: expected region, string to sign, names of unsigned headers. */
  readonly details?: Readonly<Record<string, string>>
}

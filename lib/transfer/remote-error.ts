/** Why a transfer with somebody else's server came to nothing; clients see it as `details.reason`. */
export type RemoteReason = 'forbidden' | 'not-found' | 'unreachable' | 'status' | 'host-key' | 'incomplete'

/** The other side failed, not this service. The sentence is for clients and holds no secret. */
export class RemoteError extends Error {
  readonly reason: RemoteReason
  /** It may be otherwise in a moment. */
  readonly isTransient: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    reason: RemoteReason,
    sentence: string,
    {
      isTransient = reason === 'unreachable' || reason === 'incomplete',
      cause,
      ...details
    }: { isTransient?: boolean; cause?: unknown } & Record<string, unknown> = {},
  ) {
    super(sentence, { cause })
    this.name = 'RemoteError'
    this.reason = reason
    this.isTransient = isTransient
    this.details = { reason, ...details }
  }
}

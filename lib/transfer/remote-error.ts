/** Why a transfer with somebody else's server came to nothing; clients see it as `details.reason`. */
export type RemoteReason = 'forbidden' | 'not-found' | 'unreachable' | 'status' | 'host-key' | 'incomplete'

/** The other side failed, not this service. The sentence is for clients and holds no secret. */
export class RemoteError extends Error {
  readonly reason: RemoteReason
  /** It may be otherwise in a moment. */
  readonly isPassing: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    reason: RemoteReason,
    sentence: string,
    {
      isPassing = reason === 'unreachable' || reason === 'incomplete',
      cause,
      ...details
    }: { isPassing?: boolean; cause?: unknown } & Record<string, unknown> = {},
  ) {
    super(sentence, { cause })
    this.name = 'RemoteError'
    this.reason = reason
    this.isPassing = isPassing
    this.details = { reason, ...details }
  }
}

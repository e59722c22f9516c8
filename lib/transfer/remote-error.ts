/** Why a transfer with a remote server failed; clients see it as `details.reason`. */
type RemoteReason =
  | 'forbidden'
  | 'not-found'
  | 'no-space'
  | 'unreachable'
  | 'status'
  | 'host-key'
  | 'incomplete'

/** A failure of the remote side, not of this service. The message is for clients and contains no secret. */
export class RemoteError extends Error {
  readonly reason: RemoteReason
  /** Whether a retry may succeed soon. */
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

// Messages as they are stored, and as a receive returns them.

export interface MessageRow {
  readonly seq: number
  readonly queue_id: number
  readonly id: string
  readonly group_id: string | null
  readonly dedup_id: string | null
  readonly sent_at: number
  readonly enqueued_at: number
  readonly visible_at: number
  /** Number of times the message was received from this queue. */
  readonly received: number
  /** Number of times the message was received from the queues that it was in before. */
  readonly received_before: number
  readonly first_received_at: number | null
  /** Time of the last receive; null if its receiver returned the message, which is then not in flight. */
  readonly received_at: number | null
  readonly receipt: number | null
  readonly source_arn: string | null
}

export interface MessageContent {
  readonly body: string
  /** The attributes as JSON. */
  readonly attributes: string
  readonly trace: string | null
  readonly sender: string
}

export interface ReceivedMessage {
  readonly row: MessageRow
  readonly content: MessageContent
  readonly token: number
}

export interface ReceiveOptions {
  readonly max: number
  readonly visibilityS: number
  readonly attemptId: string | undefined
}

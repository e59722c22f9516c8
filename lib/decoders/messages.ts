import * as z from 'zod'
import type { MethodCall } from './methods.ts'

/**
 * A call to a process that reads files. The message contains the head of the file and, if the file is longer, its tail.
 */
export type CallMessage = MethodCall & {
  readonly type: 'call'
  readonly filename: string
  /** Size of the file in bytes. */
  readonly size: number
  readonly headBytes: number
}

/** The bytes of the requested range, or none if it could not be read. */
export interface RangeMessage {
  readonly type: 'range'
  readonly failed: boolean
}

export type ServiceMessage = CallMessage | RangeMessage

const offset = z.number().int().nonnegative()

/** Sent once, when the process has loaded its code. */
export const ReadyMessage = z.strictObject({ type: z.literal('ready') })

export const finalMessages = [
  z.strictObject({ type: z.literal('result'), value: z.unknown() }),
  /** An error that the client may see. */
  z.strictObject({
    type: z.literal('refusal'),
    code: z.string().max(100),
    message: z.string().max(4000),
    details: z.record(z.string().max(100), z.unknown()).optional(),
  }),
  /** An unexpected error, which is a bug. */
  z.strictObject({ type: z.literal('failure'), message: z.string().max(20_000) }),
] as const

/** Messages of a process that reads files. Checked like input of a client: a file can take over the process. */
export const ReaderMessage = z.discriminatedUnion('type', [
  /** Requests bytes of the file, from `start` up to, not including, `end`. */
  z.strictObject({ type: z.literal('read'), start: offset, end: offset }),
  /** Counting the content of the file would take too much time or memory. */
  z.strictObject({ type: z.literal('stopped'), reason: z.string().max(4000) }),
  ...finalMessages,
])
export type ReaderMessage = z.infer<typeof ReaderMessage>
export type FinalMessage = Exclude<ReaderMessage, { type: 'read' }>
export type DecoderMessage = z.infer<typeof ReadyMessage> | ReaderMessage

import * as z from 'zod'
import type { DetectParams } from './methods.ts'

/** Work for a decoder process. The bytes are the head of the file and, if it is longer, its tail. */
export interface CallMessage {
  readonly type: 'call'
  readonly method: 'detectFormat'
  readonly params: DetectParams
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

/** Checked like input of a client: a file can take over the process that reads it. */
export const DecoderMessage = z.discriminatedUnion('type', [
  /** Sent once, when the code is loaded. */
  z.strictObject({ type: z.literal('ready') }),
  /** Requests bytes of the file, from `start` up to, not including, `end`. */
  z.strictObject({ type: z.literal('read'), start: offset, end: offset }),
  z.strictObject({ type: z.literal('result'), value: z.unknown() }),
  /** An error that the client may see. */
  z.strictObject({
    type: z.literal('refusal'),
    code: z.string().max(100),
    message: z.string().max(4000),
    details: z.record(z.string().max(100), z.unknown()).optional(),
  }),
  /** A bug. */
  z.strictObject({ type: z.literal('failure'), message: z.string().max(20_000) }),
])
export type DecoderMessage = z.infer<typeof DecoderMessage>

// Messages between the engine's code, in a decoder process, and the browser's host in the worker.
import * as z from 'zod'

export const BrowserRequest = z.discriminatedUnion('kind', [
  /** Starts attempts to show a document, each in a browser, until one is finished without a crash. */
  z.strictObject({
    kind: z.literal('run'),
    /** Whether to show the document only once, in a browser of its own in which scripts run. */
    runsScripts: z.boolean().optional(),
  }),
  /** Ends an attempt; ignored if it has already ended. */
  z.strictObject({ kind: z.literal('finish'), attempt: z.int(), crash: z.string().optional() }),
  /** A DevTools command. */
  z.strictObject({
    kind: z.literal('call'),
    attempt: z.int(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()),
    sessionId: z.string().optional(),
  }),
])
export type BrowserRequest = z.infer<typeof BrowserRequest>

/** The result of a command, or the message of a BrowserCrash or BrowserRefusal. */
export const BrowserReply = z.strictObject({
  result: z.unknown().optional(),
  crash: z.string().optional(),
  refusal: z.string().optional(),
})
export type BrowserReply = z.infer<typeof BrowserReply>

export const AttemptNotice = z.discriminatedUnion('kind', [
  /** Announces that an attempt begins. */
  z.strictObject({ kind: z.literal('attempt'), attempt: z.int() }),
  /** A DevTools event of a page. */
  z.strictObject({
    kind: z.literal('event'),
    sessionId: z.string(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()),
  }),
])
export type AttemptNotice = z.infer<typeof AttemptNotice>

import * as z from 'zod'
import { accountEvents } from './account-events.ts'
import { fileEvents } from './file-events.ts'
import { jobEvents } from './job-events.ts'

/**
 * Every event with its body. To add one: its schema in the file of its group, and what renders it beside its subject,
 * as `lib/jobs/events.ts`.
 */
export const events = { ...jobEvents, ...fileEvents, ...accountEvents } as const

export type EventName = keyof typeof events

/** What every event has beside its body. */
const Common = z.object({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string().describe('The same when the event is told again'),
  sequence: z.int().describe('Number of the event within its job, from 1; always 1 of a file that arrives'),
  apiVersion: z.literal('v1'),
})

/** What subscribers get to see. */
export type ServiceEvent = z.infer<typeof Common> & { readonly event: EventName } & Readonly<
    Record<string, unknown>
  >

/** As it stands on the bus: with whose it is, and what `sequence` counts within, as the id of a job. */
export const Addressed = z.object({ owner: z.string(), stream: z.string() })
export type BusEvent = ServiceEvent & Readonly<z.infer<typeof Addressed>>

/** Without what is nobody's business outside. */
export function toldOf({ owner: _owner, stream: _stream, ...event }: BusEvent): ServiceEvent {
  return event
}

export type EventBody<Name extends EventName> = z.input<z.ZodObject<(typeof events)[Name]>>

export const eventSchema = <Name extends EventName>(name: Name) =>
  Common.extend({ event: z.literal(name), ...(events[name] as (typeof events)[Name]) })

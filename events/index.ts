import * as z from 'zod'
import { JobUsage } from '../lib/model/job-usage.ts'
import { keysOf } from '../lib/validation/keys-of.ts'
import { accountEvents } from './account-events.ts'
import { fileEvents } from './file-events.ts'
import { jobEvents } from './job-events.ts'

/**
 * Every event with its body. To add an event, add its schema to the file of its group, and create the event in the
 * code for its subject: `lib/jobs/events.ts` creates the events of jobs.
 */
export const events = { ...jobEvents, ...fileEvents, ...accountEvents } as const

export type EventName = keyof typeof events
export const eventNames = keysOf(events)

/** Says when each event is sent. */
export const eventDescriptions: Readonly<Record<EventName, string>> = {
  'job.created': 'A job was accepted.',
  'job.queued': 'All uploads of the job are complete; it waits for a worker.',
  'job.started': 'The first task of the job is running.',
  'job.progress': 'The job made progress; sent at most every two seconds, to webhooks every five.',
  'job.completed': 'The results of the job are ready.',
  'job.failed': 'The job ended without the requested results.',
  'job.cancelled': 'You or the service cancelled the job.',
  'job.expired':
    'The retention period of the job ended and its files were deleted, or the file that it waited for was never uploaded.',
  'file.uploaded': 'One of your files was uploaded.',
  'file.downloaded': 'A client was redirected to a result.',
  'file.deleted': 'A file of a job was deleted.',
  'subscription.created': 'Your plan started.',
  'subscription.updated': 'Your plan was replaced with another one.',
  'subscription.cancelled': 'Your plan ended.',
  'quota.warning': 'Most of a quota is used; sent once per window.',
  'quota.exceeded': 'A quota is used up; sent once per window.',
}

/** Fields of every event, in addition to its body. */
const CommonFields = z.object({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string().describe('Id of the event, unchanged if it is sent again'),
  sequence: z
    .int()
    .describe(
      'Number of the event within its job, from 1; always 1 for a file that was uploaded before its job was created',
    ),
  apiVersion: z.literal('v1'),
  test: z
    .literal(true)
    .optional()
    .describe('`true` in events that `POST /v1/webhooks/{webhookId}/test` sends'),
})

/** An event as subscribers receive it. */
export type ServiceEvent = z.infer<typeof CommonFields> & { readonly event: EventName } & Readonly<
    Record<string, unknown>
  >

/** Additional fields of an event on the bus. `sequence` counts the events of one `stream`, such as those of one job. */
export const BusFields = z.object({
  owner: z.string(),
  stream: z.string(),
  /** Set if the job has its own `webhookUrl`. */
  hasWebhook: z.literal(true).optional(),
  /** Kinds of subscribers that want the event; omitted if there are none. */
  listeners: z.array(z.enum(['webhooks', 'sockets'])).optional(),
  /** What a finished job adds to the usage of its owner and of the service. */
  share: JobUsage.optional(),
  /** W3C Trace Context of the request or task that published the event. */
  traceparent: z.string().optional(),
})
export type SubscriberKind = NonNullable<z.infer<typeof BusFields>['listeners']>[number]
export type BusEvent = ServiceEvent & Readonly<z.infer<typeof BusFields>>

/** Removes the fields that are only used on the bus. */
export function toPublicEvent({
  owner: _owner,
  stream: _stream,
  hasWebhook: _hasWebhook,
  listeners: _listeners,
  share: _share,
  traceparent: _traceparent,
  ...event
}: BusEvent): ServiceEvent {
  return event
}

export type EventBody<Name extends EventName> = z.input<z.ZodObject<(typeof events)[Name]>>

// Without the type assertion, the schema would have the fields of all events instead of those of this event.
export const eventSchema = <Name extends EventName>(name: Name) =>
  CommonFields.extend({ event: z.literal(name), ...(events[name] as (typeof events)[Name]) })

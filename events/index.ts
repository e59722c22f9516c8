import * as z from 'zod'
import { JobUsage } from '../lib/usage/job-usage.ts'
import { accountEvents } from './account-events.ts'
import { fileEvents } from './file-events.ts'
import { jobEvents } from './job-events.ts'

/**
 * Every event with its body. To add one: its schema in the file of its group, and what renders it beside its subject,
 * as `lib/jobs/events.ts`.
 */
export const events = { ...jobEvents, ...fileEvents, ...accountEvents } as const

export type EventName = keyof typeof events
export const eventNames = Object.keys(events) as EventName[] // keys of a const table

/** When each is told. */
export const eventDescriptions: Readonly<Record<EventName, string>> = {
  'job.created': 'A job is accepted.',
  'job.queued': 'All that it needs from you is there; it waits for a worker.',
  'job.started': 'The first of its tasks is under way.',
  'job.progress': 'It is further than before; at most every two seconds, to webhooks every five.',
  'job.completed': 'Its results are ready.',
  'job.failed': 'It ended without the results that were asked for.',
  'job.cancelled': 'It was stopped by you or by the service.',
  'job.expired': 'Its time is over, and its files are deleted; or the file that it waited for never came.',
  'file.uploaded': 'A file of yours has arrived.',
  'file.downloaded': 'Somebody was led to a result.',
  'file.deleted': 'A file of a job is gone.',
  'subscription.created': 'A plan begins.',
  'subscription.updated': 'A plan takes the place of another one.',
  'subscription.cancelled': 'A plan ends.',
  'quota.warning': 'Most of what the plan allows is used; once in each window.',
  'quota.exceeded': 'All that the plan allows is used; once in each window.',
}

/** What every event has beside its body. */
const CommonFields = z.object({
  event: z.string(),
  timestamp: z.iso.datetime(),
  id: z.string().describe('The same when the event is told again'),
  sequence: z.int().describe('Number of the event within its job, from 1; always 1 of a file that arrives'),
  apiVersion: z.literal('v1'),
})

/** What subscribers get to see. */
export type ServiceEvent = z.infer<typeof CommonFields> & { readonly event: EventName } & Readonly<
    Record<string, unknown>
  >

/** As it stands on the bus: with whose it is, and what `sequence` counts within, as the id of a job. */
export const BusFields = z.object({
  owner: z.string(),
  stream: z.string(),
  /** The job has a `webhookUrl` of its own. */
  hasWebhook: z.literal(true).optional(),
  /** Who wants to hear of it outside of the service; left out where nobody does. */
  listeners: z.array(z.enum(['webhooks', 'sockets'])).optional(),
  /** Of the end of a job: what it adds to the figures of its owner and of the service. */
  share: JobUsage.optional(),
})
export type SubscriberKind = NonNullable<z.infer<typeof BusFields>['listeners']>[number]
export type BusEvent = ServiceEvent & Readonly<z.infer<typeof BusFields>>

/** Without what is nobody's business outside. */
export function toPublicEvent({
  owner: _owner,
  stream: _stream,
  hasWebhook: _hasWebhook,
  listeners: _listeners,
  share: _share,
  ...event
}: BusEvent): ServiceEvent {
  return event
}

export type EventBody<Name extends EventName> = z.input<z.ZodObject<(typeof events)[Name]>>

export const eventSchema = <Name extends EventName>(name: Name) =>
  CommonFields.extend({ event: z.literal(name), ...(events[name] as (typeof events)[Name]) })

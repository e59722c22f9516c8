import * as z from 'zod'
import { getOwnedKey } from '../aws/owned-records.ts'
import type { Key } from '../aws/table.ts'
import { Sealed } from '../crypto/sealed.ts'
import { StoredUrl } from './stored-url.ts'

const Timestamp = z.iso.datetime()

/** Formats that clients can choose: the event itself, or a message for one of two kinds of chat platforms. */
export const PublicWebhookFormat = z.enum(['json', 'chat-blocks', 'chat-embed'])
/** All formats, including that of the compatible v2 API. */
export const WebhookFormat = z.enum([...PublicWebhookFormat.options, 'facade-v2'])
export type WebhookFormat = z.infer<typeof WebhookFormat>

/** Why the service disabled a webhook. */
export const DisabledFor = z.enum(['gone', 'failing'])
export type DisabledFor = z.infer<typeof DisabledFor>

/** A URL that receives events. */
export const Webhook = z.object({
  id: z.string(),
  owner: z.string(),
  url: StoredUrl,
  /** Names of events, or `*` for all. */
  events: z.array(z.string()),
  format: WebhookFormat,
  description: z.string().optional(),
  enabled: z.boolean(),
  /** Set for the `webhookUrl` of a job: such a webhook is in no list and uses the owner's default secret. */
  jobId: z.string().optional(),
  secret: Sealed.optional(),
  /** Previous secrets that are still used for signing, newest first. */
  old: z.array(z.object({ secret: Sealed, until: Timestamp })).optional(),
  /** When the current series of failures started. */
  failingSince: Timestamp.optional(),
  disabledAt: Timestamp.optional(),
  disabledFor: DisabledFor.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** When the table deletes the record, in seconds since 1970; only set for the webhook of a job. */
  ttl: z.int().optional(),
})
export type Webhook = z.infer<typeof Webhook>

/** Maximum number of webhooks per owner. */
export const maxWebhooks = 20

/** How long deliveries are listed and events can be replayed, in seconds. */
export const deliveryLifetimeS = 30 * 86_400

export const getWebhookKey = (id: string): Key => getOwnedKey('WEBHOOK', id)

/** Derives the id of the webhook of a job from the id of the job. */
export const getWebhookIdOfJob = (jobId: string) => jobId.replace(/^job_/, 'whk_')

/** Each job sends exactly one of these events. */
const terminalEvents: readonly string[] = ['job.completed', 'job.failed', 'job.cancelled']

/** Whether a webhook gets only one event per job, so that its deliveries need no order. */
export const receivesTerminalEventsOnly = ({ events }: Pick<Webhook, 'events'>): boolean =>
  events.every((event) => terminalEvents.includes(event))

export const isSubscribedTo = ({ events }: Pick<Webhook, 'events'>, event: string): boolean =>
  events.includes('*') || events.includes(event)

/** Whether a webhook is subscribed to an event, or needs it because later events wait for it in the sequence. */
export const needsEvent = (webhook: Pick<Webhook, 'events'>, event: string): boolean =>
  isSubscribedTo(webhook, event) || !receivesTerminalEventsOnly(webhook)

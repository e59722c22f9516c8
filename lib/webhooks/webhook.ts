import * as z from 'zod'
import type { Key } from '../aws/table.ts'
import { ownedKey } from '../owned-records.ts'
import { Sealed } from '../sealed.ts'

const Timestamp = z.iso.datetime()

/** What the body of a delivery looks like: the event itself, or a message of one of two kinds of chat platforms. */
export const PublicWebhookFormat = z.enum(['json', 'chat-blocks', 'chat-embed'])
/** Beside them what receivers of the facade expect. */
export const WebhookFormat = z.enum([...PublicWebhookFormat.options, 'facade-v2'])
export type WebhookFormat = z.infer<typeof WebhookFormat>

/** Why a webhook is off that nobody switched off. */
export const DisabledFor = z.enum(['gone', 'failing'])
export type DisabledFor = z.infer<typeof DisabledFor>

/** An address that is told of events. */
export const Webhook = z.object({
  id: z.string(),
  owner: z.string(),
  url: z.string(),
  /** Names, or `*` for all. */
  events: z.array(z.string()),
  format: WebhookFormat,
  description: z.string().optional(),
  enabled: z.boolean(),
  /** It is the `webhookUrl` of this job, is in no list, and is signed with the default secret of the owner. */
  jobId: z.string().optional(),
  secret: Sealed.optional(),
  /** Secrets that sign beside it for a while, the newest first. */
  old: z.array(z.object({ secret: Sealed, until: Timestamp })).optional(),
  /** Nothing was delivered since. */
  failingSince: Timestamp.optional(),
  disabledAt: Timestamp.optional(),
  disabledFor: DisabledFor.optional(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Seconds since the epoch, where it ends with its job. */
  ttl: z.int().optional(),
})
export type Webhook = z.infer<typeof Webhook>

/** Webhooks of one owner. */
export const maxWebhooks = 20

/** Seconds for which deliveries are listed, and events can be sent again. */
export const deliveryLifetimeS = 30 * 86_400

export const webhookKey = (id: string): Key => ownedKey('WEBHOOK', id)

/** The webhook that a job brings itself has an id that follows from the job's. */
export const webhookIdOfJob = (jobId: string) => jobId.replace(/^job_/, 'whk_')

/** Of these a job has one. */
const terminalEvents: readonly string[] = ['job.completed', 'job.failed', 'job.cancelled']

/** Whether it hears of a job once, so that there is no order to be kept. */
export const receivesTerminalEventsOnly = ({ events }: Pick<Webhook, 'events'>): boolean =>
  events.every((event) => terminalEvents.includes(event))

export const isSubscribedTo = ({ events }: Pick<Webhook, 'events'>, event: string): boolean =>
  events.includes('*') || events.includes(event)

/** It wants to hear of it, or has to know that it came, as another event waits for its turn. */
export const needsEvent = (webhook: Pick<Webhook, 'events'>, event: string): boolean =>
  isSubscribedTo(webhook, event) || !receivesTerminalEventsOnly(webhook)

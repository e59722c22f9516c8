import * as z from 'zod'
import type { Principal } from '../model/principal.ts'
import type { Services } from '../services/services.ts'
import { component } from '../validation/component.ts'
import { type Delivery, type DeliveryAttempt, DeliveryStatus } from './delivery.ts'
import { openUrl, toWebhookUrl } from './stored-url.ts'
import { DisabledFor, type Webhook, WebhookFormat } from './webhook.ts'

/** Renders webhooks and their deliveries for the API. */

const Timestamp = z.iso.datetime()

export const WebhookView = component(
  'Webhook',
  z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    format: WebhookFormat,
    description: z.string().nullable(),
    enabled: z.boolean(),
    failing: z.boolean().describe('Whether all deliveries have failed since `failingSince`'),
    failingSince: Timestamp.nullable(),
    disabledAt: Timestamp.nullable(),
    disabledReason: DisabledFor.nullable().describe(
      '`gone`: the URL responded with 410. `failing`: all deliveries failed for five days. Null unless the service disabled the webhook',
    ),
    jobId: z.string().nullable().describe('The job that this `webhookUrl` belongs to'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
)

export const WebhookWithSecret = component(
  'WebhookWithSecret',
  WebhookView.extend({ secret: z.string().describe('`whsec_…`; shown only once') }),
)

export const toWebhookView = (
  webhook: Webhook,
  principal: Principal,
  { vault }: Pick<Services, 'vault'>,
): z.infer<typeof WebhookView> => {
  const { id, url, events, format, enabled, createdAt, updatedAt } = webhook
  return {
    id,
    url: toWebhookUrl(principal, openUrl(url, id, vault)),
    events,
    format,
    description: webhook.description ?? null,
    enabled,
    failing: webhook.failingSince !== undefined,
    failingSince: webhook.failingSince ?? null,
    disabledAt: webhook.disabledAt ?? null,
    disabledReason: webhook.disabledFor ?? null,
    jobId: webhook.jobId ?? null,
    createdAt,
    updatedAt,
  }
}

export const DeliveryView = component(
  'Delivery',
  z.object({
    id: z.string(),
    eventId: z.string(),
    event: z.string(),
    sequence: z.int(),
    status: DeliveryStatus,
    attempt: z.int().describe('Number of attempts made so far'),
    responseStatus: z.int().nullable(),
    responseBody: z.string().nullable().describe('Up to 1 KB of the last response'),
    error: z.string().nullable(),
    durationMs: z.int().nullable(),
    nextAttemptAt: Timestamp.nullable(),
    createdAt: Timestamp,
  }),
)

export const DeliveryWithAttempts = component(
  'DeliveryWithAttempts',
  DeliveryView.extend({
    attempts: z.array(
      z.object({
        attempt: z.int(),
        at: Timestamp,
        responseStatus: z.int().nullable(),
        error: z.string().nullable(),
        durationMs: z.int(),
      }),
    ),
  }),
)

export function toDeliveryView(delivery: Delivery): z.infer<typeof DeliveryView> {
  const { id, eventId, event, sequence, status, attempt, attempts, createdAt } = delivery
  return {
    id,
    eventId,
    event,
    sequence,
    status,
    attempt,
    responseStatus: delivery.responseStatus ?? null,
    responseBody: delivery.responseBody ?? null,
    error: delivery.error ?? null,
    durationMs: attempts.at(-1)?.durationMs ?? null,
    nextAttemptAt: delivery.nextAttemptAt ?? null,
    createdAt,
  }
}

const toAttemptView = ({ attempt, at, durationMs, ...otherFields }: DeliveryAttempt) => ({
  attempt,
  at,
  durationMs,
  responseStatus: otherFields.responseStatus ?? null,
  error: otherFields.error ?? null,
})

export const toDeliveryWithAttempts = (delivery: Delivery): z.infer<typeof DeliveryWithAttempts> => ({
  ...toDeliveryView(delivery),
  attempts: delivery.attempts.map(toAttemptView),
})

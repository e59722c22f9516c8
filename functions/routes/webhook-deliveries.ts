import * as z from 'zod'
import { eventNames } from '../../events/index.ts'
import { webhookAccess } from '../../lib/access/principal.ts'
import { integer } from '../../lib/coerce.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { pageCursor } from '../../lib/http/query.ts'
import { idPattern, namedId } from '../../lib/ids.ts'
import type { Services } from '../../lib/services.ts'
import type { Delivery } from '../../lib/webhooks/delivery.ts'
import { mostReplayed, Sendings } from '../../lib/webhooks/manual-deliveries.ts'
import {
  DeliveryView,
  DeliveryWithAttempts,
  deliveryView,
  deliveryWithAttempts,
} from '../../lib/webhooks/view.ts'
import type { Webhook } from '../../lib/webhooks/webhook.ts'
import { requireOwnWebhook, WebhookParams } from './webhooks.ts'

const DeliveryParams = WebhookParams.extend({
  deliveryId: z.string().describe('Id of the delivery, `whd_…`'),
})

export const testWebhook = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/test',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Send a test to a webhook',
  description:
    'An event that did not happen, with `test: true`, once and also while it is switched off. The reply comes when the receiver has answered.',
  params: WebhookParams,
  body: {
    accepts: ['json'],
    schema: z.strictObject({ event: z.enum(eventNames).default('job.completed').describe('Its name') }),
  },
  reply: {
    status: 200,
    schema: z.object({
      deliveryId: z.string(),
      status: DeliveryView.shape.status,
      responseStatus: z.int().nullable(),
      durationMs: z.int().nullable(),
      error: z.string().nullable(),
    }),
  },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal, remainingMs }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    const delivery = await new Sendings(services).test(webhook, body.event, remainingMs)
    const { id: deliveryId, status, responseStatus, durationMs, error } = deliveryView(delivery)
    return { data: { deliveryId, status, responseStatus, durationMs, error } }
  },
})

export const listDeliveries = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/deliveries',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'List what was sent to a webhook',
  description: 'The newest event first; each is kept for 30 days.',
  params: WebhookParams,
  query: z.object({
    limit: integer(1, 100).default(20),
    before: pageCursor('whd', 'delivery'),
  }),
  reply: {
    status: 200,
    schema: z.object({ deliveries: z.array(DeliveryView), next: z.string().nullable() }),
  },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT'],
  handle: async ({ params, query, principal }, services) => {
    const { id } = await requireOwnWebhook(params.webhookId, principal, services)
    const { deliveries, next } = await new Sendings(services).store.list(id, query)
    return { data: { deliveries: deliveries.map(deliveryView), next: next ?? null } }
  },
})

export const getDelivery = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/deliveries/:deliveryId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'See a delivery with its attempts',
  params: DeliveryParams,
  reply: { status: 200, schema: DeliveryWithAttempts },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    return { data: deliveryWithAttempts(await requireDelivery(params.deliveryId, webhook, services)) }
  },
})

export const redeliver = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Send a delivery once more',
  description: 'Under the same id and with ten attempts, whatever became of it.',
  params: DeliveryParams,
  reply: { status: 202, schema: DeliveryView },
  errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    const delivery = await requireDelivery(params.deliveryId, webhook, services)
    return { data: deliveryView(await new Sendings(services).redeliver(delivery)) }
  },
})

export const replay = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/replay',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Send what happened since a time',
  description: `What the webhook was told, and what it would have been told had it been switched on, from the last 30 days. Of more than ${mostReplayed} events the rest is sent by \`after\`. Progress is left out unless it is asked for.`,
  params: WebhookParams,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      since: z.iso.datetime({ offset: true }),
      after: z
        .string()
        .regex(idPattern('evt'), 'expected `next` of the reply before')
        .optional()
        .describe('`next` of the reply before'),
      events: z.array(z.enum(eventNames)).min(1).optional().describe('Those of the webhook when left out'),
    }),
  },
  reply: {
    status: 202,
    schema: z.object({ deliveries: z.int().describe('How many are sent'), next: z.string().nullable() }),
  },
  errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    return { data: await new Sendings(services).replay(webhook, body) }
  },
})

/** @throws AppError WEBHOOK_NOT_FOUND */
async function requireDelivery(id: string, webhook: Webhook, services: Services): Promise<Delivery> {
  const isValidId = idPattern('whd').test(id)
  const delivery = isValidId ? await new Sendings(services).store.byId(webhook.id, id) : undefined
  if (delivery) return delivery
  throw new AppError(
    'WEBHOOK_NOT_FOUND',
    `Nothing is known of a delivery ${namedId(id)} to ${webhook.id}; they are kept for 30 days.`,
    { webhookId: webhook.id, deliveryId: id.slice(0, 64) },
  )
}

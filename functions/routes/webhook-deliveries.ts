import * as z from 'zod'
import { eventNames } from '../../events/index.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  createPageLinks,
  createPagination,
  cursorField,
  deprecatedNextField,
  Pagination,
  readCursor,
} from '../../lib/http/pagination.ts'
import { createCursorSchema } from '../../lib/http/query.ts'
import { idPattern, quoteId } from '../../lib/ids.ts'
import { webhookAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { text } from '../../lib/validation/maxima.ts'
import type { Delivery } from '../../lib/webhooks/delivery.ts'
import { ManualDeliveries, maxReplayedEvents } from '../../lib/webhooks/manual-deliveries.ts'
import {
  DeliveryView,
  DeliveryWithAttempts,
  toDeliveryView,
  toDeliveryWithAttempts,
} from '../../lib/webhooks/view.ts'
import type { Webhook } from '../../lib/webhooks/webhook.ts'
import { requireOwnWebhook, WebhookParams } from './webhooks.ts'

const DeliveryParams = WebhookParams.extend({
  deliveryId: text('id').describe('Id of the delivery, `whd_…`'),
})

export const testWebhook = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/test',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Send a test event to a webhook',
  description:
    'Sends an example event with `test: true` once, even if the webhook is disabled. The reply is sent after the receiver has replied.',
  params: WebhookParams,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      event: z.enum(eventNames).default('job.completed').describe('Name of the event'),
    }),
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
    const delivery = await new ManualDeliveries(services).test(webhook, body.event, remainingMs)
    const { id: deliveryId, status, responseStatus, durationMs, error } = toDeliveryView(delivery)
    return { data: { deliveryId, status, responseStatus, durationMs, error } }
  },
})

export const listDeliveries = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/deliveries',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook',
  description: 'Newest event first. Deliveries are kept for 30 days.',
  params: WebhookParams,
  query: z.object({
    limit: integer(1, 100).default(20),
    before: createCursorSchema('whd', 'delivery'),
    cursor: cursorField,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      deliveries: z.array(DeliveryView),
      next: deprecatedNextField,
      pagination: Pagination,
    }),
  },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT'],
  handle: async ({ params, query, principal }, services) => {
    const { id } = await requireOwnWebhook(params.webhookId, principal, services)
    const { limit, before, cursor } = query
    const tokens = readCursor(cursor ?? before, (token) => idPattern('whd').test(token))
    const { store } = new ManualDeliveries(services)
    const { deliveries, next } = await store.list(id, { limit, before: tokens.at(-1) })
    const pagination = createPagination(limit, tokens, next)
    return {
      data: { deliveries: deliveries.map(toDeliveryView), next: next ?? null, pagination },
      ...createPageLinks(
        `${services.config.PUBLIC_URL ?? ''}/v1/webhooks/${id}/deliveries`,
        query,
        pagination,
      ),
    }
  },
})

export const getDelivery = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/deliveries/:deliveryId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Get a delivery with its attempts',
  description: 'Lists each attempt with its time, status and error.',
  params: DeliveryParams,
  reply: { status: 200, schema: DeliveryWithAttempts },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    return { data: toDeliveryWithAttempts(await requireDelivery(params.deliveryId, webhook, services)) }
  },
})

export const redeliver = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/deliveries/:deliveryId/redeliver',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Repeat a delivery',
  description:
    'Sends the delivery again with the same id and up to ten attempts, whether or not it succeeded before.',
  params: DeliveryParams,
  reply: { status: 202, schema: DeliveryView },
  errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    const delivery = await requireDelivery(params.deliveryId, webhook, services)
    return { data: toDeliveryView(await new ManualDeliveries(services).redeliver(delivery)) }
  },
})

export const replay = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/replay',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Replay events',
  description: `Sends the events from the last 30 days that the webhook received or would have received if it had been enabled. For more than ${maxReplayedEvents} events, continue with \`after\`. Progress events are only sent if \`events\` lists them.`,
  params: WebhookParams,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      since: z.iso.datetime({ offset: true }),
      after: z
        .string()
        .regex(idPattern('evt'), 'expected `next` of the previous reply')
        .optional()
        .describe('`next` of the previous reply'),
      events: z
        .array(z.enum(eventNames))
        .min(1)
        .max(eventNames.length)
        .optional()
        .describe('Names of the events to send; defaults to the events of the webhook'),
    }),
  },
  reply: {
    status: 202,
    schema: z.object({ deliveries: z.int().describe('Number of deliveries'), next: z.string().nullable() }),
  },
  errors: ['WEBHOOK_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal }, services) => {
    const webhook = await requireOwnWebhook(params.webhookId, principal, services)
    return { data: await new ManualDeliveries(services).replay(webhook, body) }
  },
})

/** @throws AppError WEBHOOK_NOT_FOUND */
async function requireDelivery(id: string, webhook: Webhook, services: Services): Promise<Delivery> {
  const isValidId = idPattern('whd').test(id)
  const delivery = isValidId ? await new ManualDeliveries(services).store.findById(webhook.id, id) : undefined
  if (delivery) return delivery
  throw new AppError(
    'WEBHOOK_NOT_FOUND',
    `There is no delivery ${quoteId(id)} to ${webhook.id}. Deliveries are kept for 30 days.`,
    { webhookId: webhook.id, deliveryId: id.slice(0, 64) },
  )
}

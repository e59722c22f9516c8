import * as z from 'zod'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { webhookAccess } from '../../lib/model/principal.ts'
import { createJsonSchema, text } from '../../lib/validation/maxima.ts'
import { createWebhook, deleteWebhook, listWebhooks } from '../routes/webhooks.ts'
import {
  callEndpoint,
  compatDefaults,
  dataReply,
  emptyReply,
  getPublicUrl,
  listReply,
} from './call-endpoint.ts'
import { type NativeWebhook, toCompatWebhookView, toNativeEvents } from './webhook-view.ts'

const addWebhook = contract({
  ...compatDefaults,
  method: 'POST',
  path: '/v2/webhooks',
  access: webhookAccess,
  summary: 'Create a webhook',
  body: {
    accepts: ['json'],
    schema: z
      .object({
        url: text('url'),
        events: z.array(z.enum(['job.created', 'job.finished', 'job.failed'])).max(100),
      })
      .catchall(createJsonSchema()),
  },
  reply: { status: 201, ...dataReply },
  idempotent: true,
  handle: async (request, services) => {
    const { url, events } = request.body
    const body = { url, events: toNativeEvents(events), format: 'facade-v2', enabled: true }
    const createdWebhook = await callEndpoint<NativeWebhook>(createWebhook, request, { body }, services)
    return { data: { data: toCompatWebhookView(createdWebhook, getPublicUrl(services)) } }
  },
})

const listCompatWebhooks = contract({
  ...compatDefaults,
  method: 'GET',
  path: '/v2/users/me/webhooks',
  access: webhookAccess,
  summary: 'List webhooks',
  reply: listReply,
  handle: async (request, services) => {
    const query = { limit: 100 }
    const { webhooks: allWebhooks } = await callEndpoint<{ webhooks: NativeWebhook[] }>(
      listWebhooks,
      request,
      { query },
      services,
    )
    return {
      data: { data: allWebhooks.map((webhook) => toCompatWebhookView(webhook, getPublicUrl(services))) },
    }
  },
})

const removeWebhook = contract({
  ...compatDefaults,
  method: 'DELETE',
  path: '/v2/webhooks/:webhookId',
  access: webhookAccess,
  summary: 'Delete a webhook',
  params: z.object({ webhookId: text('id') }),
  reply: emptyReply,
  handle: async (request, services) => {
    await callEndpoint(deleteWebhook, request, {}, services)
    return { data: null }
  },
})

export const webhookContracts: readonly AnyContract[] = [addWebhook, listCompatWebhooks, removeWebhook]

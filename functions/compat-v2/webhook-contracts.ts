import * as z from 'zod'
import { webhookAccess } from '../../lib/access/principal.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { createWebhook, deleteWebhook, listWebhooks } from '../routes/webhooks.ts'
import { ask, baseOf, common, data, gone, listed } from './call-endpoint.ts'
import { type OurWebhook, ourEvents, theirWebhook } from './webhook-view.ts'

const addWebhook = contract({
  ...common,
  method: 'POST',
  path: '/v2/webhooks',
  access: webhookAccess,
  summary: 'Be told of jobs',
  body: {
    accepts: ['json'],
    schema: z.looseObject({
      url: z.string(),
      events: z.array(z.enum(['job.created', 'job.finished', 'job.failed'])),
    }),
  },
  reply: { status: 201, ...data },
  idempotent: true,
  handle: async (request, services) => {
    const { url, events } = request.body
    const body = { url, events: ourEvents(events), format: 'facade-v2', enabled: true }
    const made = await ask<OurWebhook>(createWebhook, request, { body }, services)
    return { data: { data: theirWebhook(made, baseOf(services)) } }
  },
})

const myWebhooks = contract({
  ...common,
  method: 'GET',
  path: '/v2/users/me/webhooks',
  access: webhookAccess,
  summary: 'List webhooks',
  reply: listed,
  handle: async (request, services) => {
    const query = { limit: 100 }
    const { webhooks: all } = await ask<{ webhooks: OurWebhook[] }>(
      listWebhooks,
      request,
      { query },
      services,
    )
    return { data: { data: all.map((one) => theirWebhook(one, baseOf(services))) } }
  },
})

const removeWebhook = contract({
  ...common,
  method: 'DELETE',
  path: '/v2/webhooks/:webhookId',
  access: webhookAccess,
  summary: 'Delete a webhook',
  params: z.object({ webhookId: z.string() }),
  reply: gone,
  handle: async (request, services) => {
    await ask(deleteWebhook, request, {}, services)
    return { data: null }
  },
})

export const webhookContracts: readonly AnyContract[] = [addWebhook, myWebhooks, removeWebhook]

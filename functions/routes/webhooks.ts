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
import type { Principal } from '../../lib/model/principal.ts'
import { webhookAccess } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { component } from '../../lib/validation/component.ts'
import { isSafeText } from '../../lib/validation/display-name.ts'
import { text } from '../../lib/validation/maxima.ts'
import { isWebhookSecret } from '../../lib/webhooks/signatures.ts'
import { toWebhookView, WebhookView, WebhookWithSecret } from '../../lib/webhooks/view.ts'
import { maxWebhooks, PublicWebhookFormat, type Webhook } from '../../lib/webhooks/webhook.ts'
import { Webhooks } from '../../lib/webhooks/webhooks.ts'

export const WebhookParams = z.object({ webhookId: text('id').describe('Id of the webhook, `whk_…`') })

const selectableEvents = ['*', ...eventNames] as const

const fields = {
  url: z.string().min(1).max(2048).describe('Public URL to which events are sent by POST'),
  events: z
    .array(z.enum(selectableEvents))
    .min(1)
    .max(selectableEvents.length)
    .transform((list) => [...new Set(list)])
    .describe('Names of events; `*` for all events, including future ones'),
  format: PublicWebhookFormat.describe(
    'The event as JSON, or a message for a chat platform: with blocks for Slack, with embeds for Discord',
  ),
  description: z
    .string()
    .max(500)
    .refine(isSafeText, 'expected a single line of text without control characters'),
  enabled: z.boolean(),
}

const Body = z.strictObject({
  ...fields,
  format: fields.format.default('json'),
  description: fields.description.optional(),
  enabled: fields.enabled.default(true),
  secret: text('id')
    .refine(isWebhookSecret, 'expected `whsec_` and the base64 of 24 to 64 bytes')
    .optional()
    .describe('Your own secret; generated if omitted'),
})

const RotateBody = z.strictObject({
  graceHours: z
    .number()
    .min(0)
    .max(168)
    .default(24)
    .describe('Hours for which requests are signed with both the old and the new secret'),
})

const signatureDescription =
  'Each request has two signatures. `X-Webhook-Signature` is `sha256=` and the hex of HMAC-SHA256 over the body, with the whole secret including `whsec_` as the key. `webhook-signature` follows Standard Webhooks: it signs `{webhook-id}.{webhook-timestamp}.{body}` with the base64-decoded part after `whsec_` as the key. Verify the raw body, not a parsed and re-serialized one, and compare in constant time.'

const deliveryDescription =
  'A 2xx reply within 15 s is a success; a redirect is not. Up to ten attempts are made within about 76 hours, later if `Retry-After` says so. A 410 disables the webhook immediately, and so do five days with only failures. An event may be delivered more than once, with the same `id`. The events of a job are sent in the order of `sequence`, but failed ones are retried later.'

export const createWebhook = contract({
  method: 'POST',
  path: '/v1/webhooks',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Create a webhook',
  description: `${deliveryDescription} ${signatureDescription} An owner may have ${maxWebhooks} webhooks.`,
  body: {
    accepts: ['json'],
    schema: Body,
    examples: {
      'Finished jobs': { url: 'https://www.example.com/hook', events: ['job.completed', 'job.failed'] },
      'Chat messages': { url: 'https://www.example.com/chat', events: ['job.failed'], format: 'chat-blocks' },
    },
  },
  reply: { status: 201, headers: ['location'], schema: WebhookWithSecret },
  idempotent: true,
  errors: ['INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ body, principal }, services) => {
    const { webhook, secret } = await new Webhooks(services).create(principal.ownerId, body)
    return {
      data: { ...toWebhookView(webhook, principal, services), secret },
      headers: { location: `/v1/webhooks/${webhook.id}` },
    }
  },
})

export const listWebhooks = contract({
  method: 'GET',
  path: '/v1/webhooks',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'List your webhooks',
  description: 'Newest first.',
  query: z.object({
    limit: integer(1, 100).default(20),
    before: createCursorSchema('whk', 'webhook'),
    cursor: cursorField,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ webhooks: z.array(WebhookView), next: deprecatedNextField, pagination: Pagination }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, principal }, services) => {
    const { limit, before, cursor } = query
    const tokens = readCursor(cursor ?? before, (token) => idPattern('whk').test(token))
    const lastId = tokens.at(-1) ?? '~'
    const olderWebhooks = (await new Webhooks(services).store.list(principal.ownerId)).filter(
      ({ id }) => id < lastId,
    )
    const page = olderWebhooks.slice(0, limit)
    const nextCursor = olderWebhooks.length > limit ? (page.at(-1)?.id ?? null) : null
    const pagination = createPagination(limit, tokens, nextCursor)
    const webhooks = page.map((webhook) => toWebhookView(webhook, principal, services))
    return {
      data: { webhooks, next: nextCursor, pagination },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/webhooks`, query, pagination),
    }
  },
})

export const getWebhook = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Get a webhook',
  description:
    'Also returns the webhook that belongs to the `webhookUrl` of a job. The id of that webhook is the id of the job with `whk_` instead of `job_`.',
  params: WebhookParams,
  reply: { status: 200, schema: WebhookView },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: toWebhookView(await requireOwnWebhook(params.webhookId, principal, services), principal, services),
  }),
})

export const changeWebhook = contract({
  method: 'PATCH',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Change a webhook',
  description:
    'Omitted fields keep their value. Set `enabled` to enable a webhook again, whatever the reason it was disabled.',
  params: WebhookParams,
  body: { accepts: ['json'], schema: z.strictObject(fields).partial() },
  reply: { status: 200, schema: WebhookView },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ params, body, principal }, services) => {
    const { id } = await requireListedWebhook(params.webhookId, principal, services)
    const changedWebhook = await new Webhooks(services).change(id, body)
    if (!changedWebhook) throw createWebhookNotFoundError(id)
    return { data: toWebhookView(changedWebhook, principal, services) }
  },
})

export const deleteWebhook = contract({
  method: 'DELETE',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  description: 'No further events are sent to the webhook.',
  params: WebhookParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireListedWebhook(params.webhookId, principal, services)
    if (!(await new Webhooks(services).remove(webhook))) throw createWebhookNotFoundError(webhook.id)
    return { data: null }
  },
})

export const rotateSecret = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/rotate-secret',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook',
  description:
    'For `graceHours`, requests are also signed with the old secret: `webhook-signature` contains both signatures, and `X-Webhook-Signature-Old` is the `X-Webhook-Signature` with the old secret.',
  params: WebhookParams,
  body: { accepts: ['json'], schema: RotateBody },
  reply: { status: 200, schema: WebhookWithSecret },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal }, services) => {
    const previousWebhook = await requireListedWebhook(params.webhookId, principal, services)
    const rotatedWebhook = await new Webhooks(services).rotate(previousWebhook, body.graceHours)
    if (!rotatedWebhook) throw createWebhookNotFoundError(previousWebhook.id)
    return {
      data: { ...toWebhookView(rotatedWebhook.webhook, principal, services), secret: rotatedWebhook.secret },
    }
  },
})

const DefaultSecretView = component(
  'WebhookSecret',
  z.object({ secret: z.string().describe('`whsec_…`'), createdAt: z.iso.datetime() }),
)

export const getDefaultSecret = contract({
  method: 'GET',
  path: '/v1/webhooks/secret',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Get the signing secret for webhookUrl',
  description: 'The service signs all requests to the `webhookUrl` of your jobs with this secret.',
  reply: { status: 200, schema: DefaultSecretView },
  errors: ['AUTHENTICATION_REQUIRED'],
  handle: async ({ principal }, services) => ({
    data: await new Webhooks(services).defaultSecret(requireIdentity(principal).ownerId),
  }),
})

export const rotateDefaultSecret = contract({
  method: 'POST',
  path: '/v1/webhooks/secret/rotate',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Rotate the signing secret for webhookUrl',
  description:
    'For `graceHours`, requests are also signed with the old secret, in the same headers as after `POST /v1/webhooks/{webhookId}/rotate-secret`.',
  body: { accepts: ['json'], schema: RotateBody },
  reply: { status: 200, schema: DefaultSecretView },
  errors: ['AUTHENTICATION_REQUIRED', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ body, principal }, services) => ({
    data: await new Webhooks(services).rotateDefault(requireIdentity(principal).ownerId, body.graceHours),
  }),
})

/** Rejects a client that just got its identity and so has no jobs. @throws AppError AUTHENTICATION_REQUIRED */
function requireIdentity(principal: Principal): Principal {
  if (!principal.isNew) return principal
  throw new AppError(
    'AUTHENTICATION_REQUIRED',
    'Each owner has a signing secret, but this request has no owner. Send the X-Owner-Token header that the service returned when you first created something, such as a job.',
  )
}

const createWebhookNotFoundError = (id: string) =>
  new AppError('WEBHOOK_NOT_FOUND', `There is no webhook ${quoteId(id)}; it may have been deleted.`, {
    webhookId: id.slice(0, 64),
  })

/** Webhooks of other owners are reported as missing. @throws AppError WEBHOOK_NOT_FOUND */
export async function requireOwnWebhook(
  id: string,
  principal: Principal,
  services: Services,
): Promise<Webhook> {
  const webhook = idPattern('whk').test(id) ? await new Webhooks(services).store.find(id) : undefined
  if (!webhook || webhook.owner !== principal.ownerId) throw createWebhookNotFoundError(id)
  return webhook
}

/** Also rejects the webhook of a single job, which cannot be changed. @throws AppError WEBHOOK_NOT_FOUND */
async function requireListedWebhook(id: string, principal: Principal, services: Services): Promise<Webhook> {
  const webhook = await requireOwnWebhook(id, principal, services)
  if (webhook.jobId !== undefined) throw createWebhookNotFoundError(id)
  return webhook
}

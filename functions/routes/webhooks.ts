import * as z from 'zod'
import { eventNames } from '../../events/index.ts'
import type { Principal } from '../../lib/access/principal.ts'
import { webhookAccess } from '../../lib/access/principal.ts'
import { integer } from '../../lib/coerce.ts'
import { isPlain } from '../../lib/display-name.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { pageCursor } from '../../lib/http/query.ts'
import { idPattern, namedId } from '../../lib/ids.ts'
import type { Services } from '../../lib/services.ts'
import { isSecret } from '../../lib/webhooks/signatures.ts'
import { SecretField, WebhookView, webhookView } from '../../lib/webhooks/view.ts'
import { mostWebhooks, OfferedFormat, type Webhook } from '../../lib/webhooks/webhook.ts'
import { Webhooks } from '../../lib/webhooks/webhooks.ts'

export const WebhookParams = z.object({ webhookId: z.string().describe('Id of the webhook, `whk_…`') })

const names = ['*', ...eventNames] as const

const fields = {
  url: z.string().min(1).max(2048).describe('Public address that events are sent to by POST'),
  events: z
    .array(z.enum(names))
    .min(1)
    .max(names.length)
    .transform((list) => [...new Set(list)])
    .describe('Names of events; `*` for all, those too that come to be'),
  format: OfferedFormat.describe(
    'The event itself, or a message for a chat platform: of blocks, or of embeds',
  ),
  description: z.string().max(500).refine(isPlain, 'expected a text in one line, without control characters'),
  enabled: z.boolean(),
}

const Body = z.strictObject({
  ...fields,
  format: fields.format.default('json'),
  description: fields.description.optional(),
  enabled: fields.enabled.default(true),
  secret: z
    .string()
    .refine(isSecret, 'expected `whsec_` and the base64 of 24 to 64 bytes')
    .optional()
    .describe('One of your own; made when left out'),
})

const Grace = z.strictObject({
  graceHours: z
    .number()
    .min(0)
    .max(168)
    .default(24)
    .describe('Hours for which the old secret signs beside the new one'),
})

const aboutSignatures =
  'Each request is signed twice. `X-Webhook-Signature` is `sha256=` and the hex of HMAC-SHA256 over the body, keyed by the secret as it stands, `whsec_` and all. `webhook-signature` is that of Standard Webhooks over `{webhook-id}.{webhook-timestamp}.{body}`, keyed by the bytes whose base64 follows `whsec_`. Take the body as it came, not parsed and written again, and compare in constant time.'

const aboutDeliveries =
  'An answer of 2xx within 15 s is a success, a redirect is none. What fails is sent again, ten times within 75 hours, later where `Retry-After` says so; 410 switches the webhook off at once, five days of nothing but failures do too. The same event comes with the same `id`, sometimes twice; events of one job leave in the order of `sequence`, but one that failed comes later.'

export const createWebhook = contract({
  method: 'POST',
  path: '/v1/webhooks',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Be told of events',
  description: `${aboutDeliveries} ${aboutSignatures} One owner may have ${mostWebhooks}.`,
  body: {
    accepts: ['json'],
    schema: Body,
    examples: {
      'Ends of jobs': { url: 'https://www.example.com/hook', events: ['job.completed', 'job.failed'] },
      'To a chat': { url: 'https://www.example.com/chat', events: ['job.failed'], format: 'chat-blocks' },
    },
  },
  reply: { status: 201, headers: ['location'], schema: WebhookView.extend({ secret: SecretField }) },
  idempotent: true,
  errors: ['INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ body, principal }, services) => {
    const { webhook, secret } = await new Webhooks(services).create(principal.ownerId, body)
    return {
      data: { ...webhookView(webhook), secret },
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
  description: 'The newest first.',
  query: z.object({
    limit: integer(1, 100).default(20),
    before: pageCursor('whk', 'webhook'),
  }),
  reply: { status: 200, schema: z.object({ webhooks: z.array(WebhookView), next: z.string().nullable() }) },
  errors: ['INVALID_INPUT'],
  handle: async ({ query: { limit, before = '~' }, principal }, services) => {
    const rest = (await new Webhooks(services).store.list(principal.ownerId)).filter(({ id }) => id < before)
    const page = rest.slice(0, limit)
    const next = rest.length > limit ? (page.at(-1)?.id ?? null) : null
    return { data: { webhooks: page.map(webhookView), next } }
  },
})

export const getWebhook = contract({
  method: 'GET',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'See a webhook',
  description: 'That of the `webhookUrl` of a job too: its id is the id of the job, with `whk_` for `job_`.',
  params: WebhookParams,
  reply: { status: 200, schema: WebhookView },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: webhookView(await requireOwnWebhook(params.webhookId, principal, services)),
  }),
})

export const changeWebhook = contract({
  method: 'PATCH',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Change a webhook',
  description: 'What is left out stays as it is. `enabled` switches it on again, whatever switched it off.',
  params: WebhookParams,
  body: { accepts: ['json'], schema: z.strictObject(fields).partial() },
  reply: { status: 200, schema: WebhookView },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST', 'URL_NOT_ALLOWED'],
  handle: async ({ params, body, principal }, services) => {
    const { id } = await requireListedWebhook(params.webhookId, principal, services)
    const changed = await new Webhooks(services).change(id, body)
    if (!changed) throw notFound(id)
    return { data: webhookView(changed) }
  },
})

export const deleteWebhook = contract({
  method: 'DELETE',
  path: '/v1/webhooks/:webhookId',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Delete a webhook',
  params: WebhookParams,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['WEBHOOK_NOT_FOUND'],
  handle: async ({ params, principal }, services) => {
    const webhook = await requireListedWebhook(params.webhookId, principal, services)
    if (!(await new Webhooks(services).remove(webhook))) throw notFound(webhook.id)
    return { data: null }
  },
})

export const rotateSecret = contract({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/rotate-secret',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'Change the secret of a webhook',
  description:
    'For `graceHours` the old one signs as well: `webhook-signature` has both signatures, `X-Webhook-Signature-Old` the old one of `X-Webhook-Signature`.',
  params: WebhookParams,
  body: { accepts: ['json'], schema: Grace },
  reply: { status: 200, schema: WebhookView.extend({ secret: SecretField }) },
  errors: ['WEBHOOK_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal }, services) => {
    const before = await requireListedWebhook(params.webhookId, principal, services)
    const changed = await new Webhooks(services).rotate(before, body.graceHours)
    if (!changed) throw notFound(before.id)
    return { data: { ...webhookView(changed.webhook), secret: changed.secret } }
  },
})

const DefaultSecretView = z.object({ secret: z.string().describe('`whsec_…`'), createdAt: z.iso.datetime() })

export const getDefaultSecret = contract({
  method: 'GET',
  path: '/v1/webhooks/secret',
  access: webhookAccess,
  tag: 'Webhooks',
  summary: 'See the secret that signs for webhookUrl',
  description: 'All that goes to the `webhookUrl` of a job of yours is signed with it.',
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
  summary: 'Change the secret that signs for webhookUrl',
  body: { accepts: ['json'], schema: Grace },
  reply: { status: 200, schema: DefaultSecretView },
  errors: ['AUTHENTICATION_REQUIRED', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ body, principal }, services) => ({
    data: await new Webhooks(services).rotateDefault(requireIdentity(principal).ownerId, body.graceHours),
  }),
})

/** Who has made nothing has no jobs to be told of. @throws AppError AUTHENTICATION_REQUIRED */
function requireIdentity(principal: Principal): Principal {
  if (!principal.isNew) return principal
  throw new AppError(
    'AUTHENTICATION_REQUIRED',
    'The secret belongs to an identity. Send the X-Owner-Token that came with the first thing that you made.',
  )
}

const notFound = (id: string) =>
  new AppError('WEBHOOK_NOT_FOUND', `There is no webhook ${namedId(id)}; it may have been deleted.`, {
    webhookId: id.slice(0, 64),
  })

/** Nobody learns of webhooks of others. @throws AppError WEBHOOK_NOT_FOUND */
export async function requireOwnWebhook(
  id: string,
  principal: Principal,
  services: Services,
): Promise<Webhook> {
  const webhook = idPattern('whk').test(id) ? await new Webhooks(services).store.find(id) : undefined
  if (!webhook || webhook.owner !== principal.ownerId) throw notFound(id)
  return webhook
}

/** That of a job ends with it, and is not changed. @throws AppError WEBHOOK_NOT_FOUND */
async function requireListedWebhook(id: string, principal: Principal, services: Services): Promise<Webhook> {
  const webhook = await requireOwnWebhook(id, principal, services)
  if (webhook.jobId !== undefined) throw notFound(id)
  return webhook
}

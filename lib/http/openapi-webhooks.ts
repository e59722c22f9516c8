import * as z from 'zod'
import type { ZodOpenApiPathItemObject } from 'zod-openapi'
import { eventExamples } from '../../events/examples/index.ts'
import { eventMeanings, eventNames, eventSchema } from '../../events/index.ts'

/** What webhooks send, as the documents of the interface tell it. */

/** Of the requests that subscribers get. */
export const WebhookHeaders = z.object({
  'X-Webhook-Event': z.enum(eventNames).describe('Name of the event'),
  'X-Webhook-Delivery': z.string().describe('`whd_…`; the same for each attempt'),
  'X-Webhook-Attempt': z.int().describe('From 1'),
  'X-Webhook-Signature': z
    .string()
    .describe(
      '`sha256=` and the lower-case hex of HMAC-SHA256 over the raw body; the key is the secret as it stands, `whsec_` and all, in UTF-8',
    ),
  'X-Webhook-Signature-Old': z
    .string()
    .optional()
    .describe('The same with the secret before, while it holds after a rotation'),
  'webhook-id': z.string().describe('Id of the event (Standard Webhooks); take each once'),
  'webhook-timestamp': z.string().describe('Seconds since the epoch, of this attempt (Standard Webhooks)'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is what follows `whsec_`, decoded from base64. Two of them, with a space between, after a rotation (Standard Webhooks)',
    ),
})

/** `webhooks` of the OpenAPI document: the requests that the service sends. */
export const openApiWebhooks = (): Record<string, ZodOpenApiPathItemObject> =>
  Object.fromEntries(
    eventNames.map((name) => [
      name,
      {
        post: {
          operationId: `on-${name.replace('.', '-')}`,
          tags: ['Webhooks'],
          summary: eventMeanings[name],
          security: [],
          requestParams: { header: WebhookHeaders },
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: eventSchema(name),
                example: eventExamples[name],
              },
            },
          },
          responses: {
            '2XX': { description: 'Taken, within 15 s' },
            '410': { description: 'No more of these: the subscription is switched off' },
            default: { description: 'Not taken, a redirect too: it is sent again, ten times in three days' },
          },
        },
      },
    ]),
  )

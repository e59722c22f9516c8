import * as z from 'zod'
import type { ZodOpenApiPathItemObject } from 'zod-openapi'
import { eventExamples } from '../../../events/examples/index.ts'
import { type EventName, eventDescriptions, eventNames, eventSchema } from '../../../events/index.ts'
import { component } from '../../validation/component.ts'

/** Describes the requests that webhooks receive, for the OpenAPI and AsyncAPI documents. */

/** Headers of the requests that subscribers receive. */
export const WebhookHeaders = z.object({
  'X-Webhook-Event': z.enum(eventNames).describe('Name of the event'),
  'X-Webhook-Delivery': z.string().describe('Id of the delivery, `whd_…`; the same for each attempt'),
  'X-Webhook-Attempt': z.int().describe('Number of the attempt, starting at 1'),
  'X-Webhook-Signature': z
    .string()
    .describe(
      '`sha256=` and the lower-case hex of HMAC-SHA256 over the raw body; the key is the whole secret including `whsec_`, as UTF-8',
    ),
  'X-Webhook-Signature-Old': z
    .string()
    .optional()
    .describe('The same signature with the previous secret, while that is still valid after a rotation'),
  'webhook-id': z.string().describe('Id of the event (Standard Webhooks); process each id once'),
  'webhook-timestamp': z
    .string()
    .describe('Time of this attempt in seconds since the epoch (Standard Webhooks)'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and the base64 of HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`; the key is the part after `whsec_`, decoded from base64. After a rotation of the secret, there are two signatures, separated by a space (Standard Webhooks)',
    ),
})

/** Creates the headers as parameter components, because all events have the same headers. */
export const createWebhookHeaderComponents = () =>
  Object.fromEntries(
    Object.entries(WebhookHeaders.shape).map(([name, schema]) => [
      getHeaderId(name),
      schema.meta({ ...schema.meta(), param: { in: 'header', name } }),
    ]),
  )

const getHeaderId = (name: string) => `${toPascalCase(name)}Header`

const getEventId = (name: EventName) => `${toPascalCase(name)}Event`

const toPascalCase = (name: string) =>
  name.toLowerCase().replace(/(?:^|[-.])(\w)/g, (_, initial: string) => initial.toUpperCase())

/** Creates the named schemas of the events. */
export const createEventSchemas = () =>
  Object.fromEntries(eventNames.map((name) => [name, component(getEventId(name), eventSchema(name))]))

/** Creates the `webhooks` object of the OpenAPI document: requests that the service sends. */
export const createOpenApiWebhooks = (): Record<string, ZodOpenApiPathItemObject> =>
  Object.fromEntries(
    eventNames.map((name) => [
      name,
      {
        post: {
          operationId: `on-${name.replace('.', '-')}`,
          tags: ['Webhooks'],
          summary: eventDescriptions[name],
          description: 'Sent to the URLs of your webhooks that list this event. Reply with any 2xx status.',
          security: [],
          parameters: Object.keys(WebhookHeaders.shape).map((header) => ({
            $ref: `#/components/parameters/${getHeaderId(header)}`,
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${getEventId(name)}` },
                example: eventExamples[name],
              },
            },
          },
          responses: {
            '2XX': { description: 'Accepted; expected within 15 s' },
            '410': { description: 'Unsubscribe: the webhook is disabled' },
            default: {
              description: 'Failed, including redirects: up to ten attempts are made within about 76 hours',
            },
          },
        },
      },
    ]),
  )

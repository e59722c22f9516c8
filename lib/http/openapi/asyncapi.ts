import * as z from 'zod'
import { eventExamples } from '../../../events/examples/index.ts'
import { eventDescriptions, eventNames, eventSchema } from '../../../events/index.ts'
import { StatusView } from '../../jobs/view.ts'
import { clientFrames, JobFrame, serverFrames } from '../../live/frames.ts'
import { closeCodeList } from '../../live/reference.ts'
import { simplifySchema } from './schemas.ts'
import { WebhookHeaders } from './webhooks.ts'

interface DocumentInfo {
  readonly version: string
  /** Public URL of the service, if known. */
  readonly url: string | undefined
}

/**
 * Creates the AsyncAPI 3 document of what the service sends without a request: webhooks, WebSocket frames and event
 * streams.
 */
export function createAsyncApiDocument({ version, url }: DocumentInfo) {
  const sentFrames = Object.keys(serverFrames)
  const streamedFrames = ['job-snapshot', ...eventNames]
  const receivedFrames = Object.keys(clientFrames).map((name) => `${name}-request`)
  const schemas = createSchemas()
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Mutabor events',
      version,
      description:
        'Events of your jobs, delivered by webhooks, WebSockets and server-sent events. The HTTP API is described by `openapi.json`.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    ...(url && { servers: createServers(new URL(url)) }),
    channels: {
      webhooks: {
        address: null,
        title: 'Webhooks',
        description: 'POST requests to the URLs of your webhooks, which you create with `POST /v1/webhooks`.',
        messages: createReferences(eventNames, 'components/messages'),
      },
      events: {
        address: '/v1/jobs/{jobId}/events',
        title: 'Events of a job',
        description: 'Server-sent events. Send `Last-Event-ID` to resume an interrupted stream.',
        parameters: { jobId: { description: 'Id of the job' } },
        messages: createReferences(streamedFrames, 'components/messages'),
      },
      user: {
        address: '/v1/ws/user/jobs',
        title: 'All your jobs',
        description: `A WebSocket, also available at \`/ws/user/jobs\`. Close codes:\n\n${closeCodeList}`,
        messages: createReferences([...sentFrames, ...receivedFrames], 'components/messages'),
      },
      job: {
        address: '/v1/ws/jobs/{jobId}',
        title: 'One job',
        description: `A WebSocket. Close codes:\n\n${closeCodeList}`,
        parameters: { jobId: { description: 'Id of the job' } },
        messages: createReferences(['progress', 'error'], 'components/messages'),
      },
    },
    operations: {
      tellByWebhook: createOperation('send', 'webhooks', eventNames),
      tellByStream: createOperation('send', 'events', streamedFrames),
      tellUser: createOperation('send', 'user', sentFrames),
      hearUser: createOperation('receive', 'user', receivedFrames),
      tellOfJob: createOperation('send', 'job', ['progress', 'error']),
    },
    components: {
      messages: {
        ...Object.fromEntries(
          eventNames.map((name) => [
            name,
            {
              name,
              summary: eventDescriptions[name],
              headers: schemas.of(WebhookHeaders),
              payload: schemas.of(eventSchema(name)),
              examples: [{ payload: eventExamples[name] }],
            },
          ]),
        ),
        ...Object.fromEntries(
          Object.entries(serverFrames).map(([name, frame]) => [name, { name, payload: schemas.of(frame) }]),
        ),
        ...Object.fromEntries(
          Object.entries(clientFrames).map(([name, frame]) => [
            `${name}-request`,
            { name, payload: schemas.of(frame, 'input') },
          ]),
        ),
        progress: { name: 'progress', payload: schemas.of(JobFrame) },
        'job-snapshot': {
          name: 'snapshot',
          summary: 'State of the job when the stream starts.',
          payload: schemas.of(StatusView),
        },
      },
      schemas: schemas.namedSchemas,
    },
  }
}

const createServers = ({ host, pathname, protocol }: URL) => ({
  service: {
    host,
    ...(pathname !== '/' && { pathname }),
    protocol: protocol === 'https:' ? 'wss' : 'ws',
  },
})

const createReferences = (names: readonly string[], componentType: string) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/${componentType}/${name}` }]))

const createOperation = (action: 'send' | 'receive', channel: string, names: readonly string[]) => ({
  action,
  channel: { $ref: `#/channels/${channel}` },
  messages: Object.values(createReferences(names, `channels/${channel}/messages`)),
})

type JsonSchema = Record<string, unknown>

/** Converts schemas to JSON Schema. Schemas with a name are collected, and other schemas refer to them by name. */
function createSchemas() {
  const namedSchemas: Record<string, JsonSchema> = {}
  return {
    namedSchemas,
    of(schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonSchema {
      const convertedSchema = z.toJSONSchema(schema, {
        target: 'draft-7',
        io,
        override: ({ jsonSchema }) => simplifySchema(jsonSchema),
      })
      const text = JSON.stringify(convertedSchema).replaceAll('"#/definitions/', '"#/components/schemas/')
      const { $schema: _, definitions = {}, ...rest } = JSON.parse(text) as JsonSchema // what was converted
      for (const [id, { id: _id, ...definition }] of Object.entries(definitions as typeof namedSchemas))
        namedSchemas[id] = definition
      return rest
    },
  }
}

import * as z from 'zod'
import { asyncApiDocument } from '../../lib/http/asyncapi.ts'
import { contract } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'

export const getAsyncApi = contract({
  method: 'GET',
  path: '/v1/asyncapi.json',
  tag: 'Service',
  summary: 'The AsyncAPI 3 document of webhooks, WebSockets and streams of events',
  reply: {
    status: 200,
    schema: z.looseObject({}),
    form: 'raw',
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  keptAs: () => 'document',
  handle: (_request, { config }) => ({
    data: { ...asyncApiDocument({ version: interfaceVersion, url: config.PUBLIC_URL }) },
  }),
})

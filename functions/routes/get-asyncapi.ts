import { contract } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'
import { documentContract } from './get-openapi.ts'

export const getAsyncApi = contract({
  ...documentContract,
  path: '/v1/asyncapi.json',
  summary: 'Get the AsyncAPI 3 document of webhooks, WebSockets and event streams',
  description: 'The document is for code generators and reference pages, like `openapi.json`.',
  handle: async (_request, { config }) => {
    const { createAsyncApiDocument: asyncApiDocument } = await import('../../lib/http/openapi/asyncapi.ts')
    return { data: { ...asyncApiDocument({ version: interfaceVersion, url: config.PUBLIC_URL }) } }
  },
})

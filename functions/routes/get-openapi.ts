import * as z from 'zod'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { openApiDocument } from '../../lib/http/openapi.ts'
import { interfaceVersion } from './get-version.ts'

export function getOpenApi(contracts: readonly AnyContract[]): AnyContract {
  return contract({
    method: 'GET',
    path: '/v1/openapi.json',
    tag: 'Service',
    summary: 'The OpenAPI 3.1 document of this API',
    reply: {
      status: 200,
      schema: z.looseObject({}),
      form: 'raw',
      etag: true,
      cacheControl: 'public, max-age=300',
    },
    keptAs: () => 'document',
    handle: (_request, { config }) => ({
      data: { ...openApiDocument(contracts, { version: interfaceVersion, url: config.PUBLIC_URL ?? '/' }) },
    }),
  })
}

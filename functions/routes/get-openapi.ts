import * as z from 'zod'
import { getMaxBodyBytes } from '../../lib/config.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'
import type { RecordedExample } from '../../lib/http/openapi/recorded-example.ts'
import { openAccess } from '../../lib/model/principal.ts'

/** Contract properties shared by the OpenAPI and AsyncAPI documents. */
export const documentContract = {
  method: 'GET',
  access: openAccess,
  tag: 'Service',
  reply: {
    status: 200,
    schema: z.looseObject({}),
    form: 'raw',
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  cacheKey: () => 'document',
} as const

/** Loads the contracts when the document is requested. */
export type LoadContracts = () => Promise<readonly AnyContract[]>

/** Loads the examples that `npm run examples` recorded. */
async function loadExamples(): Promise<Readonly<Record<string, RecordedExample>>> {
  const { default: recordedExamples } = await import('./examples.json', { with: { type: 'json' } })
  return recordedExamples
}

export function getOpenApi(contracts: LoadContracts): AnyContract {
  const self: AnyContract = contract({
    ...documentContract,
    path: '/v1/openapi.json',
    summary: 'Get the OpenAPI 3.1 document of this API',
    description: 'The document is for code generators, API clients and reference pages.',
    handle: async (_request, { config }) => {
      const [
        { createOpenApiDocument: openApiDocument },
        { engines },
        { authEndpoints },
        documentedContracts,
        examples,
      ] = await Promise.all([
        import('../../lib/http/openapi/openapi.ts'),
        import('../../lib/engines/index.ts'),
        import('../../lib/access/auth/endpoints/index.ts'),
        contracts(),
        loadExamples(),
      ])
      return {
        data: {
          ...openApiDocument([...documentedContracts, self], {
            version: interfaceVersion,
            url: config.PUBLIC_URL ?? '/',
            maxBodyBytes: getMaxBodyBytes(config),
            examples,
            engines,
            authEndpoints,
          }),
        },
      }
    },
  })
  return self
}

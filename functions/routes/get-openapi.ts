import * as z from 'zod'
import { open } from '../../lib/access/principal.ts'
import { maxBodyBytes } from '../../lib/config.ts'
import { type AnyContract, contract } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'
import { openApiDocument, type RecordedExample } from '../../lib/http/openapi.ts'
import recorded from './examples.json' with { type: 'json' }

/** Recorded by `npm run examples`. */
const examples: Readonly<Record<string, RecordedExample>> = recorded

/** A description of the service for machines. */
export const document = {
  method: 'GET',
  access: open,
  tag: 'Service',
  reply: {
    status: 200,
    schema: z.looseObject({}),
    form: 'raw',
    etag: true,
    cacheControl: 'public, max-age=300',
  },
  keptAs: () => 'document',
} as const

export function getOpenApi(contracts: readonly AnyContract[]): AnyContract {
  const self: AnyContract = contract({
    ...document,
    path: '/v1/openapi.json',
    summary: 'The OpenAPI 3.1 document of this API',
    handle: (_request, { config }) => ({
      data: {
        ...openApiDocument([...contracts, self], {
          version: interfaceVersion,
          url: config.PUBLIC_URL ?? '/',
          maxBodyBytes: maxBodyBytes(config),
          examples,
        }),
      },
    }),
  })
  return self
}

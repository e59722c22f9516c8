import * as z from 'zod'
import { contract } from '../../lib/http/contract.ts'
import { interfaceVersion } from '../../lib/http/interface-version.ts'
import { openAccess } from '../../lib/model/principal.ts'

export const getVersion = contract({
  method: 'GET',
  path: '/v1',
  access: openAccess,
  tag: 'Service',
  summary: 'Get the API version and the main endpoints',
  reply: {
    status: 200,
    schema: z.object({
      name: z.string(),
      versions: z.array(z.object({ id: z.string(), status: z.enum(['current']), version: z.string() })),
      links: z.record(z.string(), z.string()),
    }),
  },
  handle: () => ({
    data: {
      name: 'Mutabor',
      versions: [{ id: 'v1', status: 'current' as const, version: interfaceVersion }],
      links: {
        convert: '/v1/convert',
        formats: '/v1/formats',
        conversions: '/v1/formats/conversions',
        jobs: '/v1/jobs',
        uploads: '/v1/uploads/presign',
        openapi: '/v1/openapi.json',
        docs: '/docs',
        health: '/health',
      },
    },
  }),
})

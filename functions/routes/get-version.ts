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
  description: '`links` has the path of each resource; `{jobId}` stands for an id.',
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
        check: '/v1/convert/check',
        merge: '/v1/convert/merge',
        batch: '/v1/convert/batch',
        jobs: '/v1/jobs',
        status: '/v1/status/{jobId}',
        download: '/v1/download/{jobId}',
        formats: '/v1/formats',
        conversions: '/v1/formats/conversions',
        uploads: '/v1/uploads/presign',
        multipartUploads: '/v1/uploads/multipart',
        imports: '/v1/import/url',
        drives: '/v1/cloud',
        signedDownloads: '/v1/download/signed',
        zipDownloads: '/v1/download/zip',
        webhooks: '/v1/webhooks',
        workflows: '/v1/workflows',
        webSocketTickets: '/v1/ws/tickets',
        signIn: '/v1/auth/options',
        account: '/v1/account',
        usage: '/v1/account/usage',
        quota: '/v1/account/quota',
        apiKeys: '/v1/api-keys',
        oauth: '/.well-known/oauth-authorization-server',
        oauthClients: '/v1/oauth/clients',
        users: '/v1/admin/users',
        audit: '/v1/admin/audit',
        serviceLevels: '/v1/admin/slo',
        plans: '/v1/plans',
        reliability: '/v1/reliability',
        openapi: '/v1/openapi.json',
        asyncapi: '/v1/asyncapi.json',
        docs: '/docs',
        health: '/health',
      },
    },
  }),
})

import * as z from 'zod'
import { createAuditWrite } from '../../lib/access/audit.ts'
import { closeRevokedSockets } from '../../lib/access/credential.ts'
import { Clients, maxClients, type OAuthClient } from '../../lib/access/oauth/clients.ts'
import { authenticateClient, issueToken } from '../../lib/access/oauth/grants.ts'
import { AccessTokens, tokenLifetimeS } from '../../lib/access/oauth/tokens.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { createPageLinks, Pagination, paginateList, wholeListQuery } from '../../lib/http/pagination.ts'
import { quoteId } from '../../lib/ids.ts'
import { accountManageAccess, grantedScopes, openAccess } from '../../lib/model/principal.ts'
import { component } from '../../lib/validation/component.ts'
import { createNameSchema } from '../../lib/validation/display-name.ts'
import { text } from '../../lib/validation/maxima.ts'

const Scopes = z.array(z.enum(grantedScopes)).min(1).max(grantedScopes.length)

const toClientView = ({ id, name, scopes, last4, createdAt }: OAuthClient) => ({
  id,
  clientId: id,
  name,
  scopes,
  last4,
  createdAt,
})

const ClientView = component(
  'OAuthClient',
  z.object({
    id: z.string(),
    clientId: z.string().describe('Same as `id`, under its OAuth name'),
    name: z.string(),
    scopes: Scopes,
    last4: z.string().describe('Last characters of the secret'),
    createdAt: z.iso.datetime(),
  }),
)

const NewClientView = component('NewOAuthClient', ClientView.extend({ clientSecret: z.string() }))

const Params = z.object({ clientId: text('id').describe('Id of the client, `client_…`') })

export const createOAuthClient = contract({
  method: 'POST',
  path: '/v1/oauth/clients',
  access: accountManageAccess,
  tag: 'OAuth',
  summary: 'Create an OAuth client',
  description: `A program that gets access tokens with \`POST /v1/oauth/token\`, with at most these scopes. The secret is shown only once. An account may have ${maxClients} clients.`,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      name: createNameSchema(200),
      scopes: Scopes.default([...grantedScopes]).describe('Scopes of its tokens; all scopes if omitted'),
    }),
    examples: {
      'For conversions only': { name: 'Nightly import', scopes: ['CONVERT_READ', 'CONVERT_WRITE'] },
    },
  },
  reply: { status: 201, headers: ['location'], schema: NewClientView },
  errors: ['INVALID_INPUT'],
  handle: async ({ body, principal, sourceIp }, { table }) => {
    const createAuditWrites = (client: OAuthClient) => [
      createClientAuditWrite('create', client, { actor: principal.ownerId, ip: sourceIp }),
    ]
    const { client, secret } = await new Clients(table).create(principal.ownerId, body, createAuditWrites)
    return {
      data: { ...toClientView(client), clientSecret: secret },
      headers: { location: `/v1/oauth/clients/${client.id}` },
    }
  },
})

export const listOAuthClients = contract({
  method: 'GET',
  path: '/v1/oauth/clients',
  access: accountManageAccess,
  tag: 'OAuth',
  summary: 'List your OAuth clients',
  description: 'Lists each client with its scopes. Secrets are shown only when a client is created.',
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ clients: z.array(ClientView), pagination: Pagination }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, principal }, { table, config }) => {
    const clients = await new Clients(table).list(principal.ownerId)
    const { page, pagination } = paginateList(clients, query, ({ id }) => id)
    return {
      data: { clients: page.map(toClientView), pagination },
      ...createPageLinks(`${config.PUBLIC_URL ?? ''}/v1/oauth/clients`, query, pagination),
    }
  },
})

export const deleteOAuthClient = contract({
  method: 'DELETE',
  path: '/v1/oauth/clients/:clientId',
  access: accountManageAccess,
  tag: 'OAuth',
  summary: 'Delete an OAuth client',
  description:
    'The tokens of the client stop working within 1 s, and WebSockets and event streams that they opened are closed.',
  params: Params,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['API_KEY_NOT_FOUND'],
  handle: async ({ params, principal, sourceIp, log }, { table, bus }) => {
    const clients = new Clients(table)
    const client = await clients.find(params.clientId)
    const isOwn = client?.owner === principal.ownerId
    const by = { actor: principal.ownerId, ip: sourceIp }
    if (!client || !isOwn || !(await clients.remove(client, [createClientAuditWrite('delete', client, by)])))
      throw new AppError(
        'API_KEY_NOT_FOUND',
        `There is no OAuth client ${quoteId(params.clientId)}; it may have been deleted.`,
      )
    await closeRevokedSockets(client.owner, { bus, log })
    return { data: null }
  },
})

const createClientAuditWrite = (
  doneAction: 'create' | 'delete',
  { id, name, scopes }: OAuthClient,
  by: { readonly actor: string; readonly ip: string },
) =>
  createAuditWrite({
    ...by,
    action: `client.${doneAction}`,
    subject: id,
    after: doneAction === 'create' ? `${name} (${scopes.join(', ')})` : undefined,
  })

/** Unknown parameters are ignored (RFC 6749, 3.2). */
const Credentials = {
  client_id: z.string().max(200).optional().describe('Required unless sent with `Authorization: Basic`'),
  client_secret: z.string().max(200).optional(),
}
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

export const getToken = contract({
  method: 'POST',
  path: '/v1/oauth/token',
  access: openAccess,
  tag: 'OAuth',
  summary: 'Get an access token',
  description:
    'The `client_credentials` grant of RFC 6749, for programs. The client authenticates with HTTP Basic or in the body. Send the token as `Authorization: Bearer`.',
  body: {
    accepts: ['form'],
    schema: z.object({
      grant_type: z.string().max(200).optional().describe('Must be `client_credentials`'),
      scope: z
        .string()
        .max(200)
        .optional()
        .describe('Scopes, separated by spaces; all scopes of the client if omitted'),
      ...Credentials,
    }),
  },
  reply: {
    status: 200,
    form: 'raw',
    schema: z.object({
      access_token: z.string(),
      token_type: z.literal('Bearer'),
      expires_in: z.int().describe('Seconds until the token expires'),
      scope: z.string(),
    }),
  },
  errorFormat: 'oauth',
  errors: ['INVALID_API_KEY'],
  handle: async ({ headers, body }, services) => {
    const { token, scopes } = await issueToken({ headers, body }, services)
    const data = { token_type: 'Bearer' as const, expires_in: tokenLifetimeS, scope: scopes.join(' ') }
    return { data: { access_token: token, ...data }, headers: noStore }
  },
})

const TokenBody = z.object({
  token: z.string().max(500).default('').describe('The access token'),
  token_type_hint: z.string().max(100).optional().describe('Accepted but ignored'),
  ...Credentials,
})

export const revokeToken = contract({
  method: 'POST',
  path: '/v1/oauth/revoke',
  access: openAccess,
  tag: 'OAuth',
  summary: 'Revoke an access token',
  description:
    'RFC 7009, for the client that the token was issued to. The token stops working within 1 s, and WebSockets and event streams that it opened are closed. Revoking an invalid token succeeds too.',
  body: { accepts: ['form'], schema: TokenBody },
  reply: { status: 200, schema: z.object({}), form: 'raw' },
  errorFormat: 'oauth',
  errors: ['INVALID_API_KEY'],
  handle: async ({ headers, body, log }, services) => {
    const client = await authenticateClient({ headers, body }, services)
    await new AccessTokens(services.table).revoke(client, body.token)
    await closeRevokedSockets(client.owner, { bus: services.bus, log })
    return { data: {}, headers: noStore }
  },
})

export const introspectToken = contract({
  method: 'POST',
  path: '/v1/oauth/introspect',
  access: openAccess,
  tag: 'OAuth',
  summary: 'Introspect an access token',
  description:
    'RFC 7662, for clients of the same account as the token; for other clients the token is inactive.',
  body: { accepts: ['form'], schema: TokenBody },
  reply: {
    status: 200,
    form: 'raw',
    schema: z.object({
      active: z.boolean(),
      scope: z.string().optional(),
      client_id: z.string().optional(),
      token_type: z.literal('Bearer').optional(),
      sub: z.string().optional().describe('Id of the account'),
      iat: z.int().optional().describe('Time of issue, in seconds since 1970'),
      exp: z.int().optional().describe('Time of expiry, in seconds since 1970'),
    }),
  },
  errorFormat: 'oauth',
  errors: ['INVALID_API_KEY'],
  handle: async ({ headers, body }, services) => {
    const client = await authenticateClient({ headers, body }, services)
    const token = await new AccessTokens(services.table).findActive(body.token)
    if (!token || token.client.owner !== client.owner) return { data: { active: false }, headers: noStore }
    const { scopes, issuedAt, expiresAt } = token
    return {
      data: {
        active: true,
        scope: scopes.join(' '),
        client_id: token.client.id,
        token_type: 'Bearer' as const,
        sub: token.client.owner,
        iat: issuedAt,
        exp: expiresAt,
      },
      headers: noStore,
    }
  },
})

export const getOAuthMetadata = contract({
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  access: openAccess,
  tag: 'OAuth',
  summary: 'Get the OAuth server metadata',
  description: 'RFC 8414: clients find the token endpoint with only the URL of the service.',
  reply: {
    status: 200,
    form: 'raw',
    cacheControl: 'public, max-age=300',
    schema: z.looseObject({ issuer: z.string(), token_endpoint: z.string() }),
  },
  handle: (_request, { config }) => {
    const issuer = config.PUBLIC_URL ?? ''
    const methods = ['client_secret_basic', 'client_secret_post']
    return {
      data: {
        issuer,
        token_endpoint: `${issuer}/v1/oauth/token`,
        revocation_endpoint: `${issuer}/v1/oauth/revoke`,
        introspection_endpoint: `${issuer}/v1/oauth/introspect`,
        grant_types_supported: ['client_credentials'],
        // Empty, because there is no authorization endpoint.
        response_types_supported: [],
        scopes_supported: grantedScopes,
        token_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_methods_supported: methods,
        introspection_endpoint_auth_methods_supported: methods,
        service_documentation: `${issuer}/docs`,
      },
    }
  },
})

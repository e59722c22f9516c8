import * as z from 'zod'
import {
  apiKeyFields,
  KeyView,
  NewKeyView,
  requirePublicKeyRules,
  resolveScopes,
  scopePresets,
  toKeyView,
} from '../../lib/access/api-key-fields.ts'
import { type ApiKey, ApiKeys, type KeyInput, maxKeys } from '../../lib/access/api-keys.ts'
import { createAuditWrite } from '../../lib/access/audit.ts'
import { closeRevokedSockets } from '../../lib/access/credential.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { createPageLinks, Pagination, paginateList, wholeListQuery } from '../../lib/http/pagination.ts'
import { idPattern, quoteId } from '../../lib/ids.ts'
import { accountManageAccess, type Principal } from '../../lib/model/principal.ts'
import type { Services } from '../../lib/services/services.ts'
import { text } from '../../lib/validation/maxima.ts'

const Params = z.object({ keyId: text('id').describe('Id of the key, `key_…`') })

const Body = z.strictObject({
  name: apiKeyFields.name,
  kind: z
    .enum(['secret', 'public'])
    .default('secret')
    .describe(
      '`secret` (`sk_`) for servers; `public` (`ck_`) for web pages, where everyone can read it: it only has access to jobs and uploads that it created',
    ),
  access: apiKeyFields.access.optional(),
  scopes: apiKeyFields.scopes.optional(),
  expiresAt: apiKeyFields.expiresAt.optional(),
  allowedIps: apiKeyFields.allowedIps.optional(),
  allowedOrigins: apiKeyFields.allowedOrigins.optional(),
})

const Change = z
  .strictObject({
    ...apiKeyFields,
    expiresAt: apiKeyFields.expiresAt.nullable(),
    allowedIps: apiKeyFields.allowedIps.nullable(),
    allowedOrigins: apiKeyFields.allowedOrigins.nullable(),
  })
  .partial()

const sharedContract = { tag: 'API keys', access: accountManageAccess } as const

export const createKey = contract({
  ...sharedContract,
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Create an API key',
  description: `Requires a signed-in user; API keys cannot create keys. The key is shown only once, as only its SHA-256 is stored. Send it as \`X-Api-Key\` or \`Authorization: Bearer\`. An account may have ${maxKeys} keys.`,
  body: {
    accepts: ['json'],
    schema: Body,
    examples: {
      'For a server': { name: 'Nightly reports', access: 'convert-only', allowedIps: ['203.0.113.0/24'] },
      'For a web page': {
        name: 'Upload form',
        kind: 'public',
        access: 'convert-only',
        allowedOrigins: ['https://www.example.com'],
      },
    },
  },
  reply: { status: 201, headers: ['location'], schema: NewKeyView },
  idempotent: true,
  errors: ['INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ body, principal, sourceIp }, services) => {
    const { access, ...rest } = body
    const input: KeyInput = {
      ...rest,
      scopes: resolveScopes(body) ?? [...scopePresets[rest.kind === 'public' ? 'convert-only' : 'full']],
    }
    requirePublicKeyRules(input)
    const createdKey = await new ApiKeys(services).create(principal.ownerId, input, {
      extraWrites: createAuditEntry('create', { principal, sourceIp }),
    })
    if (!createdKey) throw createTooManyKeysError()
    const { key, text } = createdKey
    return { data: { ...toKeyView(key), key: text }, headers: { location: `/v1/api-keys/${key.id}` } }
  },
})

export const listKeys = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/api-keys',
  summary: 'List your API keys',
  description: 'Newest first.',
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ keys: z.array(KeyView), pagination: Pagination }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query, principal }, services) => {
    const keys = await new ApiKeys(services).list(principal.ownerId)
    const { page, pagination } = paginateList(keys, query, ({ id }) => id)
    return {
      data: { keys: page.map((key) => toKeyView(key)), pagination },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/api-keys`, query, pagination),
    }
  },
})

const getKey = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/api-keys/:keyId',
  summary: 'Get an API key',
  description:
    'The reply includes the scopes and restrictions of the key. The key itself is shown only when it is created.',
  params: Params,
  reply: { status: 200, schema: KeyView },
  errors: ['API_KEY_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: toKeyView(await requireOwnKey(params.keyId, principal, services)),
  }),
})

const changeKey = contract({
  ...sharedContract,
  method: 'PATCH',
  path: '/v1/api-keys/:keyId',
  summary: 'Change an API key',
  description: 'Omitted fields keep their value, `null` removes a restriction. Takes effect within 5 s.',
  params: Params,
  body: { accepts: ['json'], schema: Change },
  reply: { status: 200, schema: KeyView },
  errors: ['API_KEY_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal, sourceIp }, services) => {
    const key = await requireOwnKey(params.keyId, principal, services)
    const { access, ...rest } = body
    const change = { ...rest, scopes: resolveScopes(body) }
    const { name = key.name, scopes = key.scopes, allowedOrigins = key.allowedOrigins } = change
    requirePublicKeyRules({ kind: key.kind, name, scopes, allowedOrigins: allowedOrigins ?? undefined })
    const changedKey = await new ApiKeys(services).change(
      key,
      change,
      createAuditEntry('change', { principal, sourceIp }),
    )
    if (!changedKey) throw createKeyNotFoundError(key.id)
    return { data: toKeyView(changedKey) }
  },
})

export const rotateKey = contract({
  ...sharedContract,
  method: 'POST',
  path: '/v1/api-keys/:keyId/rotate',
  summary: 'Rotate an API key',
  description: 'The new key has the same permissions; the old key works for another 24 hours.',
  params: Params,
  reply: { status: 200, schema: z.object({ key: NewKeyView, previous: KeyView }) },
  idempotent: true,
  errors: ['API_KEY_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT'],
  handle: async ({ params, principal, sourceIp }, services) => {
    const previousKey = await requireOwnKey(params.keyId, principal, services)
    const rotatedKeys = await new ApiKeys(services).rotate(
      previousKey,
      createAuditEntry('rotate', { principal, sourceIp }),
    )
    if (rotatedKeys === 'full') throw createTooManyKeysError()
    if (!rotatedKeys)
      throw new AppError(
        'CONFLICT',
        `The key ${previousKey.id} was already rotated. Rotate its replacement instead.`,
        {
          keyId: previousKey.id,
        },
      )
    const { key, text, previous } = rotatedKeys
    return { data: { key: { ...toKeyView(key), key: text }, previous: toKeyView(previous) } }
  },
})

const revokeKey = contract({
  ...sharedContract,
  method: 'DELETE',
  path: '/v1/api-keys/:keyId',
  summary: 'Revoke an API key',
  description:
    'The key stops working within 5 s, and WebSockets and event streams that it opened are closed.',
  params: Params,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['API_KEY_NOT_FOUND'],
  handle: async ({ params, principal, sourceIp, log }, services) => {
    const key = await requireOwnKey(params.keyId, principal, services)
    if (!(await new ApiKeys(services).revoke(key, createAuditEntry('revoke', { principal, sourceIp }))))
      throw createKeyNotFoundError(key.id)
    await closeRevokedSockets(key.owner, { bus: services.bus, log })
    return { data: null }
  },
})

/** Returns a function that creates the audit entry of a key, with its name and scopes but never the key itself. */
const createAuditEntry =
  (
    action: 'create' | 'change' | 'rotate' | 'revoke',
    { principal, sourceIp }: { readonly principal: Principal; readonly sourceIp: string },
  ) =>
  ({ id, name, scopes }: Pick<ApiKey, 'id' | 'name' | 'scopes'>) => [
    createAuditWrite({
      actor: principal.ownerId,
      ip: sourceIp,
      action: `key.${action}`,
      subject: id,
      after: action === 'revoke' ? undefined : `${name} (${scopes.join(', ')})`,
    }),
  ]

export const apiKeys = [createKey, listKeys, getKey, changeKey, rotateKey, revokeKey]

const createTooManyKeysError = () =>
  new AppError(
    'INVALID_INPUT',
    `An account may have at most ${maxKeys} API keys. Revoke one that you no longer use.`,
    {
      field: 'keys',
      max: maxKeys,
    },
  )

const createKeyNotFoundError = (id: string) =>
  new AppError('API_KEY_NOT_FOUND', `There is no API key ${quoteId(id)}; it may have been revoked.`, {
    keyId: id.slice(0, 64),
  })

/** @throws AppError API_KEY_NOT_FOUND */
async function requireOwnKey(id: string, { ownerId }: Principal, services: Services): Promise<ApiKey> {
  const key = idPattern('key').test(id) ? await new ApiKeys(services).find(id) : undefined
  if (!key || key.owner !== ownerId) throw createKeyNotFoundError(id)
  return key
}

import * as z from 'zod'
import {
  fields,
  KeyView,
  NewKeyView,
  presets,
  requirePublicBounds,
  scopesOf,
  viewOf,
} from '../../lib/access/api-key-fields.ts'
import { type ApiKey, ApiKeys, type KeyWish, mostKeys } from '../../lib/access/api-keys.ts'
import { noteOf } from '../../lib/access/audit.ts'
import { accountManageAccess, type Principal } from '../../lib/access/principal.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { idPattern, namedId } from '../../lib/ids.ts'
import type { Services } from '../../lib/services.ts'

const Params = z.object({ keyId: z.string().describe('Id of the key, `key_…`') })

const Body = z.strictObject({
  name: fields.name,
  kind: z
    .enum(['secret', 'public'])
    .default('secret')
    .describe(
      '`secret` (`sk_`) for servers; `public` (`ck_`) for web pages, whose readers all have it: it sees jobs that it has made',
    ),
  access: fields.access.optional(),
  scopes: fields.scopes.optional(),
  expiresAt: fields.expiresAt.optional(),
  allowedIps: fields.allowedIps.optional(),
  allowedOrigins: fields.allowedOrigins.optional(),
})

const Change = z
  .strictObject({
    ...fields,
    expiresAt: fields.expiresAt.nullable(),
    allowedIps: fields.allowedIps.nullable(),
    allowedOrigins: fields.allowedOrigins.nullable(),
  })
  .partial()

const shared = { tag: 'API keys', access: accountManageAccess } as const

export const createKey = contract({
  ...shared,
  method: 'POST',
  path: '/v1/api-keys',
  summary: 'Make an API key',
  description: `For a person who is signed in; no key makes keys. The key is shown once: only its SHA-256 is kept. It is sent as \`X-Api-Key\` or as \`Authorization: Bearer\`. An account may have ${mostKeys}.`,
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
    const wish: KeyWish = {
      ...rest,
      scopes: scopesOf(body) ?? [...presets[rest.kind === 'public' ? 'convert-only' : 'full']],
    }
    requirePublicBounds(wish)
    const made = await new ApiKeys(services).create(principal.ownerId, wish, {
      along: noted('create', { principal, sourceIp }),
    })
    if (!made) throw tooMany()
    const { key, text } = made
    return { data: { ...viewOf(key), key: text }, headers: { location: `/v1/api-keys/${key.id}` } }
  },
})

export const listKeys = contract({
  ...shared,
  method: 'GET',
  path: '/v1/api-keys',
  summary: 'List your API keys',
  description: 'The newest first.',
  reply: { status: 200, schema: z.object({ keys: z.array(KeyView) }) },
  handle: async ({ principal }, services) => ({
    data: { keys: (await new ApiKeys(services).list(principal.ownerId)).map((key) => viewOf(key)) },
  }),
})

export const getKey = contract({
  ...shared,
  method: 'GET',
  path: '/v1/api-keys/:keyId',
  summary: 'See an API key',
  params: Params,
  reply: { status: 200, schema: KeyView },
  errors: ['API_KEY_NOT_FOUND'],
  handle: async ({ params, principal }, services) => ({
    data: viewOf(await ownKey(params.keyId, principal, services)),
  }),
})

export const changeKey = contract({
  ...shared,
  method: 'PATCH',
  path: '/v1/api-keys/:keyId',
  summary: 'Change an API key',
  description: 'What is left out stays as it is, `null` takes a bound away. It holds within 5 s.',
  params: Params,
  body: { accepts: ['json'], schema: Change },
  reply: { status: 200, schema: KeyView },
  errors: ['API_KEY_NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST'],
  handle: async ({ params, body, principal, sourceIp }, services) => {
    const key = await ownKey(params.keyId, principal, services)
    const { access, ...rest } = body
    const change = { ...rest, scopes: scopesOf(body) }
    const { name = key.name, scopes = key.scopes, allowedOrigins = key.allowedOrigins } = change
    requirePublicBounds({ kind: key.kind, name, scopes, allowedOrigins: allowedOrigins ?? undefined })
    const changed = await new ApiKeys(services).change(key, change, noted('change', { principal, sourceIp }))
    if (!changed) throw notFound(key.id)
    return { data: viewOf(changed) }
  },
})

export const rotateKey = contract({
  ...shared,
  method: 'POST',
  path: '/v1/api-keys/:keyId/rotate',
  summary: 'Change an API key for a new one',
  description: 'The new one may do the same; the old one works for 24 hours more.',
  params: Params,
  reply: { status: 200, schema: z.object({ key: NewKeyView, previous: KeyView }) },
  idempotent: true,
  errors: ['API_KEY_NOT_FOUND', 'CONFLICT', 'INVALID_INPUT'],
  handle: async ({ params, principal, sourceIp }, services) => {
    const before = await ownKey(params.keyId, principal, services)
    const rotated = await new ApiKeys(services).rotate(before, noted('rotate', { principal, sourceIp }))
    if (rotated === 'full') throw tooMany()
    if (!rotated)
      throw new AppError(
        'CONFLICT',
        `The key ${before.id} was rotated already; rotate the one that took its place.`,
        {
          keyId: before.id,
        },
      )
    const { key, text, previous } = rotated
    return { data: { key: { ...viewOf(key), key: text }, previous: viewOf(previous) } }
  },
})

export const revokeKey = contract({
  ...shared,
  method: 'DELETE',
  path: '/v1/api-keys/:keyId',
  summary: 'Revoke an API key',
  description: 'Within 5 s it opens nothing any more.',
  params: Params,
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['API_KEY_NOT_FOUND'],
  handle: async ({ params, principal, sourceIp }, services) => {
    const key = await ownKey(params.keyId, principal, services)
    if (!(await new ApiKeys(services).revoke(key, noted('revoke', { principal, sourceIp }))))
      throw notFound(key.id)
    return { data: null }
  },
})

/** In the audit trail, by its name and scopes and never by itself. */
const noted =
  (
    done: 'create' | 'change' | 'rotate' | 'revoke',
    { principal, sourceIp }: { readonly principal: Principal; readonly sourceIp: string },
  ) =>
  ({ id, name, scopes }: Pick<ApiKey, 'id' | 'name' | 'scopes'>) => [
    noteOf({
      ...{ actor: principal.ownerId, ip: sourceIp, action: `key.${done}`, subject: id },
      after: done === 'revoke' ? undefined : `${name} (${scopes.join(', ')})`,
    }),
  ]

export const apiKeys = [createKey, listKeys, getKey, changeKey, rotateKey, revokeKey]

const tooMany = () =>
  new AppError('INVALID_INPUT', `An account may have ${mostKeys} API keys. Revoke one that is not used.`, {
    field: 'keys',
    max: mostKeys,
  })

const notFound = (id: string) =>
  new AppError('API_KEY_NOT_FOUND', `There is no API key ${namedId(id)}; it may have been revoked.`, {
    keyId: id.slice(0, 64),
  })

/** @throws AppError API_KEY_NOT_FOUND */
async function ownKey(id: string, { ownerId }: Principal, services: Services): Promise<ApiKey> {
  const key = idPattern('key').test(id) ? await new ApiKeys(services).find(id) : undefined
  if (!key || key.owner !== ownerId) throw notFound(id)
  return key
}

import * as z from 'zod'
import { AppError } from '../errors.ts'
import { type GrantedScope, grantedScopes } from '../model/principal.ts'
import { component } from '../validation/component.ts'
import { createNameSchema } from '../validation/display-name.ts'
import { keysOf } from '../validation/keys-of.ts'
import { text } from '../validation/maxima.ts'
import type { ApiKey, KeyInput } from './api-keys.ts'

/** Fields of API keys in requests and replies. */

/** Named sets of scopes. */
export const scopePresets = {
  'read-only': ['CONVERT_READ', 'ACCOUNT_READ'],
  'convert-only': ['CONVERT_READ', 'CONVERT_WRITE'],
  full: grantedScopes,
} as const satisfies Readonly<Record<string, readonly GrantedScope[]>>
type ScopePreset = keyof typeof scopePresets
const presetNames = keysOf(scopePresets)

/** Scopes of public keys. Anyone who opens a web page with such a key can read the key. */
const publicKeyScopes: readonly GrantedScope[] = scopePresets['convert-only']

/** Addresses must be complete: some parsers read 203.0.113 as 203.0.0.113, and leading zeros as octal. */
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const isNetwork = (text: string) => Network.safeParse(text).success
const isOrigin = (text: string) => URL.parse(text)?.origin === text && /^https?:/.test(text)

export const apiKeyFields = {
  name: createNameSchema(100).describe('Name to recognize the key by'),
  access: z.enum(presetNames).describe('Named set of scopes, instead of `scopes`'),
  scopes: z
    .array(z.enum(grantedScopes))
    .min(1)
    .max(grantedScopes.length)
    .transform((scopes) => [...new Set(scopes)])
    .describe('Scopes of the key; a public key may have CONVERT_READ and CONVERT_WRITE'),
  expiresAt: z.iso
    .datetime()
    .refine((time) => Date.parse(time) > Date.now(), 'expected a time in the future')
    .transform((time) => new Date(time).toISOString())
    .describe('Expiry time; never expires if omitted'),
  allowedIps: z
    .array(text('id').refine(isNetwork, 'expected an IP address or a network such as `203.0.113.0/24`'))
    .min(1)
    .max(50)
    .describe('IP addresses and networks that may use the key; any if omitted'),
  allowedOrigins: z
    .array(text('name').refine(isOrigin, 'expected an origin such as `https://www.example.com`'))
    .min(1)
    .max(50)
    .describe('Origins of web pages that may use the key; required for a public key'),
}

export const KeyView = component(
  'ApiKey',
  z.object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['secret', 'public']),
    prefix: z.string().describe('First characters of the key'),
    last4: z.string().describe('Last characters of the key'),
    scopes: z.array(z.string()),
    status: z.enum(['active', 'rotating', 'expired']),
    validUntil: z.iso
      .datetime()
      .nullable()
      .describe('For a rotated key: the time until which it still works'),
    expiresAt: z.iso.datetime().nullable(),
    allowedIps: z.array(z.string()).nullable(),
    allowedOrigins: z.array(z.string()).nullable(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso
      .datetime()
      .nullable()
      .describe('Time of the last use, accurate to the minute; null if never used'),
    lastUsedIp: z.string().nullable(),
  }),
)
export const NewKeyView = component(
  'NewApiKey',
  KeyView.extend({ key: z.string().describe('The key itself, shown only once') }),
)

export function toKeyView(key: ApiKey, now = new Date().toISOString()): z.infer<typeof KeyView> {
  const isExpired = [key.expiresAt, key.validUntil].some(
    (deadline) => deadline !== undefined && deadline <= now,
  )
  const { id, name, kind, prefix, last4, scopes, createdAt } = key
  return {
    id,
    name,
    kind,
    prefix,
    last4,
    scopes,
    createdAt,
    status: isExpired ? 'expired' : key.validUntil === undefined ? 'active' : 'rotating',
    validUntil: key.validUntil ?? null,
    expiresAt: key.expiresAt ?? null,
    allowedIps: key.allowedIps ?? null,
    allowedOrigins: key.allowedOrigins ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    lastUsedIp: key.lastUsedIp ?? null,
  }
}

/** Returns the scopes of `access` or `scopes`. @throws AppError INVALID_REQUEST if both are set. */
export function resolveScopes({
  access,
  scopes,
}: {
  access?: ScopePreset | undefined
  scopes?: GrantedScope[] | undefined
}) {
  if (access === undefined) return scopes
  if (scopes === undefined) return [...scopePresets[access]]
  throw new AppError('INVALID_REQUEST', 'scopes: expected either `access` or `scopes`, got both.', {
    field: 'scopes',
  })
}

/** @throws AppError INVALID_INPUT for a public key with scopes that a web page must not have, or without origins. */
export function requirePublicKeyRules({ kind, scopes, allowedOrigins }: KeyInput): void {
  if (kind === 'secret') return
  const forbiddenScope = scopes.find((scope) => !publicKeyScopes.some((publicScope) => publicScope === scope))
  if (forbiddenScope)
    throw new AppError(
      'INVALID_INPUT',
      `scopes: a public key may have ${publicKeyScopes.join(' and ')}, got ${forbiddenScope}.`,
      { field: 'scopes', expected: publicKeyScopes, got: forbiddenScope },
    )
  if (!allowedOrigins)
    throw new AppError(
      'INVALID_INPUT',
      'allowedOrigins: a public key needs at least one origin, such as `https://www.example.com`.',
      { field: 'allowedOrigins' },
    )
}

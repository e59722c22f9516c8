import * as z from 'zod'
import { readableName } from '../display-name.ts'
import { AppError } from '../errors.ts'
import type { ApiKey, KeyInput } from './api-keys.ts'
import { type GrantedScope, grantedScopes } from './principal.ts'

/** What clients send and see of API keys. */

/** What a key may do, by a word. */
export const scopePresets = {
  'read-only': ['CONVERT_READ', 'ACCOUNT_READ'],
  'convert-only': ['CONVERT_READ', 'CONVERT_WRITE'],
  full: grantedScopes,
} as const satisfies Readonly<Record<string, readonly GrantedScope[]>>
export type ScopePreset = keyof typeof scopePresets
const presetNames = Object.keys(scopePresets) as ScopePreset[] // keys of a const table

/** Anybody who opens the page has such a key. */
const publicKeyScopes: readonly GrantedScope[] = scopePresets['convert-only']

/** Written in full: some read 203.0.113 as 203.0.0.113, and a zero in front as octal. */
const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const isNetwork = (text: string) => Network.safeParse(text).success
const isOrigin = (text: string) => URL.parse(text)?.origin === text && /^https?:/.test(text)

export const apiKeyFields = {
  name: readableName(100).describe('For you, to know it again'),
  access: z.enum(presetNames).describe('Several scopes by one word; in place of `scopes`'),
  scopes: z
    .array(z.enum(grantedScopes))
    .min(1)
    .max(grantedScopes.length)
    .transform((given) => [...new Set(given)])
    .describe('What it may do; a public key CONVERT_READ and CONVERT_WRITE at most'),
  expiresAt: z.iso
    .datetime()
    .refine((time) => Date.parse(time) > Date.now(), 'expected a time in the future')
    .transform((time) => new Date(time).toISOString())
    .describe('When it ends; never when left out'),
  allowedIps: z
    .array(z.string().refine(isNetwork, 'expected an address or a network as `203.0.113.0/24`'))
    .min(1)
    .max(50)
    .describe('Addresses and networks that it is sent from; any when left out'),
  allowedOrigins: z
    .array(z.string().refine(isOrigin, 'expected an origin as `https://www.example.com`'))
    .min(1)
    .max(50)
    .describe('Pages that it is sent from, by their `Origin`; a public key needs at least one'),
}

export const KeyView = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(['secret', 'public']),
    prefix: z.string().describe('How it begins'),
    last4: z.string().describe('How it ends'),
    scopes: z.array(z.string()),
    status: z.enum(['active', 'rotating', 'expired']),
    validUntil: z.iso.datetime().nullable().describe('Of one that was rotated: until then it works'),
    expiresAt: z.iso.datetime().nullable(),
    allowedIps: z.array(z.string()).nullable(),
    allowedOrigins: z.array(z.string()).nullable(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe('To the minute'),
    lastUsedIp: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' })
export const NewKeyView = KeyView.extend({ key: z.string().describe('The key itself, shown this once') })

export function keyView(key: ApiKey, now = new Date().toISOString()): z.infer<typeof KeyView> {
  const isOver = [key.expiresAt, key.validUntil].some((end) => end !== undefined && end <= now)
  const { id, name, kind, prefix, last4, scopes, createdAt } = key
  return {
    ...{ id, name, kind, prefix, last4, scopes, createdAt },
    status: isOver ? 'expired' : key.validUntil === undefined ? 'active' : 'rotating',
    validUntil: key.validUntil ?? null,
    expiresAt: key.expiresAt ?? null,
    allowedIps: key.allowedIps ?? null,
    allowedOrigins: key.allowedOrigins ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
    lastUsedIp: key.lastUsedIp ?? null,
  }
}

/** @throws AppError INVALID_REQUEST when both are named. */
export function resolveScopes({
  access,
  scopes,
}: {
  access?: ScopePreset | undefined
  scopes?: GrantedScope[] | undefined
}) {
  if (access === undefined) return scopes
  if (scopes === undefined) return [...scopePresets[access]]
  throw new AppError('INVALID_REQUEST', 'Both `access` and `scopes` were sent; send one of them.', {
    field: 'scopes',
  })
}

/** @throws AppError INVALID_INPUT for a public key that could do more than a page should. */
export function requirePublicKeyRules({ kind, scopes, allowedOrigins }: KeyInput): void {
  if (kind === 'secret') return
  const beyond = scopes.find((scope) => !publicKeyScopes.some((allowed) => allowed === scope))
  if (beyond)
    throw new AppError(
      'INVALID_INPUT',
      `scopes: a public key may have ${publicKeyScopes.join(' and ')}, got ${beyond}.`,
      { field: 'scopes', expected: publicKeyScopes, got: beyond },
    )
  if (!allowedOrigins)
    throw new AppError(
      'INVALID_INPUT',
      'allowedOrigins: a public key needs at least one page that it is for, as `https://www.example.com`.',
      { field: 'allowedOrigins' },
    )
}

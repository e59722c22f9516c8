import { findCachedAccount, getAccountPlan } from '../accounts/owner-plan.ts'
import { AppError } from '../errors.ts'
import type { Credentials, Principal } from '../model/principal.ts'
import { isInNetwork } from '../net/ip-networks.ts'
import type { Services } from '../services/services.ts'
import { defined } from '../validation/defined.ts'
import { hasKeyPrefix, isKeyText } from './api-key-text.ts'
import { type ApiKey, ApiKeys, findInactiveReason, getApiKeyRecordKey } from './api-keys.ts'
import { readBearerToken } from './bearer.ts'
import { createCredential } from './credential.ts'

/** Minimum time between two writes of a key's last use. */
const lastUseWriteIntervalMs = 60_000

/**
 * Authenticates requests with an API key, in `X-Api-Key` or as a bearer token.
 * @throws AppError INVALID_API_KEY; INSUFFICIENT_PERMISSIONS from an IP address or origin that the key does not allow.
 */
export async function authenticateByKey(
  request: Credentials,
  services: Services,
): Promise<Principal | undefined> {
  const keyText = request.headers['x-api-key'] ?? readBearerToken(request.headers)
  if (keyText === undefined) return undefined
  // The bearer token may be an OAuth access token.
  if (request.headers['x-api-key'] === undefined && !hasKeyPrefix(keyText)) return undefined
  const key = isKeyText(keyText) ? await new ApiKeys(services).findCached(keyText) : undefined
  return createKeyPrincipal(key, request, services)
}

/**
 * Returns the principal of a valid key.
 * @throws AppError INVALID_API_KEY, INSUFFICIENT_PERMISSIONS
 */
export async function createKeyPrincipal(
  key: ApiKey | undefined,
  request: Credentials,
  services: Services,
): Promise<Principal> {
  const now = new Date()
  const account = key && (await findCachedAccount(services, key.owner))
  if (!key || !account) throw createInvalidKeyError('unknown')
  const inactivity = findInactiveReason(key, now)
  if (inactivity) throw createInvalidKeyError(inactivity)
  if (account.status === 'suspended') throw createAccountSuspendedError()
  requireAllowedSource(key, request)
  if (key.lastUsedAt === undefined || now.getTime() - Date.parse(key.lastUsedAt) > lastUseWriteIntervalMs)
    await recordKeyUse(key, request.sourceIp, now, new ApiKeys(services))
  return {
    ownerId: account.id,
    kind: 'key',
    plan: getAccountPlan(account),
    role: account.role,
    scopes: new Set(key.scopes),
    limiterKey: `key:${key.id}`,
    keyId: key.id,
    credential: createCredential(account.id, getApiKeyRecordKey(key.digest)),
    ...defined({ earlierKeyIds: key.earlier }),
    ...(key.kind === 'public' && { isPublic: true }),
  }
}

/**
 * Stores the last use of a key. Also updates the cached key, so that the use is stored once a minute, not per request.
 */
async function recordKeyUse(key: ApiKey, ip: string, now: Date, keys: ApiKeys): Promise<void> {
  Object.assign(key, { lastUsedAt: now.toISOString(), lastUsedIp: ip })
  await keys.recordUse(key, ip, now)
}

function requireAllowedSource(
  { allowedIps, allowedOrigins }: ApiKey,
  { headers, sourceIp }: Credentials,
): void {
  if (allowedIps && !allowedIps.some((network) => isInNetwork(sourceIp, network)))
    throw createSourceNotAllowedError(
      'address',
      'This API key may not be used from this IP address. Use an address in its allowedIps, or add this one to them.',
    )
  const { origin } = headers
  if (allowedOrigins && (origin === undefined || !allowedOrigins.includes(origin)))
    throw createSourceNotAllowedError(
      'origin',
      'This API key may not be used from this origin. Use one of its allowedOrigins, or add this one to them.',
    )
}

const invalidKeyMessages = {
  unknown: 'The API key is unknown. Send a valid key.',
  revoked: 'The API key was revoked, or rotated more than 24 hours ago. Send a valid key.',
  expired: 'The API key has expired. Send a valid key.',
}

const createInvalidKeyError = (reason: keyof typeof invalidKeyMessages) =>
  new AppError('INVALID_API_KEY', invalidKeyMessages[reason], { reason })

/** Creates the error for keys, tokens and sessions of a suspended account. */
export const createAccountSuspendedError = () =>
  new AppError(
    'INSUFFICIENT_PERMISSIONS',
    'This account is suspended. Contact the operator of the service.',
    {
      reason: 'suspended',
    },
  )

const createSourceNotAllowedError = (reason: 'address' | 'origin', sentence: string) =>
  new AppError('INSUFFICIENT_PERMISSIONS', sentence, { reason })

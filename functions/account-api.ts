import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import { apiKeys } from './routes/api-keys.ts'
import { getAccount } from './routes/get-account.ts'
import {
  createOAuthClient,
  deleteOAuthClient,
  getToken,
  introspectToken,
  listOAuthClients,
  revokeToken,
} from './routes/oauth.ts'
import { getQuota } from './routes/quota.ts'
import { getUsage } from './routes/usage.ts'

/** Endpoints of API keys, OAuth tokens, usage and quotas; signing in has a separate function. */
export const contracts: readonly AnyContract[] = [
  ...apiKeys,
  getUsage,
  getQuota,
  getToken,
  revokeToken,
  introspectToken,
  createOAuthClient,
  listOAuthClients,
  deleteOAuthClient,
  getAccount,
]

export const handler = createHttpFunction(contracts)

import type { AnyContract } from '../lib/http/contract.ts'
import { httpFunction } from '../lib/http/http-function.ts'
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

/** Endpoints of keys, tokens and what an account has used; signing in has a function of its own. */
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

export const handler = httpFunction(contracts)

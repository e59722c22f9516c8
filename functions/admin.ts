import type { AnyContract } from '../lib/http/contract.ts'
import { createHttpFunction } from '../lib/http/http-function.ts'
import {
  changeUser,
  endUserSession,
  getUser,
  listAudit,
  listUserSessions,
  listUsers,
} from './routes/admin-users.ts'
import { getSlo } from './routes/usage.ts'

/** Endpoints for administrators. */
export const contracts: readonly AnyContract[] = [
  listUsers,
  getUser,
  changeUser,
  listUserSessions,
  endUserSession,
  listAudit,
  getSlo,
]

export const handler = createHttpFunction(contracts)

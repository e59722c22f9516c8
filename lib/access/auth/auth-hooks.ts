import type { BetterAuthOptions } from 'better-auth'
import { APIError, createAuthMiddleware } from 'better-auth/api'
import * as z from 'zod'
import { readAccount } from '../../accounts/accounts.ts'
import { AppError } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { accountNameSchema, toAccountName } from '../../validation/display-name.ts'
import { parseInput } from '../../validation/parse-input.ts'
import { scheduleDeletion } from '../delete-account.ts'
import { listServiceOrigins } from '../same-origin.ts'
import { consumeAttempt } from './login-attempts.ts'
import { requireOwnRedirects } from './redirect-targets.ts'
import { reserveTotpStep } from './totp-steps.ts'

/** Functions that better-auth calls before requests, and before and after changes of records. */

export type AuthServices = Pick<Services, 'config' | 'table' | 'vault' | 'keys' | 'log'>
/** Called with the headers of a request that created an account. */
export type OnSignUp = (accountId: string, headers: Headers) => Promise<void>

/** Limits sign-in attempts per account, from all IP addresses together; better-auth itself counts by IP address. */
const passwordAttempts = { window: 15 * 60, max: 20 }

/** Returns a hook that checks each request before better-auth handles it. */
export const createRequestHook = ({ config, table }: AuthServices, publicUrl: string) =>
  createAuthMiddleware(async (context) => {
    const { path, body, query } = context
    for (const fields of [body, query]) requireOwnRedirects(fields, listServiceOrigins(publicUrl))
    if (path === '/two-factor/verify-totp') await reserveTotpStep(context, body?.code, table)
    if (path === '/sign-up/email' && config.SIGN_UP === 'closed')
      throw new APIError('FORBIDDEN', {
        code: 'SIGN_UP_CLOSED',
        message: 'Sign-up is disabled. Ask the operator of the service for an account.',
      })
    requireValidName(body)
    if (path !== '/sign-in/email' || typeof body?.email !== 'string') return
    const name = `account ${body.email.toLowerCase()}`
    const { allowed, retryAfter } = await consumeAttempt(table, name, passwordAttempts)
    if (!allowed)
      throw new APIError(
        'TOO_MANY_REQUESTS',
        { code: 'RATE_LIMITED', message: 'Too many sign-in attempts for this account. Try again later.' },
        { 'retry-after': String(retryAfter) },
      )
  })

/** Returns the hooks that check records before they are stored, and the hook that runs after a sign-up. */
export const createRecordHooks = (services: AuthServices, onSignUp: OnSignUp | undefined) =>
  ({
    user: {
      create: {
        // A name that was entered at sign-up is already validated; a name from a sign-in provider can be anything.
        before: async (user) => ({
          data: { ...user, name: toAccountName(user.name, user.email.split('@')[0] ?? user.email) },
        }),
        after: async (user, context) => {
          await onSignUp?.(user.id, context?.headers ?? new Headers())
        },
      },
      update: {
        before: async ({ name, ...otherFields }) => ({
          data: { ...otherFields, ...(name !== undefined && { name: name.trim() }) },
        }),
      },
    },
    session: {
      create: {
        before: async ({ userId }) => {
          const account = await readAccount(services, userId)
          if (account?.status === 'suspended')
            throw new APIError('FORBIDDEN', { code: 'SUSPENDED', message: 'This account is suspended.' })
        },
      },
    },
  }) satisfies BetterAuthOptions['databaseHooks']

/** Refuses to delete administrators, and schedules the deletion of everything else that the account owns. */
export async function prepareDeletion(accountId: string, services: AuthServices): Promise<void> {
  const account = await readAccount(services, accountId)
  if (account?.role === 'ADMIN')
    throw new APIError('FORBIDDEN', {
      code: 'ADMINISTRATOR',
      message:
        'An administrator account cannot be deleted. Another administrator has to remove the ADMIN role first.',
    })
  await scheduleDeletion(accountId, services)
}

const NamedBody = z.looseObject({ name: accountNameSchema })

/** Validates the name in a request body, if it contains one, for example at sign-up; better-auth accepts every name. */
function requireValidName(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('name' in body) || typeof body.name !== 'string') return
  try {
    parseInput(NamedBody, body, 'body')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new APIError('BAD_REQUEST', { code: error.code, message: error.message, details: error.details })
  }
}

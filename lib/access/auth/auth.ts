import { APIError, createAuthEndpoint, createAuthMiddleware } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import * as z from 'zod'
import { accountOf } from '../../accounts/accounts.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { createMailer, emailTemplates, type Mailer } from '../../mail/emails.ts'
import type { Services } from '../../services/services.ts'
import { defined } from '../../validation/defined.ts'
import { accountName, toAccountName } from '../../validation/display-name.ts'
import { parseInput } from '../../validation/parse-input.ts'
import { scheduleDeletion } from '../delete-account.ts'
import { serviceOrigins } from '../same-origin.ts'
import { authPath, authSecret, sessionCookieName } from '../session-auth.ts'
import { consumeAttempt } from './login-attempts.ts'
import { models } from './records.ts'
import { requireOwnRedirects } from './redirect-targets.ts'
import { tableAdapter } from './table-adapter.ts'
import { reserveTotpStep } from './totp-steps.ts'

export type AuthServices = Pick<Services, 'config' | 'table' | 'vault' | 'keys' | 'log'>

export interface AuthOptions {
  readonly services: AuthServices
  readonly mailer?: Mailer | undefined
  /** Defaults to scrypt. */
  readonly password?: PasswordHasher | undefined
  /** Called with the headers of a request that created an account. */
  readonly onSignUp?: (accountId: string, headers: Headers) => Promise<void>
}

interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>
}

/** Header with the client's IP address, set by our code when it creates the request for better-auth. */
export const clientIpHeader = 'x-client-address'

const dayS = 86_400

/** Sign-in attempts per account from any IP address; better-auth itself counts by IP address. */
const passwordAttempts = { window: 15 * 60, max: 20 }

/** Creates better-auth for sign-up, sign-in, second factor and sessions, on the service's own table, below /v1/auth. */
export function createAuth({ services, mailer, password, onSignUp }: AuthOptions) {
  const { config, table, log } = services
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const isSecure = publicUrl.startsWith('https:')
  const mail = mailer ?? createMailer(config, log)
  return betterAuth({
    appName: 'Mutabor',
    baseURL: new URL(publicUrl).origin,
    basePath: authPath,
    secret: authSecret(services),
    trustedOrigins: serviceOrigins(publicUrl),
    database: tableAdapter({ ...services, models }),
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message, ...rest) =>
        log[level]({ error: rest.find((one) => one instanceof Error) }, message),
    },
    onAPIError: {
      // Otherwise better-auth writes to the console. Errors of clients are only in their replies.
      onError: (error) => {
        if (!(error instanceof APIError)) log.error({ error }, 'better-auth failed')
      },
    },
    user: {
      additionalFields: {
        plan: { type: 'string', input: false, defaultValue: planOfNewAccounts(config) },
        role: { type: 'string', input: false, defaultValue: 'USER' },
        status: { type: 'string', input: false, defaultValue: 'active' },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: ({ user, newEmail, url }) =>
          mail.send({ to: user.email, ...emailTemplates.confirmNewAddress(user.name, newEmail, url) }),
      },
      deleteUser: {
        enabled: true,
        beforeDelete: async ({ id }) => {
          const account = await accountOf(services, id)
          if (account?.role === 'ADMIN')
            throw new APIError('FORBIDDEN', {
              code: 'ADMINISTRATOR',
              message:
                'An administrator account cannot be deleted. Another administrator has to remove the ADMIN role first.',
            })
          await scheduleDeletion(id, services)
        },
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      ...defined({ password }),
      // Emails that only go to the log cannot be confirmed.
      requireEmailVerification: mail.destination === 'mailbox',
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, url }) =>
        mail.send({ to: user.email, ...emailTemplates.resetPassword(user.name, url) }),
      onExistingUserSignUp: ({ user }) =>
        mail.send({ to: user.email, ...emailTemplates.alreadyRegistered(user.name, publicUrl) }),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user, url }) =>
        mail.send({ to: user.email, ...emailTemplates.confirmAddress(user.name, url) }),
    },
    session: { expiresIn: 30 * dayS, updateAge: dayS, cookieCache: { enabled: false } },
    // DynamoDB deletes expired records by their TTL.
    verification: { disableCleanup: true },
    account: { accountLinking: { enabled: true } },
    rateLimit: {
      enabled: true,
      window: 60,
      max: 100,
      customStorage: { consume: (key, rule) => consumeAttempt(table, `address ${key}`, rule) },
    },
    advanced: {
      cookiePrefix: isSecure ? '__Host-auth' : 'auth',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure },
      cookies: { session_token: { name: sessionCookieName(publicUrl) } },
      ipAddress: { ipAddressHeaders: [clientIpHeader], ipv6Subnet: 64 },
      database: { generateId: ({ model }) => newId(idPrefixes[model] ?? 'rec') },
    },
    hooks: {
      before: createAuthMiddleware(async (context) => {
        const { path, body, query } = context
        for (const fields of [body, query]) requireOwnRedirects(fields, serviceOrigins(publicUrl))
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
      }),
    },
    databaseHooks: {
      user: {
        create: {
          // The name of a sign-up is already validated; that of a provider can be anything.
          before: async (user) => ({
            data: { ...user, name: toAccountName(user.name, user.email.split('@')[0] ?? user.email) },
          }),
          after: async (user, context) => {
            await onSignUp?.(user.id, context?.headers ?? new Headers())
          },
        },
        update: {
          before: async ({ name, ...others }) => ({
            data: { ...others, ...(name !== undefined && { name: name.trim() }) },
          }),
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            const account = await accountOf(services, userId)
            if (account?.status === 'suspended')
              throw new APIError('FORBIDDEN', { code: 'SUSPENDED', message: 'This account is suspended.' })
          },
        },
      },
    },
    plugins: [
      twoFactor({ issuer: 'Mutabor' }),
      genericOAuth({
        config: (config.OPENID_PROVIDERS ?? []).map((one) => ({
          ...providerOf(one),
          disableSignUp: config.SIGN_UP === 'closed',
        })),
      }),
      { id: 'options', endpoints: { getOptions: optionsEndpoint(config, mail) } },
    ],
  })
}

const NamedBody = z.looseObject({ name: accountName })

/** Validates the name in any body that has one, for example of a sign-up; better-auth accepts every name. */
function requireValidName(body: unknown): void {
  if (typeof body !== 'object' || body === null || !('name' in body) || typeof body.name !== 'string') return
  try {
    parseInput(NamedBody, body, 'body')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new APIError('BAD_REQUEST', { code: error.code, message: error.message, details: error.details })
  }
}

export type Auth = ReturnType<typeof createAuth>

const idPrefixes: Readonly<Record<string, 'acc' | 'ses'>> = { user: 'acc', session: 'ses' }

/** An account never has a smaller plan than anonymous users. */
const planOfNewAccounts = ({ ANONYMOUS_PLAN }: Pick<Config, 'ANONYMOUS_PLAN'>) =>
  ANONYMOUS_PLAN === 'anonymous' ? 'free' : ANONYMOUS_PLAN

type Provider = NonNullable<Config['OPENID_PROVIDERS']>[number]

const providerOf = ({ id, name, issuer, clientId, clientSecret, scopes }: Provider) => ({
  providerId: id,
  ...defined({ name }),
  discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  requireIdTokenVerification: true,
  clientId,
  clientSecret,
  scopes: scopes ?? ['openid', 'email', 'profile'],
  pkce: true,
})

/** Tells pages which sign-in methods to offer. */
const optionsEndpoint = ({ OPENID_PROVIDERS = [], SIGN_UP }: Config, { destination }: Mailer) =>
  createAuthEndpoint('/options', { method: 'GET' }, async ({ json }) =>
    json({
      mail: destination,
      signUp: SIGN_UP,
      verificationRequired: destination === 'mailbox',
      providers: OPENID_PROVIDERS.map(({ id, name = id }) => ({ id, name })),
    }),
  )

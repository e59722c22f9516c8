import { APIError, createAuthEndpoint } from 'better-auth/api'
import { betterAuth } from 'better-auth/minimal'
import { genericOAuth } from 'better-auth/plugins/generic-oauth'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Config } from '../../config.ts'
import { newId } from '../../ids.ts'
import { createMailer, emailTemplates, type Mailer } from '../../mail/emails.ts'
import { defined } from '../../validation/defined.ts'
import { listServiceOrigins } from '../same-origin.ts'
import { authPath, getAuthSecret, getSessionCookieName } from '../session-auth.ts'
import {
  type AuthServices,
  createRecordHooks,
  createRequestHook,
  type OnSignUp,
  prepareDeletion,
} from './auth-hooks.ts'
import { disabledAuthPaths } from './disabled-paths.ts'
import { consumeAttempt } from './login-attempts.ts'
import { models } from './records.ts'
import { createTableAdapter } from './table-adapter.ts'

export interface AuthOptions {
  readonly services: AuthServices
  readonly mailer?: Mailer | undefined
  /** Hashes and verifies passwords; defaults to scrypt. */
  readonly password?: PasswordHasher | undefined
  readonly onSignUp?: OnSignUp
}

interface PasswordHasher {
  hash(password: string): Promise<string>
  verify(givenPassword: { readonly hash: string; readonly password: string }): Promise<boolean>
}

/** Header with the client's IP address, set by our code when it creates the request for better-auth. */
export const clientIpHeader = 'x-client-address'

const dayS = 86_400

/** Creates better-auth for sign-up, sign-in, second factor and sessions, on the service's own table, below /v1/auth. */
export function createAuth({ services, mailer, password, onSignUp }: AuthOptions) {
  const { config, table, log } = services
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
  const isSecure = publicUrl.startsWith('https:')
  const activeMailer = mailer ?? createMailer(config, log)
  return betterAuth({
    appName: 'Mutabor',
    baseURL: new URL(publicUrl).origin,
    basePath: authPath,
    secret: getAuthSecret(services),
    disabledPaths: disabledAuthPaths,
    trustedOrigins: listServiceOrigins(publicUrl),
    database: createTableAdapter({ ...services, models }),
    telemetry: { enabled: false },
    logger: {
      level: 'warn',
      log: (level, message, ...args) =>
        log[level]({ error: args.find((arg) => arg instanceof Error) }, message),
    },
    onAPIError: {
      // Without this function, better-auth writes to the console. Errors caused by clients are not logged.
      onError: (error) => {
        if (!(error instanceof APIError)) log.error({ error }, 'better-auth failed')
      },
    },
    user: {
      additionalFields: {
        plan: { type: 'string', input: false, defaultValue: getPlanOfNewAccounts(config) },
        role: { type: 'string', input: false, defaultValue: 'USER' },
        status: { type: 'string', input: false, defaultValue: 'active' },
      },
      changeEmail: {
        enabled: true,
        sendChangeEmailConfirmation: ({ user, newEmail, url }) =>
          activeMailer.send({
            to: user.email,
            ...emailTemplates.confirmNewAddress(user.name, newEmail, url),
          }),
      },
      deleteUser: {
        enabled: true,
        beforeDelete: ({ id }) => prepareDeletion(id, services),
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 10,
      ...defined({ password }),
      // If emails only go to the log, users cannot confirm their email address.
      requireEmailVerification: activeMailer.destination === 'mailbox',
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: ({ user, url }) =>
        activeMailer.send({ to: user.email, ...emailTemplates.resetPassword(user.name, url) }),
      onExistingUserSignUp: ({ user }) =>
        activeMailer.send({ to: user.email, ...emailTemplates.alreadyRegistered(user.name, publicUrl) }),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user, url }) =>
        activeMailer.send({ to: user.email, ...emailTemplates.confirmAddress(user.name, url) }),
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
      cookies: { session_token: { name: getSessionCookieName(publicUrl) } },
      ipAddress: { ipAddressHeaders: [clientIpHeader], ipv6Subnet: 64 },
      database: { generateId: ({ model }) => newId(idPrefixes[model] ?? 'rec') },
    },
    hooks: { before: createRequestHook(services, publicUrl) },
    databaseHooks: createRecordHooks(services, onSignUp),
    plugins: [
      twoFactor({ issuer: 'Mutabor' }),
      genericOAuth({
        config: (config.OPENID_PROVIDERS ?? []).map((provider) => ({
          ...toProviderConfig(provider),
          disableSignUp: config.SIGN_UP === 'closed',
        })),
      }),
      { id: 'options', endpoints: { getOptions: createOptionsEndpoint(config, activeMailer) } },
    ],
  })
}

export type Auth = ReturnType<typeof createAuth>

const idPrefixes: Readonly<Record<string, 'acc' | 'ses'>> = { user: 'acc', session: 'ses' }

/** An account never has a smaller plan than anonymous users. */
const getPlanOfNewAccounts = ({ ANONYMOUS_PLAN }: Pick<Config, 'ANONYMOUS_PLAN'>) =>
  ANONYMOUS_PLAN === 'anonymous' ? 'free' : ANONYMOUS_PLAN

type Provider = NonNullable<Config['OPENID_PROVIDERS']>[number]

const toProviderConfig = ({ id, name, issuer, clientId, clientSecret, scopes }: Provider) => ({
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
const createOptionsEndpoint = ({ OPENID_PROVIDERS = [], SIGN_UP }: Config, { destination }: Mailer) =>
  createAuthEndpoint('/options', { method: 'GET' }, async ({ json }) =>
    json({
      mail: destination,
      signUp: SIGN_UP,
      verificationRequired: destination === 'mailbox',
      providers: OPENID_PROVIDERS.map(({ id, name = id }) => ({ id, name })),
    }),
  )

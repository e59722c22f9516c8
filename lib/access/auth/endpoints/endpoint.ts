import * as z from 'zod'
import { component } from '../../../validation/component.ts'

/**
 * The endpoints of better-auth, as the OpenAPI document describes them. Loading better-auth for its own schemas would
 * take too long; a test compares these schemas with those of better-auth.
 */
export interface AuthEndpoint {
  readonly method: 'GET' | 'POST'
  /** Path below `/v1/auth`, for example `/reset-password/:token`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  /** `fresh` means that the session must be less than a day old. */
  readonly session?: 'any' | 'fresh'
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  readonly isBodyOptional?: true
  /** Set if request bodies may also be URL-encoded forms. */
  readonly acceptsForms?: true
  /** Schema of the 200 reply; `page` for HTML, undefined if every reply is a redirect. */
  readonly reply?: z.ZodType | 'page'
  /** Description of the page to which a 302 reply redirects. */
  readonly redirect?: string
  /** Error codes by status, in addition to those of every endpoint. */
  readonly errors?: Readonly<Record<number, readonly string[]>>
}

export const User = component(
  'AuthUser',
  z.object({
    id: z.string().describe('Id of the account, `acc_…`'),
    name: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullish(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    twoFactorEnabled: z.boolean().nullish(),
    plan: z.string().optional(),
    role: z.string().optional(),
    status: z.string().optional(),
  }),
)

export const Session = component(
  'AuthSession',
  z.object({
    id: z.string().describe('Id of the session, `ses_…`'),
    userId: z.string(),
    token: z.string().describe('Token for `POST /v1/auth/revoke-session`'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    ipAddress: z.string().nullish(),
    userAgent: z.string().nullish(),
  }),
)

export const StatusReply = z.object({ status: z.boolean() })
export const SignInReply = z.object({ token: z.string(), user: User })
/** Reply to a sign-up or a password change; the token is null if no session was created. */
export const OptionalSignInReply = z.object({ token: z.string().nullable(), user: User })
export const ProviderUrlReply = z.object({
  url: z.string().describe('URL to open in the browser'),
  redirect: z.boolean(),
})

export const email = z.string().describe('Email address')
export const accountPassword = z.string().describe('10 to 128 characters')
export const currentPassword = z.string().describe('The current password')
export const code = z.string()
export const trustDevice = z
  .boolean()
  .optional()
  .describe('Do not ask this browser for a code again for 30 days')
export const rememberMe = z
  .boolean()
  .optional()
  .describe('`false` ends the session when the browser is closed')
export const callbackURL = z.string().optional().describe('URL of this service to open afterward')
export const provider = z.string().describe('Id of a provider of `GET /v1/auth/options`')
export const PasswordBody = z.object({ password: currentPassword })

export const weakPasswordErrors = ['PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG']
export const foreignUrlErrors = { 403: ['INVALID_CALLBACK_URL'] }
export const wrongPasswordErrors = { 400: ['INVALID_PASSWORD', 'CREDENTIAL_ACCOUNT_NOT_FOUND'] }
export const invalidFactorErrors = ['INVALID_TWO_FACTOR_COOKIE']

export const providerSignIn = {
  provider,
  callbackURL,
  errorCallbackURL: callbackURL,
  disableRedirect: z.boolean().optional().describe('Do not send the `Location` header'),
  scopes: z.array(z.string()).optional().describe('Further scopes to request'),
}

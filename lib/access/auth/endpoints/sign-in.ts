import * as z from 'zod'
import {
  type AuthEndpoint,
  accountPassword,
  callbackURL,
  currentPassword,
  email,
  foreignUrlErrors,
  OptionalSignInReply,
  ProviderUrlReply,
  provider,
  providerSignIn,
  rememberMe,
  Session,
  User,
  weakPasswordErrors,
} from './endpoint.ts'

const providerReply = {
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
  iss: z.string().optional(),
}
const providerCallback = {
  path: '/callback/:id',
  params: z.object({ id: provider }),
  redirect: 'Redirect to the requested page, or to the error page',
} as const

/** Endpoints for signing up, in and out. */
export const signInEndpoints: readonly AuthEndpoint[] = [
  {
    method: 'GET',
    path: '/options',
    summary: 'List the ways to sign in',
    description:
      'Says whether emails are sent or only logged and whether sign-up is open, and lists the providers.',
    reply: z.object({
      mail: z.enum(['mailbox', 'log']),
      signUp: z.enum(['open', 'closed']),
      verificationRequired: z.boolean(),
      providers: z.array(z.object({ id: z.string(), name: z.string() })),
    }),
  },
  {
    method: 'POST',
    path: '/sign-up/email',
    summary: 'Create an account',
    description:
      'If emails are sent, the email address has to be confirmed before the first sign-in. Jobs that the browser created earlier are moved to the account.',
    body: z.object({
      name: z.string().describe('1 to 100 characters'),
      email,
      password: accountPassword,
      image: z.string().optional(),
      callbackURL,
      rememberMe,
    }),
    acceptsForms: true,
    reply: OptionalSignInReply,
    errors: {
      400: ['INVALID_EMAIL', ...weakPasswordErrors],
      403: ['SIGN_UP_CLOSED', 'INVALID_CALLBACK_URL'],
      422: ['USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL'],
    },
  },
  {
    method: 'POST',
    path: '/sign-in/email',
    summary: 'Sign in with a password',
    description:
      'Sets the session cookie. If a second factor is set up, the reply is `{"twoFactorRedirect": true}`; send its code within 10 minutes. Limited to three attempts in ten seconds per IP address and twenty in 15 minutes per account.',
    body: z.object({ email, password: currentPassword, callbackURL, rememberMe }),
    acceptsForms: true,
    reply: z.union([
      z.object({ redirect: z.boolean(), token: z.string(), url: z.string().optional(), user: User }),
      z.object({ twoFactorRedirect: z.literal(true), twoFactorMethods: z.array(z.string()) }),
    ]),
    errors: {
      400: ['INVALID_EMAIL'],
      401: ['INVALID_EMAIL_OR_PASSWORD'],
      403: ['EMAIL_NOT_VERIFIED', 'SUSPENDED', 'INVALID_CALLBACK_URL'],
    },
  },
  {
    method: 'POST',
    path: '/sign-in/social',
    summary: 'Sign in with an OpenID provider',
    description: 'Open the `url` of the reply. Afterward the provider redirects back to the service.',
    body: z.object({
      ...providerSignIn,
      newUserCallbackURL: callbackURL,
      requestSignUp: z.boolean().optional(),
      loginHint: z.string().optional().describe('Email address for the sign-in page of the provider'),
    }),
    reply: ProviderUrlReply,
    errors: { ...foreignUrlErrors, 404: ['PROVIDER_NOT_FOUND'] },
  },
  {
    ...providerCallback,
    method: 'GET',
    summary: 'Return from an OpenID provider',
    description: 'The redirect URI to register with the provider.',
    query: z.object(providerReply),
  },
  {
    ...providerCallback,
    method: 'POST',
    summary: 'Return from an OpenID provider with a form POST',
    description: 'The same redirect URI, for providers with the response mode `form_post`.',
    body: z.object(providerReply),
    acceptsForms: true,
  },
  {
    method: 'GET',
    path: '/get-session',
    summary: 'Get the session and its user',
    description: 'The reply is `null` without a session. Sessions expire after 30 days without use.',
    query: z.object({
      disableCookieCache: z
        .string()
        .optional()
        .describe('Has no effect; accepted for clients of better-auth'),
      disableRefresh: z.string().optional().describe('`true` does not extend the session'),
    }),
    reply: z.object({ session: Session, user: User }).nullable(),
  },
  {
    method: 'POST',
    path: '/sign-out',
    summary: 'Sign out',
    description: 'Ends the session and deletes its cookie. Signing out without a session also succeeds.',
    body: z.object({
      callbackURL,
      disableRedirect: z.boolean().optional(),
      state: z.string().optional().describe('Passed on to the sign-out page of the provider'),
    }),
    isBodyOptional: true,
    reply: z.object({
      success: z.literal(true),
      url: z.string().optional(),
      redirect: z.boolean().optional(),
    }),
    errors: foreignUrlErrors,
  },
  {
    method: 'GET',
    path: '/ok',
    summary: 'Check that sign-in is available',
    description: 'This endpoint is for clients of better-auth; `GET /health` checks the whole service.',
    reply: z.object({ ok: z.literal(true) }),
  },
  {
    method: 'GET',
    path: '/error',
    summary: 'Show why signing in or opening an emailed link failed',
    description: 'The service redirects to this page when a sign-in or an emailed link fails.',
    query: z.object({ error: z.string().optional(), error_description: z.string().optional() }),
    reply: 'page',
  },
]

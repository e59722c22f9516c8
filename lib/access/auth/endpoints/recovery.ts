import * as z from 'zod'
import {
  type AuthEndpoint,
  accountPassword,
  callbackURL,
  email,
  foreignUrlErrors,
  StatusReply,
  User,
  weakPasswordErrors,
} from './endpoint.ts'

/** Endpoints for links in emails: forgotten passwords and unconfirmed email addresses. */
export const recoveryEndpoints: readonly AuthEndpoint[] = [
  {
    method: 'POST',
    path: '/request-password-reset',
    summary: 'Request an email to reset the password',
    description:
      'The response and the response time are the same whether or not the account exists. Without a mail server, the link is written to the service log.',
    body: z.object({
      email,
      redirectTo: z.string().optional().describe('Page of this service to open, with `?token=…` added'),
    }),
    reply: StatusReply.extend({ message: z.string() }),
    errors: { 403: ['INVALID_REDIRECT_URL'] },
  },
  {
    method: 'GET',
    path: '/reset-password/:token',
    summary: 'Open the link of a password email',
    description: 'Checks the token and redirects to the page that sets the password.',
    params: z.object({ token: z.string() }),
    query: z.object({ callbackURL: z.string().describe('URL of this service to open afterward') }),
    redirect: 'The page with `?token=…`, or with `?error=INVALID_TOKEN`',
    errors: foreignUrlErrors,
  },
  {
    method: 'POST',
    path: '/reset-password',
    summary: 'Set a new password with the token from the email',
    description: 'Ends all sessions of the account.',
    query: z.object({ token: z.string().optional() }),
    body: z.object({
      newPassword: accountPassword,
      token: z.string().optional().describe('Token from the email; required here or in the query'),
    }),
    reply: StatusReply,
    errors: { 400: ['INVALID_TOKEN', 'USER_NOT_FOUND', ...weakPasswordErrors] },
  },
  {
    method: 'POST',
    path: '/send-verification-email',
    summary: 'Send the email to confirm an email address again',
    description:
      'Without a session, the response and the response time are the same whether or not the account exists.',
    body: z.object({ email, callbackURL }),
    reply: StatusReply,
    errors: { 400: ['EMAIL_MISMATCH', 'EMAIL_ALREADY_VERIFIED'], ...foreignUrlErrors },
  },
  {
    method: 'GET',
    path: '/verify-email',
    summary: 'Open the link that confirms an email address',
    description:
      'The user is signed in too. With `callbackURL` the reply is a redirect to this URL, with `?error=…` added if the token is invalid.',
    query: z.object({ token: z.string(), callbackURL }),
    reply: StatusReply.extend({ user: User.nullable() }),
    redirect: 'The `callbackURL`',
    errors: {
      401: ['INVALID_TOKEN', 'TOKEN_EXPIRED', 'USER_NOT_FOUND', 'INVALID_USER'],
      ...foreignUrlErrors,
    },
  },
]

import * as z from 'zod'
import {
  type AuthEndpoint,
  code,
  currentPassword,
  invalidFactorErrors,
  PasswordBody,
  SignInReply,
  StatusReply,
  trustDevice,
} from './endpoint.ts'

/** Endpoints for authenticator apps and recovery codes. */
export const secondFactorEndpoints: readonly AuthEndpoint[] = [
  {
    method: 'POST',
    path: '/two-factor/enable',
    summary: 'Set up a second factor',
    description:
      'Returns the secret for an authenticator app and ten single-use recovery codes. Takes effect with the first `POST /v1/auth/two-factor/verify-totp`.',
    session: 'any',
    body: z.object({
      password: currentPassword,
      method: z.literal('totp').optional(),
      issuer: z.string().optional().describe('Name in the authenticator app'),
    }),
    reply: z.object({
      method: z.literal('totp'),
      totpURI: z.string().describe('`otpauth://…`, for a QR code'),
      backupCodes: z.array(z.string()),
    }),
    errors: { 400: ['INVALID_PASSWORD', 'TOTP_ALREADY_ENABLED', 'OTP_NOT_CONFIGURED'] },
  },
  {
    method: 'POST',
    path: '/two-factor/get-totp-uri',
    summary: 'Get the secret of the authenticator app again',
    description: 'Use the secret to set up another device.',
    session: 'any',
    body: PasswordBody,
    reply: z.object({ totpURI: z.string() }),
    errors: { 400: ['INVALID_PASSWORD', 'TOTP_NOT_ENABLED'] },
  },
  {
    method: 'POST',
    path: '/two-factor/verify-totp',
    summary: 'Send the code of the authenticator app',
    description: 'Completes a sign-in or the setup of the second factor. Each code works once.',
    body: z.object({ code: code.describe('Six digits'), trustDevice }),
    reply: SignInReply,
    errors: {
      400: ['TOTP_NOT_ENABLED', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'],
      401: ['INVALID_CODE', ...invalidFactorErrors],
      429: ['ACCOUNT_TEMPORARILY_LOCKED'],
    },
  },
  {
    method: 'POST',
    path: '/two-factor/verify-backup-code',
    summary: 'Send a recovery code',
    description: 'Completes a sign-in without the authenticator app. Each code works once.',
    body: z.object({
      code: code.describe('A recovery code'),
      trustDevice,
      disableSession: z.boolean().optional().describe('`true`: check the code without creating a session'),
    }),
    reply: SignInReply.extend({ token: z.string().optional() }),
    errors: {
      400: ['BACKUP_CODES_NOT_ENABLED', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'],
      401: ['INVALID_BACKUP_CODE', ...invalidFactorErrors],
      409: ['CONFLICT'],
      429: ['ACCOUNT_TEMPORARILY_LOCKED'],
    },
  },
  {
    method: 'POST',
    path: '/two-factor/generate-backup-codes',
    summary: 'Create new recovery codes',
    description: 'The earlier codes no longer work.',
    session: 'any',
    body: PasswordBody,
    reply: z.object({ status: z.boolean(), backupCodes: z.array(z.string()) }),
    errors: { 400: ['INVALID_PASSWORD', 'TWO_FACTOR_NOT_ENABLED'] },
  },
  {
    method: 'POST',
    path: '/two-factor/disable',
    summary: 'Remove the second factor',
    description: 'The recovery codes are deleted too.',
    session: 'any',
    body: PasswordBody,
    reply: StatusReply,
    errors: { 400: ['INVALID_PASSWORD'] },
  },
]

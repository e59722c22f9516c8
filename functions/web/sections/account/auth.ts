import { Problem } from '../../api.ts'
import shared from '../../ui/words/en.ts'
import words from './words/en.ts'

/** Calls an authentication endpoint, whose reply has no envelope. */
export async function callAuth<Data>(path: string, body?: unknown, method = 'POST'): Promise<Data> {
  const response = await fetch(`/v1/auth/${path}`, {
    method,
    headers: { accept: 'application/json', ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  }).catch(() => undefined)
  const reply: unknown = await response?.json().catch(() => undefined)
  if (response?.ok) return reply as Data // typed by the documentation of better-auth
  const { code, message } = (reply ?? {}) as { code?: unknown; message?: unknown } // checked below
  const translatedMessage = typeof code === 'string' ? words.errors[code] : undefined
  if (translatedMessage !== undefined) throw new Problem(String(code), translatedMessage)
  throw new Problem(
    typeof code === 'string' ? code : 'UNREACHABLE',
    typeof message === 'string' && message ? message : words.unreachable,
  )
}

/** Returns the current session. @throws Problem if the visitor is not signed in */
export async function requireSession(): Promise<CurrentSession> {
  const current = await callAuth<CurrentSession | null>('get-session', undefined, 'GET')
  if (!current) throw new Problem('AUTHENTICATION_REQUIRED', shared.signInFirst)
  return current
}

export interface SignInOptions {
  readonly mail: string
  readonly verificationRequired: boolean
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

export interface AccountSession {
  readonly id: string
  readonly token: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly ipAddress: string | null
  readonly userAgent: string | null
}

export interface CurrentSession {
  readonly session: AccountSession
  readonly user: { readonly twoFactorEnabled?: boolean | null }
}

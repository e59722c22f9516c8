import { APIError } from 'better-auth/api'

/** Request fields that contain a URL to redirect to, with the error code for an invalid URL. */
const redirectFields = {
  callbackURL: 'INVALID_CALLBACK_URL',
  errorCallbackURL: 'INVALID_CALLBACK_URL',
  newUserCallbackURL: 'INVALID_CALLBACK_URL',
  redirectTo: 'INVALID_REDIRECT_URL',
} as const

/**
 * Refuses redirects that leave the service. better-auth checks the text that was sent, but browsers resolve it first:
 * `/..//evil.example` becomes `//evil.example`, which is another host.
 * @throws APIError 403
 */
export function requireOwnRedirects(fields: unknown, trustedOrigins: readonly string[]): void {
  if (typeof fields !== 'object' || fields === null) return
  for (const [name, code] of Object.entries(redirectFields)) {
    const value = Object.getOwnPropertyDescriptor(fields, name)?.value
    if (typeof value === 'string' && value !== '' && !isTrustedUrl(value, trustedOrigins))
      throw new APIError('FORBIDDEN', { code, message: `${name}: expected a URL of this service.` })
  }
}

function isTrustedUrl(target: string, trustedOrigins: readonly string[]): boolean {
  const url = URL.parse(target, trustedOrigins[0])
  return url !== null && trustedOrigins.includes(url.origin) && !url.pathname.startsWith('//')
}

import { AppError } from '../errors.ts'
import type { Access, Principal } from '../model/principal.ts'

const signInHint =
  'Sign in, or send an API key (X-Api-Key or Authorization: Bearer) or an access token from /v1/oauth/token.'

/** @throws AppError AUTHENTICATION_REQUIRED, INSUFFICIENT_PERMISSIONS with the required scopes. */
export function authorize(principal: Principal, access: Access): void {
  if (principal.kind === 'anonymous') {
    const isAllowed = access.anonymous === true || access.anonymous === principal.plan
    if (!isAllowed)
      throw new AppError('AUTHENTICATION_REQUIRED', `This endpoint requires an account. ${signInHint}`)
    return
  }
  const missingScopes = access.scopes.filter((scope) => !principal.scopes.has(scope))
  if (missingScopes.length > 0)
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      `Scopes: expected ${access.scopes.join(' and ')}, got ${[...principal.scopes].join(', ') || 'none'}.`,
      { required: access.scopes, granted: [...principal.scopes] },
    )
  if (principal.isPublic && access.lists)
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      'A public key (ck_) cannot list resources, because everyone who opens the page has it. Use a secret key (sk_) on a server.',
      { required: access.scopes },
    )
}

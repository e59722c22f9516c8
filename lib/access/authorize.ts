import { AppError } from '../errors.ts'
import type { Access, Principal } from './principal.ts'

const signInHint =
  'Sign in, or send an API key in X-Api-Key or as Authorization: Bearer, or an access token of /v1/oauth/token.'

/** @throws AppError AUTHENTICATION_REQUIRED, INSUFFICIENT_PERMISSIONS naming what is needed. */
export function authorize(principal: Principal, access: Access): void {
  if (principal.kind === 'anonymous') {
    const isAllowed = access.anonymous === true || access.anonymous === principal.plan
    if (!isAllowed)
      throw new AppError('AUTHENTICATION_REQUIRED', `This endpoint serves accounts. ${signInHint}`)
    return
  }
  const missing = access.scopes.filter((scope) => !principal.scopes.has(scope))
  if (missing.length > 0)
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      `This needs ${access.scopes.join(' and ')}; what was sent grants ${[...principal.scopes].join(', ') || 'nothing'}.`,
      { required: access.scopes, granted: [...principal.scopes] },
    )
  if (principal.isPublic && access.lists)
    throw new AppError(
      'INSUFFICIENT_PERMISSIONS',
      'A public key (ck_) sees jobs by their ids and lists nothing: whoever reads the page has it. Send a secret key (sk_) from a server.',
      { required: access.scopes },
    )
}

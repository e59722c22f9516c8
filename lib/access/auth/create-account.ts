import { createAuth } from './auth.ts'
import type { AuthServices } from './auth-hooks.ts'

/**
 * Creates an account with a confirmed email address, for administrators. Returns undefined if the account already
 * exists.
 */
export async function createAccount(
  { email, name, password }: { readonly email: string; readonly name: string; readonly password: string },
  services: AuthServices,
): Promise<string | undefined> {
  const { internalAdapter, password: hasher } = await createAuth({ services }).$context
  if (await internalAdapter.findUserByEmail(email.toLowerCase())) return undefined
  const user = await internalAdapter.createUser(
    { email: email.toLowerCase(), name, emailVerified: true },
    { method: 'admin' },
  )
  await internalAdapter.linkAccount({
    userId: user.id,
    accountId: user.id,
    providerId: 'credential',
    password: await hasher.hash(password),
  })
  return user.id
}

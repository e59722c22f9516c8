import type { Services } from '../services.ts'
import { accountOf } from './accounts.ts'
import { createMailer, type Email, type Mailer } from './auth/emails.ts'

/**
 * Writes to the person behind an account. Nobody is written to for an anonymous identity, or at an address that was
 * never confirmed; a letter that cannot be sent is in the log, and stops nothing.
 */
export async function emailOwner(
  { config, table, log }: Pick<Services, 'config' | 'table' | 'log'>,
  owner: string,
  compose: (name: string) => Omit<Email, 'to'>,
  mailer: Mailer = createMailer(config, log),
): Promise<void> {
  const account = await accountOf({ table }, owner)
  if (!account?.emailVerified || account.status !== 'active') return
  const email = compose(account.name)
  await mailer.send({ to: account.email, ...email }).catch((error: unknown) => {
    log.error({ error, subject: email.subject }, 'a letter could not be sent')
  })
}

import { createMailer, type Email, type Mailer } from '../mail/emails.ts'
import type { Services } from '../services/services.ts'
import { readAccount } from './accounts.ts'

/**
 * Sends an email to the owner of an account. Does nothing for anonymous identities, inactive accounts and unconfirmed
 * email addresses. An email that cannot be sent is logged and not retried.
 */
export async function emailOwner(
  { config, table, log }: Pick<Services, 'config' | 'table' | 'log'>,
  owner: string,
  composeEmail: (name: string) => Omit<Email, 'to'>,
  mailer: Mailer = createMailer(config, log),
): Promise<void> {
  const account = await readAccount({ table }, owner)
  if (!account?.emailVerified || account.status !== 'active') return
  const email = composeEmail(account.name)
  await mailer.send({ to: account.email, ...email }).catch((error: unknown) => {
    log.error({ error, subject: email.subject }, 'email could not be sent')
  })
}

import * as z from 'zod'
import type { Key } from '../aws/table.ts'
import { idPattern } from '../ids.ts'
import type { Services } from '../services/services.ts'
import { component } from '../validation/component.ts'

/** Accounts of people who signed up. An account id can own jobs, just like an anonymous identity. */

export const Role = z.enum(['USER', 'ADMIN'])
export type Role = z.infer<typeof Role>
export const AccountStatus = z.enum(['active', 'suspended'])

/** The part of the record that the service reads; `lib/access/auth` stores further fields for signing in. */
export const Account = component(
  'UserAccount',
  z.object({
    id: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    name: z.string(),
    plan: z.string(),
    role: Role,
    status: AccountStatus,
    createdAt: z.iso.datetime(),
  }),
)
export type Account = z.infer<typeof Account>

type AccountDeps = Pick<Services, 'table'>

export const getAccountKey = (id: string): Key => ({ pk: `ACCOUNT#${id}`, sk: 'ACCOUNT' })
/** Key of the record that maps an email address, in lower case, to its account. */
export const getEmailKey = (email: string): Key => ({ pk: `EMAIL#${email.toLowerCase()}`, sk: 'EMAIL' })

const accountIdPattern = idPattern('acc')
/** True if an owner is an account, whose resources are visible to the account only. */
export const isAccount = (ownerId: string) => accountIdPattern.test(ownerId)

export async function readAccount({ table }: AccountDeps, id: string): Promise<Account | undefined> {
  const item = await table.get(getAccountKey(id))
  return item && Account.parse(item)
}

export async function findAccountByEmail(services: AccountDeps, email: string): Promise<Account | undefined> {
  const marker = await services.table.get(getEmailKey(email))
  return marker && readAccount(services, String(marker['id']))
}

import * as z from 'zod'
import type { Key } from '../aws/table.ts'
import { idPattern } from '../ids.ts'
import type { Services } from '../services.ts'

/** People who signed up. Their ids own jobs, as those of anonymous identities do. */

export const Role = z.enum(['USER', 'ADMIN'])
export type Role = z.infer<typeof Role>
export const AccountStatus = z.enum(['active', 'suspended'])

/** What the service itself reads of the record; `lib/access/auth` keeps what signing in needs beside it. */
export const Account = z.object({
  id: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  name: z.string(),
  plan: z.string(),
  role: Role,
  status: AccountStatus,
  createdAt: z.iso.datetime(),
})
export type Account = z.infer<typeof Account>

type Stored = Pick<Services, 'table'>

export const accountKey = (id: string): Key => ({ pk: `ACCOUNT#${id}`, sk: 'ACCOUNT' })
/** Who has an address; it stands in lower case. */
export const emailKey = (email: string): Key => ({ pk: `EMAIL#${email.toLowerCase()}`, sk: 'EMAIL' })

const accountId = idPattern('acc')
/** Whether an owner is an account: what belongs to one is nobody else's to see. */
export const isAccount = (ownerId: string) => accountId.test(ownerId)

export async function accountOf({ table }: Stored, id: string): Promise<Account | undefined> {
  const item = await table.get(accountKey(id))
  return item && Account.parse(item)
}

export async function accountByEmail(services: Stored, email: string): Promise<Account | undefined> {
  const marker = await services.table.get(emailKey(email))
  return marker && accountOf(services, String(marker['id']))
}

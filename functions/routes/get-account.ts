import * as z from 'zod'
import { Account, readAccount } from '../../lib/accounts/accounts.ts'
import { getAccountPlan } from '../../lib/accounts/owner-plan.ts'
import { getPlanLimits } from '../../lib/accounts/plan-limits.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import { accountReadAccess } from '../../lib/model/principal.ts'
import { component } from '../../lib/validation/component.ts'

const AccountView = component(
  'Account',
  Account.omit({ status: true }).extend({
    region: z.string().describe('Region in which jobs run and files are stored'),
    retentionHours: z.number().describe('Hours for which a finished job and its files are kept'),
    limits: z.object({
      maxFileSize: z.int().describe('Maximum size of a file in bytes'),
      filesPerJob: z.int(),
      concurrentJobs: z
        .int()
        .nullable()
        .describe('Number of jobs that may run at the same time; others wait. Null if there is no limit'),
    }),
  }),
)

export const getAccount = contract({
  method: 'GET',
  path: '/v1/account',
  access: accountReadAccess,
  tag: 'Account',
  summary: 'Get your account',
  description: 'The reply includes the plan, its limits, and how long jobs and files are kept.',
  reply: { status: 200, schema: AccountView },
  handle: async ({ principal }, services) => {
    const account = await readAccount(services, principal.ownerId)
    if (!account) throw new AppError('AUTHENTICATION_REQUIRED', 'This account was deleted. Sign up again.')
    const { status: _status, ...publicFields } = account
    const { retentionHours, maxFileBytes, filesPerJob, concurrentJobs } = getPlanLimits(
      getAccountPlan(account),
      services,
    )
    return {
      data: {
        ...publicFields,
        region: 'eu',
        retentionHours,
        limits: { maxFileSize: maxFileBytes, filesPerJob, concurrentJobs },
      },
    }
  },
})

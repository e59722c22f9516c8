import * as z from 'zod'
import { AuditEntry, createAuditWrite, listAuditEntries } from '../../lib/access/audit.ts'
import { closeRevokedSockets } from '../../lib/access/credential.ts'
import { listAccounts, updateAccount } from '../../lib/access/manage-accounts.ts'
import { publishPlanChanges } from '../../lib/access/plan-changes.ts'
import { endSession, listSessions, SessionView } from '../../lib/access/sessions.ts'
import { Account, AccountStatus, Role, readAccount } from '../../lib/accounts/accounts.ts'
import { AppError } from '../../lib/errors.ts'
import { contract } from '../../lib/http/contract.ts'
import {
  createPageLinks,
  createPagination,
  cursorField,
  deprecatedNextField,
  Pagination,
  paginateList,
  readCursor,
  wholeListQuery,
} from '../../lib/http/pagination.ts'
import { idPattern, quoteId } from '../../lib/ids.ts'
import { adminAccess } from '../../lib/model/principal.ts'
import { integer } from '../../lib/validation/coerce.ts'
import { text } from '../../lib/validation/maxima.ts'
import { planNameSchema } from '../../lib/validation/plan-name.ts'

const sharedContract = { tag: 'Administration', access: adminAccess } as const
const limit = integer(1, 100).default(20)
const UserParams = z.object({ userId: text('id').describe('Id of the account, `acc_…`') })

const planField = planNameSchema.describe('Plan of the account; `enterprise` means `business`')

export const listUsers = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/admin/users',
  summary: 'List accounts',
  description:
    'Newest first. With a narrow search, pages before the last one may be short. All endpoints of this section are for administrators.',
  query: z.object({
    q: z.string().min(1).max(200).optional().describe('Part of the email address or the name'),
    plan: planField.optional(),
    limit,
    cursor: cursorField,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({
      users: z.array(Account),
      next: deprecatedNextField,
      pagination: Pagination,
    }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query }, services) => {
    const { cursor, ...filters } = query
    const tokens = readCursor(cursor, (token) => idPattern('acc').test(token))
    const { accounts, next } = await listAccounts({ ...filters, before: tokens.at(-1) }, services)
    const pagination = createPagination(query.limit, tokens, next)
    return {
      data: { users: accounts, next, pagination },
      ...createPageLinks(`${services.config.PUBLIC_URL ?? ''}/v1/admin/users`, query, pagination),
    }
  },
})

export const getUser = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/admin/users/:userId',
  summary: 'Get an account',
  description: 'Includes its plan, role and status.',
  params: UserParams,
  reply: { status: 200, schema: Account },
  errors: ['NOT_FOUND'],
  handle: async ({ params }, services) => ({
    data: requireAccount(await readAccount(services, params.userId), params),
  }),
})

export const changeUser = contract({
  ...sharedContract,
  method: 'PATCH',
  path: '/v1/admin/users/:userId',
  summary: 'Change the plan, the role or the status of an account',
  description:
    'Takes effect within 5 s. Suspended users and former administrators are signed out. You cannot change your own role or status, so that there is always an administrator.',
  params: UserParams,
  body: {
    accepts: ['json'],
    schema: z.strictObject({
      plan: planField.optional(),
      role: Role.optional(),
      status: AccountStatus.optional(),
    }),
    examples: { 'Give a plan': { plan: 'pro' } },
  },
  reply: { status: 200, schema: Account },
  errors: ['NOT_FOUND', 'INVALID_INPUT', 'INVALID_REQUEST', 'CONFLICT'],
  handle: async ({ params, body, principal, sourceIp, log }, services) => {
    const { role, status } = body
    const isOwnAccount = params.userId === principal.ownerId
    if (isOwnAccount && (role !== undefined || status !== undefined))
      throw new AppError(
        'CONFLICT',
        'You cannot change your own role or status. Ask another administrator, or use npm run admin on the server.',
      )
    const changedAccount = await updateAccount(
      params.userId,
      body,
      { id: principal.ownerId, ip: sourceIp },
      services,
    )
    // If publishing fails, the sweep repeats it.
    if (changedAccount) await publishPlanChanges(params.userId, services)
    if (changedAccount) await closeRevokedSockets(params.userId, { bus: services.bus, log })
    return { data: requireAccount(changedAccount?.after, params) }
  },
})

export const listUserSessions = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/admin/users/:userId/sessions',
  summary: 'List the sessions of an account',
  description: 'Sessions in which the user is signed in.',
  params: UserParams,
  query: z.object(wholeListQuery),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ sessions: z.array(SessionView), pagination: Pagination }),
  },
  errors: ['NOT_FOUND', 'INVALID_INPUT'],
  handle: async ({ params, query }, services) => {
    const { id } = requireAccount(await readAccount(services, params.userId), params)
    const { page, pagination } = paginateList(
      await listSessions(id, services),
      query,
      (session) => session.id,
    )
    const url = `${services.config.PUBLIC_URL ?? ''}/v1/admin/users/${id}/sessions`
    return { data: { sessions: [...page], pagination }, ...createPageLinks(url, query, pagination) }
  },
})

export const endUserSession = contract({
  ...sharedContract,
  method: 'DELETE',
  path: '/v1/admin/sessions/:sessionId',
  summary: 'End a session',
  description: 'Signs the user out of this session and closes its WebSockets.',
  params: z.object({ sessionId: text('id').describe('Id of the session, `ses_…`') }),
  reply: { status: 204, schema: z.null(), form: 'empty' },
  errors: ['NOT_FOUND'],
  handle: async ({ params: { sessionId }, principal, sourceIp, log }, services) => {
    const createAuditWrites = (session: SessionView) => [
      createAuditWrite({
        actor: principal.ownerId,
        ip: sourceIp,
        action: 'session.end',
        subject: session.userId,
        before: session.id,
      }),
    ]
    const endedSession =
      idPattern('ses').test(sessionId) && (await endSession(sessionId, services, createAuditWrites))
    if (!endedSession) throw new AppError('NOT_FOUND', `There is no session ${quoteId(sessionId)}.`)
    await closeRevokedSockets(endedSession.userId, { bus: services.bus, log })
    return { data: null }
  },
})

export const listAudit = contract({
  ...sharedContract,
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'List the audit trail',
  description: 'All administrative operations and API key changes in the last 400 days, newest first.',
  query: z.object({
    limit,
    cursor: cursorField,
  }),
  reply: {
    status: 200,
    headers: ['link'],
    schema: z.object({ entries: z.array(AuditEntry), next: deprecatedNextField, pagination: Pagination }),
  },
  errors: ['INVALID_INPUT'],
  handle: async ({ query }, { table, config }) => {
    const tokens = readCursor(query.cursor, (token) => idPattern('aud').test(token))
    const { entries, next } = await listAuditEntries(table, { limit: query.limit, before: tokens.at(-1) })
    const pagination = createPagination(query.limit, tokens, next)
    return {
      data: { entries, next, pagination },
      ...createPageLinks(`${config.PUBLIC_URL ?? ''}/v1/admin/audit`, query, pagination),
    }
  },
})

/** @throws AppError NOT_FOUND */
function requireAccount(account: Account | undefined, { userId }: { readonly userId: string }): Account {
  if (account) return account
  throw new AppError(
    'NOT_FOUND',
    `There is no account ${quoteId(userId)}. GET /v1/admin/users lists the accounts.`,
  )
}

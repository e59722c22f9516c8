import { useState } from 'preact/hooks'
import { defined } from '../../../../lib/validation/defined.ts'
import type { listAudit, listUsers } from '../../../routes/admin-users.ts'
import type { listPlans } from '../../../routes/list-plans.ts'
import { callApi, type ReplyData } from '../../api.ts'
import {
  ActionButton,
  Block,
  type Column,
  Field,
  QueryView,
  StatusLabel,
  Table,
} from '../../ui/components.tsx'
import { formatDateTime } from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import words from './words/en.ts'

type User = ReplyData<typeof listUsers>['users'][number]
type Entry = ReplyData<typeof listAudit>['entries'][number]

const getUserPath = (id: string) => `/v1/admin/users/${encodeURIComponent(id)}`

export function Users() {
  const [query, setQuery] = useState('')
  const users = useQuery(`users ${query}`, () =>
    callApi<ReplyData<typeof listUsers>>(
      `/v1/admin/users?${new URLSearchParams({ limit: '50', ...(query && { q: query }) })}`,
    ),
  )
  const plans = useQuery('plans', () => callApi<ReplyData<typeof listPlans>>('/v1/plans'))
  const changeUser = async (id: string, body: Partial<User>) => {
    await callApi(getUserPath(id), { method: 'PATCH', body })
    await users.reload()
  }
  const columns: readonly Column<User>[] = [
    {
      name: words.account,
      cell: ({ name, email }) => (
        <>
          <bdi>{name}</bdi> <bdi class="hint">{email}</bdi>
        </>
      ),
    },
    {
      name: words.plan,
      cell: ({ id, plan, email }) => (
        <select
          aria-label={words.planOf(email)}
          value={plan}
          onChange={(event) => void changeUser(id, { plan: event.currentTarget.value })}
        >
          {(plans.data?.plans.map((listedPlan) => listedPlan.id) ?? [plan]).map((planId) => (
            <option key={planId} value={planId}>
              {planId}
            </option>
          ))}
        </select>
      ),
    },
    { name: words.role, cell: ({ role }) => words.roles[role] },
    {
      name: words.state,
      cell: ({ status }) => (
        <StatusLabel kind={status === 'active' ? 'good' : 'bad'}>{words.states[status]}</StatusLabel>
      ),
    },
    { name: words.since, cell: ({ createdAt }) => formatDateTime(createdAt) },
    {
      name: words.change,
      cell: ({ id, status }) =>
        status === 'active' ? (
          <ActionButton
            label={words.suspend}
            confirmText={words.suspendConfirm}
            doneText={words.states.suspended}
            action={() => changeUser(id, { status: 'suspended' })}
          />
        ) : (
          <ActionButton
            label={words.restore}
            doneText={words.states.active}
            action={() => changeUser(id, { status: 'active' })}
          />
        ),
    },
  ]
  return (
    <Block title={words.users}>
      <search>
        <Field label={words.searchUsers}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              autocomplete="off"
              onChange={(event) => setQuery(event.currentTarget.value.trim())}
            />
          )}
        </Field>
      </search>
      <QueryView query={users}>
        {(data) => (
          <Table
            caption={words.users}
            columns={columns}
            rows={data.users}
            getKey={({ id }) => id}
            emptyText={words.noUsers}
          />
        )}
      </QueryView>
    </Block>
  )
}

const auditColumns: readonly Column<Entry>[] = [
  { name: words.when, cell: ({ at }) => formatDateTime(at) },
  { name: words.action, cell: ({ action }) => action },
  { name: words.actor, cell: ({ actor, ip }) => [actor, ip].filter(Boolean).join(', ') },
  { name: words.subject, cell: ({ subject }) => subject },
  {
    name: words.diff,
    cell: ({ before, after }) =>
      before === null && after === null ? '–' : `${before ?? '–'} → ${after ?? '–'}`,
  },
]

export function Audit() {
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1)
  const page = useQuery(`audit ${cursor ?? ''}`, () =>
    callApi<ReplyData<typeof listAudit>>(
      `/v1/admin/audit?${new URLSearchParams({ limit: '20', ...defined({ cursor }) })}`,
    ),
  )
  return (
    <Block title={words.audit}>
      <QueryView query={page}>
        {({ entries, next }) => (
          <>
            <Table
              caption={words.audit}
              columns={auditColumns}
              rows={entries}
              getKey={({ id }) => id}
              emptyText={words.noAudit}
            />
            <p class="row">
              {cursors.length > 0 && (
                <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                  {words.newer}
                </button>
              )}
              {next !== null && (
                <button type="button" class="button" onClick={() => setCursors([...cursors, next])}>
                  {words.older}
                </button>
              )}
            </p>
          </>
        )}
      </QueryView>
    </Block>
  )
}

import { useState } from 'preact/hooks'
import type { listAudit, listUsers } from '../../../routes/admin-users.ts'
import type { listPlans } from '../../../routes/list-plans.ts'
import { ask, type DataOf } from '../../api.ts'
import { Act, Block, type Column, Field, Shown, State, Table } from '../../ui/components.tsx'
import { sayMoment } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import words from './words/en.ts'

type User = DataOf<typeof listUsers>['users'][number]
type Entry = DataOf<typeof listAudit>['entries'][number]

const pathOf = (id: string) => `/v1/admin/users/${encodeURIComponent(id)}`

export function Users() {
  const [query, setQuery] = useState('')
  const users = useLoaded(`users ${query}`, () =>
    ask<DataOf<typeof listUsers>>(
      `/v1/admin/users?${new URLSearchParams({ limit: '50', ...(query && { q: query }) })}`,
    ),
  )
  const plans = useLoaded('plans', () => ask<DataOf<typeof listPlans>>('/v1/plans'))
  const change = async (id: string, body: Partial<User>) => {
    await ask(pathOf(id), { method: 'PATCH', body })
    await users.reload()
  }
  const columns: readonly Column<User>[] = [
    {
      name: words.person,
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
          onChange={(event) => void change(id, { plan: event.currentTarget.value })}
        >
          {(plans.data?.plans.map((one) => one.id) ?? [plan]).map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      ),
    },
    { name: words.role, cell: ({ role }) => words.roles[role] },
    {
      name: words.state,
      cell: ({ status }) => <State kind={status === 'active' ? 'good' : 'bad'}>{words.states[status]}</State>,
    },
    { name: words.since, cell: ({ createdAt }) => sayMoment(createdAt) },
    {
      name: words.change,
      cell: ({ id, status }) =>
        status === 'active' ? (
          <Act
            label={words.suspend}
            sure={words.suspendSure}
            done={words.states.suspended}
            does={() => change(id, { status: 'suspended' })}
          />
        ) : (
          <Act
            label={words.restore}
            done={words.states.active}
            does={() => change(id, { status: 'active' })}
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
      <Shown of={users}>
        {(data) => (
          <Table
            caption={words.users}
            columns={columns}
            rows={data.users}
            keyOf={({ id }) => id}
            empty={words.nobody}
          />
        )}
      </Shown>
    </Block>
  )
}

const auditColumns: readonly Column<Entry>[] = [
  { name: words.when, cell: ({ at }) => sayMoment(at) },
  { name: words.what, cell: ({ action }) => action },
  { name: words.who, cell: ({ actor, ip }) => [actor, ip].filter(Boolean).join(', ') },
  { name: words.whom, cell: ({ subject }) => subject },
  {
    name: words.from,
    cell: ({ before, after }) =>
      before === null && after === null ? '–' : `${before ?? '–'} → ${after ?? '–'}`,
  },
]

export function Audit() {
  const [cursors, setCursors] = useState<readonly string[]>([])
  const cursor = cursors.at(-1)
  const page = useLoaded(`audit ${cursor ?? ''}`, () =>
    ask<DataOf<typeof listAudit>>(
      `/v1/admin/audit?${new URLSearchParams({ limit: '20', ...(cursor !== undefined && { cursor }) })}`,
    ),
  )
  return (
    <Block title={words.audit}>
      <Shown of={page}>
        {({ entries, next }) => (
          <>
            <Table
              caption={words.audit}
              columns={auditColumns}
              rows={entries}
              keyOf={({ id }) => id}
              empty={words.noAudit}
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
      </Shown>
    </Block>
  )
}

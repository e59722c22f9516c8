import { useEffect, useState } from 'preact/hooks'
import { getNextRunTime } from '../../../../lib/workflows/cron-schedule.ts'
import type { listRuns, listWorkflows } from '../../../routes/workflows.ts'
import { callApi, Problem, type ReplyData } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { getLocale } from '../../shell/locale.ts'
import { navigate, type PageRoute } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import {
  ActionButton,
  Block,
  type Column,
  ErrorNotice,
  Field,
  Form,
  Page,
  QueryView,
  StatusLabel,
  Table,
} from '../../ui/components.tsx'
import { formatDateTime } from '../../ui/format-values.ts'
import { type Query, useQuery } from '../../ui/use-query.ts'
import { describeCron } from './describe-cron.ts'
import { sortTasks } from './sort-tasks.ts'
import words from './words/en.ts'

type Workflow = ReplyData<typeof listWorkflows>['workflows'][number]
type Run = ReplyData<typeof listRuns>['runs'][number]

const getWorkflowPath = (id: string) => `/v1/workflows/${encodeURIComponent(id)}`

export default function Workflows({ route }: { readonly route: PageRoute }) {
  const id = route.params['workflowId']
  return id ? <WorkflowPage key={id} id={id} /> : <WorkflowList />
}

function WorkflowList() {
  const workflowsQuery = useQuery('workflows', () => callApi<{ workflows: Workflow[] }>('/v1/workflows'))
  const create = async (body: WorkflowFields) => {
    const workflow = await callApi<Workflow>('/v1/workflows', { method: 'POST', body })
    announce(words.created)
    navigate(`/workflows/${workflow.id}`)
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <QueryView query={workflowsQuery}>
        {({ workflows }) => (
          <>
            <Table
              caption={words.title}
              columns={columns}
              rows={workflows}
              getKey={({ id }) => id}
              emptyText={words.none}
            />
            <Block title={words.create}>
              <WorkflowForm submitLabel={words.createButton} action={create} />
            </Block>
          </>
        )}
      </QueryView>
    </Page>
  )
}

interface WorkflowFields {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly overlap: string
  readonly tasks: unknown
}

/** The fields of a workflow, which are empty for a new one. */
function WorkflowForm({
  workflow,
  submitLabel,
  action,
}: {
  readonly workflow?: Workflow
  readonly submitLabel: string
  readonly action: (fields: WorkflowFields) => Promise<unknown>
}) {
  return (
    <Form
      submitLabel={submitLabel}
      action={(formData) => {
        const text = (name: string) => String(formData.get(name))
        return action({
          name: text('name'),
          cron: text('cron'),
          timezone: text('timezone'),
          overlap: text('overlap'),
          tasks: parseTasks(text('tasks')),
        })
      }}
    >
      <Field label={words.name}>
        {(ids) => (
          <input
            {...ids}
            name="name"
            type="text"
            required
            maxLength={200}
            autocomplete="off"
            defaultValue={workflow?.name}
          />
        )}
      </Field>
      <ScheduleFields workflow={workflow} />
      <Field label={words.overlap}>
        {(ids) => (
          <select {...ids} name="overlap" defaultValue={workflow?.overlap}>
            {Object.entries(words.overlaps).map(([value, name]) => (
              <option key={value} value={value} selected={value === workflow?.overlap}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={words.tasks} hint={words.tasksHint}>
        {(ids) => (
          <textarea {...ids} name="tasks" dir="ltr" required spellcheck={false} rows={14}>
            {JSON.stringify(workflow?.tasks ?? example, null, 2)}
          </textarea>
        )}
      </Field>
    </Form>
  )
}

const example = {
  page: { operation: 'import/url', url: 'https://www.example.com/report.docx' },
  pdf: { operation: 'convert', input: 'page', output_format: 'pdf' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: each run fills in the placeholder
  out: { operation: 'export/url', input: 'pdf', filename: 'report-${date}' },
}

function parseTasks(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('PAGE_ERROR', words.notJson(error instanceof Error ? error.message : ''))
  }
}

/** The schedule fields, with a description and the next runs, which are updated while typing. */
function ScheduleFields({ workflow }: { readonly workflow: Workflow | undefined }) {
  const [cron, setCron] = useState(workflow?.cron ?? '0 3 * * *')
  const [timezone, setTimezone] = useState(
    workflow?.timezone ?? (Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'),
  )
  return (
    <>
      <Field label={words.cron} hint={words.cronHint}>
        {(ids) => (
          <input
            {...ids}
            name="cron"
            dir="ltr"
            type="text"
            required
            spellcheck={false}
            autocomplete="off"
            value={cron}
            onInput={(event) => setCron(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={words.timezone}>
        {(ids) => (
          <select
            {...ids}
            name="timezone"
            value={timezone}
            onChange={(event) => setTimezone(event.currentTarget.value)}
          >
            {[...new Set(['UTC', timezone, ...Intl.supportedValuesOf('timeZone')])].map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </select>
        )}
      </Field>
      <NextRuns cron={cron} timezone={timezone} />
    </>
  )
}

const maxShownRuns = 5

function computeNextRuns(cron: string, timezone: string): number[] {
  const runs: number[] = []
  let lastRunMs: number | undefined = Date.now()
  while (lastRunMs !== undefined && runs.length < maxShownRuns) {
    lastRunMs = getNextRunTime({ cron, timezone }, lastRunMs)
    if (lastRunMs !== undefined) runs.push(lastRunMs)
  }
  return runs
}

function NextRuns({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const description = describeCron(cron)
  if (description === undefined)
    return (
      <p class="hint" role="status">
        {words.notCron}
      </p>
    )
  const runs = tryOrUndefined(() => computeNextRuns(cron, timezone)) ?? []
  return (
    <div role="status">
      <p>
        <strong>{description}</strong>
      </p>
      <p class="hint">{words.nextRuns(timezone)}</p>
      <ol class="hint">
        {runs.map((run) => (
          <li key={run}>{formatInZone(timezone, run)}</li>
        ))}
      </ol>
    </div>
  )
}

/** Returns undefined if the action throws: while the user types, the expression is often invalid. */
function tryOrUndefined<Result>(action: () => Result): Result | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}

const formatInZone = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat(getLocale(), { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at)

const getStateLabel = ({ enabled, paused, failures }: Workflow) => {
  if (paused) return <StatusLabel kind="bad">{words.paused}</StatusLabel>
  if (!enabled) return <StatusLabel kind="off">{words.off}</StatusLabel>
  return failures > 0 ? (
    <StatusLabel kind="bad">{words.failures(failures)}</StatusLabel>
  ) : (
    <StatusLabel kind="good">{words.on}</StatusLabel>
  )
}

const columns: readonly Column<Workflow>[] = [
  {
    name: words.name,
    cell: ({ id, name }) => (
      <a href={`/workflows/${id}`}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: words.state, cell: getStateLabel },
  { name: words.cron, cell: ({ cron }) => describeCron(cron) ?? cron },
  { name: words.next, cell: ({ nextRunAt }) => formatDateTime(nextRunAt) },
  {
    name: words.last,
    cell: ({ lastRun }) =>
      lastRun ? `${words.statuses[lastRun.status]}, ${formatDateTime(lastRun.dueAt)}` : '–',
  },
]

function WorkflowPage({ id }: { readonly id: string }) {
  const workflow = useQuery(`workflow ${id}`, async () => {
    const storedWorkflow = await callApi<Workflow>(getWorkflowPath(id))
    return { ...storedWorkflow, tasks: sortTasks(storedWorkflow.tasks) }
  })
  const runs = useQuery(`runs ${id}`, () => callApi<{ runs: Run[] }>(`${getWorkflowPath(id)}/runs`))
  useEffect(() => {
    sectionTitle.value = workflow.data?.name
  }, [workflow.data?.name])
  const reload = () => Promise.all([workflow.reload(), runs.reload()])
  return (
    <QueryView query={workflow}>
      {(data) => (
        <Page title={data.name}>
          <p>{getStateLabel(data)}</p>
          {data.paused && <p class="notice problem">{data.paused.reason}</p>}
          <NextRuns cron={data.cron} timezone={data.timezone} />
          <div class="row">
            <ActionButton
              label={words.runNow}
              kind="primary"
              doneText={words.started}
              action={async () => {
                await callApi(`${getWorkflowPath(id)}/run`, { method: 'POST' })
                await reload()
              }}
            />
            <ActionButton
              label={data.enabled ? words.switchOff : words.switchOn}
              doneText={data.enabled ? words.off : words.on}
              action={async () => {
                await callApi(getWorkflowPath(id), { method: 'PATCH', body: { enabled: !data.enabled } })
                await reload()
              }}
            />
            <ActionButton
              label={words.remove}
              confirmText={words.removeConfirm}
              doneText={words.removed}
              action={async () => {
                await callApi(getWorkflowPath(id), { method: 'DELETE' })
                navigate('/workflows')
              }}
            />
          </div>
          <Block title={words.runs}>
            <Runs query={runs} />
            <p>
              <button type="button" class="button" onClick={() => void reload()}>
                {words.refresh}
              </button>
            </p>
          </Block>
          <Block title={words.edit}>
            <WorkflowForm
              key={JSON.stringify(data.tasks)}
              workflow={data}
              submitLabel={words.save}
              action={async ({ tasks, ...fields }) => {
                // The service masks secrets in tasks, so unchanged tasks must not be sent back.
                const hasNewTasks = JSON.stringify(sortTasks(tasks)) !== JSON.stringify(data.tasks)
                await callApi(getWorkflowPath(id), {
                  method: 'PATCH',
                  body: { ...fields, ...(hasNewTasks && { tasks }) },
                })
                announce(words.saved)
                await reload()
              }}
            />
          </Block>
          <p>
            <a href="/workflows">{words.toAll}</a>
          </p>
        </Page>
      )}
    </QueryView>
  )
}

const kinds: Partial<Readonly<Record<Run['status'], 'good' | 'bad'>>> = { completed: 'good', failed: 'bad' }

const runColumns: readonly Column<Run>[] = [
  { name: words.due, cell: ({ dueAt }) => formatDateTime(dueAt) },
  {
    name: words.state,
    cell: ({ status }) => <StatusLabel kind={kinds[status] ?? 'off'}>{words.statuses[status]}</StatusLabel>,
  },
  { name: words.trigger, cell: ({ trigger }) => words.triggers[trigger] },
  { name: words.ended, cell: ({ endedAt }) => formatDateTime(endedAt) },
  { name: words.job, cell: ({ jobId, error }) => error?.message ?? <code>{jobId ?? '–'}</code> },
]

const Runs = ({ query }: { readonly query: Query<{ runs: Run[] }> }) =>
  query.problem ? (
    <ErrorNotice problem={query.problem} onRetry={query.reload} />
  ) : (
    <Table
      caption={words.runs}
      columns={runColumns}
      rows={query.data?.runs ?? []}
      getKey={({ runId }) => runId}
      emptyText={words.noRuns}
    />
  )

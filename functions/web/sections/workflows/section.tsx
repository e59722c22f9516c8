import { useEffect, useState } from 'preact/hooks'
import { nextRunTime } from '../../../../lib/workflows/cron-schedule.ts'
import type { listRuns, listWorkflows } from '../../../routes/workflows.ts'
import { ask, type DataOf, Problem } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { go, type Whereabouts } from '../../shell/router.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Act, Block, type Column, Field, Form, Page, Shown, State, Table, Trouble } from '../../ui/components.tsx'
import { sayMoment } from '../../ui/format-values.ts'
import { type Loaded, useLoaded } from '../../ui/use-query.ts'
import shell from '../../words/en.ts'
import { cronWords } from './describe-cron.ts'
import words from './words/en.ts'

type Workflow = DataOf<typeof listWorkflows>['workflows'][number]
type Run = DataOf<typeof listRuns>['runs'][number]

const pathOf = (id: string) => `/v1/workflows/${encodeURIComponent(id)}`

export default function Workflows({ at }: { readonly at: Whereabouts }) {
  const id = at.params['workflowId']
  return id ? <One key={id} id={id} /> : <All />
}

function All() {
  const list = useLoaded('workflows', () => ask<{ workflows: Workflow[] }>('/v1/workflows'))
  const create = async (given: FormData) => {
    const workflow = await ask<Workflow>('/v1/workflows', {
      method: 'POST',
      body: {
        name: given.get('name'),
        cron: given.get('cron'),
        timezone: given.get('timezone'),
        overlap: given.get('overlap'),
        tasks: tasksIn(String(given.get('tasks'))),
      },
    })
    announce(words.made)
    go(`/workflows/${workflow.id}`)
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <Shown of={list}>
        {({ workflows }) => (
          <>
            <Table
              caption={words.title}
              columns={columns}
              rows={workflows}
              keyOf={({ id }) => id}
              empty={words.none}
            />
            <Block title={words.create}>
              <Form submit={words.createButton} does={create}>
                <Field label={words.name}>
                  {(ids) => (
                    <input {...ids} name="name" type="text" required maxLength={200} autocomplete="off" />
                  )}
                </Field>
                <Times />
                <Field label={words.overlap}>
                  {(ids) => (
                    <select {...ids} name="overlap">
                      {Object.entries(words.overlaps).map(([value, name]) => (
                        <option key={value} value={value}>
                          {name}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
                <Field label={words.tasks} hint={words.tasksHint}>
                  {(ids) => (
                    <textarea {...ids} name="tasks" required spellcheck={false} rows={14}>
                      {JSON.stringify(example, null, 2)}
                    </textarea>
                  )}
                </Field>
              </Form>
            </Block>
          </>
        )}
      </Shown>
    </Page>
  )
}

const example = {
  page: { operation: 'import/url', url: 'https://www.example.com/report.docx' },
  pdf: { operation: 'convert', input: 'page', output_format: 'pdf' },
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is filled in at each run
  out: { operation: 'export/url', input: 'pdf', filename: 'report-${date}' },
}

function tasksIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Problem('PAGE_ERROR', words.notJson(error instanceof Error ? error.message : ''))
  }
}

/** When it runs: said in words, with the next runs, while it is typed. */
function Times() {
  const [cron, setCron] = useState('0 3 * * *')
  const [timezone, setTimezone] = useState(Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC')
  return (
    <>
      <Field label={words.cron} hint={words.cronHint}>
        {(ids) => (
          <input
            {...ids}
            name="cron"
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
      <Calendar cron={cron} timezone={timezone} />
    </>
  )
}

const shownRuns = 5

function nextRuns(cron: string, timezone: string): number[] {
  const runs: number[] = []
  let last: number | undefined = Date.now()
  while (last !== undefined && runs.length < shownRuns) {
    last = nextRunTime({ cron, timezone }, last)
    if (last !== undefined) runs.push(last)
  }
  return runs
}

function Calendar({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const said = cronWords(cron)
  if (said === undefined)
    return (
      <p class="hint" role="status">
        {words.notCron}
      </p>
    )
  const runs = attempt(() => nextRuns(cron, timezone)) ?? []
  return (
    <div role="status">
      <p>
        <strong>{said}</strong>
      </p>
      <p class="hint">{words.nextRuns(timezone)}</p>
      <ol class="hint">
        {runs.map((run) => (
          <li key={run}>{sayIn(timezone, run)}</li>
        ))}
      </ol>
    </div>
  )
}

/** A time that is being typed is often none yet. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const sayIn = (timeZone: string, at: number) =>
  new Intl.DateTimeFormat(shell.locale, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(at)

const stateOf = ({ enabled, paused, failures }: Workflow) => {
  if (paused) return <State kind="bad">{words.paused}</State>
  if (!enabled) return <State kind="off">{words.off}</State>
  return failures > 0 ? (
    <State kind="bad">{words.failures(failures)}</State>
  ) : (
    <State kind="good">{words.on}</State>
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
  { name: words.state, cell: stateOf },
  { name: words.cron, cell: ({ cron }) => cronWords(cron) ?? cron },
  { name: words.next, cell: ({ nextRunAt }) => sayMoment(nextRunAt) },
  {
    name: words.last,
    cell: ({ lastRun }) => (lastRun ? `${words.statuses[lastRun.status]}, ${sayMoment(lastRun.dueAt)}` : '–'),
  },
]

function One({ id }: { readonly id: string }) {
  const workflow = useLoaded(`workflow ${id}`, () => ask<Workflow>(pathOf(id)))
  const runs = useLoaded(`runs ${id}`, () => ask<{ runs: Run[] }>(`${pathOf(id)}/runs`))
  useEffect(() => {
    sectionTitle.value = workflow.data?.name
  }, [workflow.data?.name])
  const reload = () => Promise.all([workflow.reload(), runs.reload()])
  return (
    <Shown of={workflow}>
      {(data) => (
        <Page title={data.name}>
          <p>{stateOf(data)}</p>
          {data.paused && <p class="notice problem">{data.paused.reason}</p>}
          <Calendar cron={data.cron} timezone={data.timezone} />
          <div class="row">
            <Act
              label={words.runNow}
              kind="primary"
              done={words.started}
              does={async () => {
                await ask(`${pathOf(id)}/run`, { method: 'POST' })
                await reload()
              }}
            />
            <Act
              label={data.enabled ? words.switchOff : words.switchOn}
              done={data.enabled ? words.off : words.on}
              does={async () => {
                await ask(pathOf(id), { method: 'PATCH', body: { enabled: !data.enabled } })
                await reload()
              }}
            />
            <Act
              label={words.remove}
              sure={words.removeSure}
              done={words.removed}
              does={async () => {
                await ask(pathOf(id), { method: 'DELETE' })
                go('/workflows')
              }}
            />
          </div>
          <Block title={words.runs}>
            <Runs of={runs} />
            <p>
              <button type="button" class="button" onClick={() => void reload()}>
                {words.lookAgain}
              </button>
            </p>
          </Block>
          <Block title={words.tasks}>
            <pre class="terminal" dir="ltr">
              <code>{JSON.stringify(data.tasks, null, 2)}</code>
            </pre>
          </Block>
          <p>
            <a href="/workflows">{words.toAll}</a>
          </p>
        </Page>
      )}
    </Shown>
  )
}

const kinds: Partial<Readonly<Record<Run['status'], 'good' | 'bad'>>> = { completed: 'good', failed: 'bad' }

const runColumns: readonly Column<Run>[] = [
  { name: words.due, cell: ({ dueAt }) => sayMoment(dueAt) },
  {
    name: words.state,
    cell: ({ status }) => <State kind={kinds[status] ?? 'off'}>{words.statuses[status]}</State>,
  },
  { name: words.trigger, cell: ({ trigger }) => words.triggers[trigger] },
  { name: words.ended, cell: ({ endedAt }) => sayMoment(endedAt) },
  { name: words.job, cell: ({ jobId, error }) => error?.message ?? <code>{jobId ?? '–'}</code> },
]

const Runs = ({ of }: { readonly of: Loaded<{ runs: Run[] }> }) =>
  of.problem ? (
    <Trouble problem={of.problem} onRetry={of.reload} />
  ) : (
    <Table
      caption={words.runs}
      columns={runColumns}
      rows={of.data?.runs ?? []}
      keyOf={({ runId }) => runId}
      empty={words.noRuns}
    />
  )

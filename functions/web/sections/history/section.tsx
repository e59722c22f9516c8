import { useEffect, useState } from 'preact/hooks'
import type { getJob } from '../../../routes/get-job.ts'
import { ask, cancelJob, type DataOf, deleteJob, type Job, jobStatus, Problem } from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { go, type Whereabouts } from '../../shell/router.ts'
import { useStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import { Act, Block, Field, Page, Shown, State, Table } from '../../ui/components.tsx'
import { sayMoment, sayMs, saySize } from '../../ui/format-values.ts'
import { useLoaded } from '../../ui/use-query.ts'
import rules from './history.css'
import words from './words/en.ts'

useStyles(rules)

type WholeJob = DataOf<typeof getJob>
interface Listed {
  readonly jobs: readonly Job[]
  readonly pagination: { readonly nextCursor: string | null; readonly prevCursor: string | null }
}

/** A job of its own packs them; what is not completed stands in the ZIP's list only. @throws Problem */
async function downloadZip(jobIds: readonly string[]): Promise<void> {
  let job = await ask<Job>('/v1/download/zip?async=true', { method: 'POST', body: { jobIds } })
  const { signal } = new AbortController()
  while (isLive(job)) job = (await jobStatus(job.jobId, signal, 20)).data
  if (!job.result)
    throw new Problem(job.error?.code ?? 'CONVERSION_FAILED', job.error?.message ?? words.noZip)
  location.assign(job.result.downloadUrl)
}

/** `/history` and `/history/job_…`. */
export default function History({ at }: { readonly at: Whereabouts }) {
  const id = at.params['jobId']
  return id ? <One key={id} id={id} /> : <All query={at.query} />
}

const states = ['completed', 'failed', 'processing', 'pending', 'queued', 'cancelled'] as const

const StateOf = ({ status }: { readonly status: Job['status'] }) => (
  <State kind={status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'off'}>
    {words.states[status]}
  </State>
)

const isLive = ({ status }: Pick<Job, 'status'>) => ['pending', 'queued', 'processing'].includes(status)

function All({ query }: { readonly query: URLSearchParams }) {
  const asked = new URLSearchParams([...query].filter(([, value]) => value !== ''))
  const list = useLoaded(`jobs ${asked}`, () =>
    ask<Listed>(`/v1/jobs?${new URLSearchParams([...asked, ['limit', '50']])}`),
  )
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const with_ = (name: string, value: string) => {
    const next = new URLSearchParams([...asked].filter(([other]) => other !== name && other !== 'cursor'))
    if (value) next.set(name, value)
    setChosen(new Set())
    go(`/history?${next}`, { replace: name !== 'cursor' })
  }
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const removeChosen = async () => {
    for (const id of chosen) await deleteJob(id)
    setChosen(new Set())
    await list.reload()
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <search class="row">
        <Field label={words.state}>
          {(ids) => (
            <select
              {...ids}
              value={asked.get('status') ?? ''}
              onChange={(event) => with_('status', event.currentTarget.value)}
            >
              <option value="">{words.any}</option>
              {states.map((state) => (
                <option key={state} value={state}>
                  {words.states[state]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={words.tag}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              value={asked.get('tag') ?? ''}
              onChange={(event) => with_('tag', event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={words.target}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              value={asked.get('targetFormat') ?? ''}
              onChange={(event) => with_('targetFormat', event.currentTarget.value.toLowerCase())}
            />
          )}
        </Field>
      </search>
      <Shown of={list}>
        {({ jobs, pagination }) => {
          const columns = [
            {
              name: words.job,
              cell: (job: Job) => (
                <label class="check">
                  <input type="checkbox" checked={chosen.has(job.jobId)} onChange={() => toggle(job.jobId)} />
                  <a href={`/history/${job.jobId}`}>
                    <bdi>{job.source?.filename ?? job.jobId}</bdi>
                  </a>
                </label>
              ),
            },
            { name: words.target, cell: ({ target }: Job) => target?.format ?? '–' },
            { name: words.state, cell: (job: Job) => <StateOf status={job.status} /> },
            { name: words.created, cell: ({ createdAt }: Job) => sayMoment(createdAt) },
            { name: words.expires, cell: ({ expiresAt }: Job) => sayMoment(expiresAt) },
            {
              name: words.result,
              cell: ({ result }: Job) =>
                result ? (
                  <a href={result.downloadUrl} download>
                    {saySize(result.size)}
                  </a>
                ) : (
                  '–'
                ),
            },
          ]
          const next = pagination.nextCursor
          return (
            <>
              {chosen.size > 0 && (
                <p class="row">
                  <Act
                    label={words.deleteChosen(chosen.size)}
                    sure={words.sure}
                    done={words.deleted}
                    does={removeChosen}
                  />
                  <Act label={words.zip} does={() => downloadZip([...chosen])} />
                </p>
              )}
              <Table
                caption={words.title}
                columns={columns}
                rows={jobs}
                keyOf={({ jobId }) => jobId}
                empty={words.none}
              />
              {next && (
                <p>
                  <button type="button" class="button" onClick={() => with_('cursor', next)}>
                    {words.older}
                  </button>
                </p>
              )}
            </>
          )
        }}
      </Shown>
    </Page>
  )
}

function One({ id }: { readonly id: string }) {
  const job = useLoaded(`job ${id}`, () => ask<WholeJob>(`/v1/jobs/${encodeURIComponent(id)}`))
  const live = job.data && isLive(job.data)
  useEffect(() => {
    sectionTitle.value = job.data?.source?.filename ?? id
  }, [job.data, id])
  useEffect(() => {
    if (!live) return
    const timer = setInterval(() => void job.reload(), 2000)
    return () => clearInterval(timer)
  }, [live, job.reload])
  const again = async () => {
    const made = await ask<Job>(`/v1/jobs/${encodeURIComponent(id)}/retry`, { method: 'POST' })
    announce(words.begun)
    go(`/history/${made.jobId}`)
  }
  const remove = async () => {
    await deleteJob(id)
    go('/history')
  }
  return (
    <Shown of={job}>
      {(whole) => (
        <Page
          title={whole.source?.filename ?? whole.jobId}
          lead={`${words.created} ${sayMoment(whole.createdAt)}`}
        >
          <p class="row">
            <StateOf status={whole.status} />
            {whole.status === 'processing' && (
              <progress aria-label={words.states.processing} max={100} value={whole.progress.percent} />
            )}
          </p>
          {whole.error && (
            <p class="notice problem" role="alert">
              {whole.error.message}
            </p>
          )}
          {whole.warnings.map(({ message }) => (
            <p key={message} class="notice">
              {message}
            </p>
          ))}
          {whole.result && (
            <Block title={words.result}>
              <ul class="stack">
                {whole.result.files.map(({ filename, size, downloadUrl }) => (
                  <li key={downloadUrl}>
                    <a class="button" href={downloadUrl} download>
                      <bdi>{filename}</bdi>
                    </a>{' '}
                    <span class="meta">{saySize(size)}</span>
                  </li>
                ))}
              </ul>
              <p class="meta">{words.until(sayMoment(whole.expiresAt))}</p>
            </Block>
          )}
          <Block title={words.tasks}>
            <TimeLine job={whole} />
          </Block>
          <p class="row">
            {isLive(whole) ? (
              <Act label={words.cancel} does={() => cancelJob(id).then(job.reload)} />
            ) : (
              <Act label={words.again} does={again} />
            )}
            <Act label={words.remove} sure={words.sure} does={remove} />
            <a href="/history">{words.toAll}</a>
          </p>
        </Page>
      )}
    </Shown>
  )
}

/** Every task in a row, with the time it took as a bar; the numbers stand beside it, for those who do not see bars. */
function TimeLine({ job }: { readonly job: WholeJob }) {
  const begin = Date.parse(job.createdAt)
  const end = job.endedAt ? Date.parse(job.endedAt) : Date.now()
  const share = (iso: string) => ((Date.parse(iso) - begin) / Math.max(1, end - begin)) * 100
  const rows = Object.entries(job.tasks)
  type Row = (typeof rows)[number]
  const columns = [
    { name: words.task, cell: ([name]: Row) => <bdi>{name}</bdi> },
    { name: words.operation, cell: ([, { operation }]: Row) => operation },
    { name: words.state, cell: ([, { status, message }]: Row) => message ?? words.taskStates[status] },
    {
      name: words.took,
      isNumber: true,
      cell: ([, { startedAt, endedAt }]: Row) =>
        startedAt && endedAt ? sayMs(Date.parse(endedAt) - Date.parse(startedAt)) : '–',
    },
    {
      name: words.when,
      cell: ([, { startedAt, endedAt }]: Row) =>
        startedAt && (
          <span class="span" aria-hidden="true">
            <span
              style={{
                insetInlineStart: `${share(startedAt)}%`,
                inlineSize: `${Math.max(1, (endedAt ? share(endedAt) : 100) - share(startedAt))}%`,
              }}
            />
          </span>
        ),
    },
  ]
  return (
    <Table caption={words.tasks} columns={columns} rows={rows} keyOf={([name]) => name} empty={words.none} />
  )
}

import { useEffect, useState } from 'preact/hooks'
import type { getJob } from '../../../routes/get-job.ts'
import {
  callApi,
  cancelJob,
  deleteJob,
  explainError,
  fetchJobStatus,
  getResultBytes,
  type Job,
  Problem,
  type ReplyData,
} from '../../api.ts'
import { announce } from '../../shell/announce.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { navigate, type PageRoute } from '../../shell/router.ts'
import { adoptStyles } from '../../shell/styles.ts'
import { sectionTitle } from '../../shell/title.ts'
import {
  ActionButton,
  Block,
  type Column,
  Field,
  Page,
  QueryView,
  ServiceErrorNotice,
  StatusLabel,
  Table,
} from '../../ui/components.tsx'
import { formatDateTime, formatDuration, formatSize } from '../../ui/format-values.ts'
import { useQuery } from '../../ui/use-query.ts'
import { WarningText } from '../../ui/warning-text.tsx'
import rules from './history.css'
import words from './words/en.ts'

adoptStyles(rules)

type JobDetails = ReplyData<typeof getJob>
interface JobListReply {
  readonly jobs: readonly Job[]
  readonly pagination: { readonly nextCursor: string | null; readonly prevCursor: string | null }
}

/** Creates a ZIP of jobs and downloads it; unfinished jobs are only listed in its manifest. @throws Problem */
async function downloadZip(jobIds: readonly string[]): Promise<void> {
  let job = await callApi<Job>('/v1/download/zip?async=true', { method: 'POST', body: { jobIds } })
  const { signal } = new AbortController()
  while (isRunning(job)) job = (await fetchJobStatus(job.jobId, signal, 20)).data
  if (!job.result)
    throw job.error ? await explainError(job.error) : new Problem('CONVERSION_FAILED', words.noZip)
  location.assign(job.result.downloadUrl)
}

/** The section at `/history` and `/history/job_…`. */
export default function History({ route }: { readonly route: PageRoute }) {
  const id = route.params['jobId']
  return id ? <JobPage key={id} id={id} /> : <JobList query={route.query} />
}

const states = ['completed', 'failed', 'processing', 'pending', 'queued', 'cancelled'] as const

const JobStateLabel = ({ status }: { readonly status: Job['status'] }) => (
  <StatusLabel kind={status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'off'}>
    {words.states[status]}
  </StatusLabel>
)

const isRunning = ({ status }: Pick<Job, 'status'>) => ['pending', 'queued', 'processing'].includes(status)

function JobList({ query }: { readonly query: URLSearchParams }) {
  const filters = new URLSearchParams([...query].filter(([, value]) => value !== ''))
  const jobsQuery = useQuery(`jobs ${filters}`, () =>
    callApi<JobListReply>(`/v1/jobs?${new URLSearchParams([...filters, ['limit', '50']])}`),
  )
  const [chosenJobs, setChosenJobs] = useState<ReadonlySet<string>>(new Set())
  const setFilter = (name: string, value: string) => {
    const nextQuery = new URLSearchParams(
      [...filters].filter(([other]) => other !== name && other !== 'cursor'),
    )
    if (value) nextQuery.set(name, value)
    setChosenJobs(new Set())
    navigate(`/history?${nextQuery}`, { replace: name !== 'cursor' })
  }
  const toggle = (id: string) => {
    const nextSelection = new Set(chosenJobs)
    if (!nextSelection.delete(id)) nextSelection.add(id)
    setChosenJobs(nextSelection)
  }
  const deleteChosenJobs = async () => {
    for (const id of chosenJobs) await deleteJob(id)
    setChosenJobs(new Set())
    await jobsQuery.reload()
  }
  return (
    <Page title={words.title} lead={words.lead}>
      <Filters filters={filters} onChange={setFilter} />
      <QueryView query={jobsQuery}>
        {({ jobs, pagination: { nextCursor } }) => (
          <>
            {chosenJobs.size > 0 && (
              <p class="row">
                <ActionButton
                  label={words.deleteChosen(chosenJobs.size)}
                  confirmText={words.confirm}
                  doneText={words.deleted}
                  action={deleteChosenJobs}
                />
                <ActionButton label={words.zip} action={() => downloadZip([...chosenJobs])} />
              </p>
            )}
            <Table
              caption={words.title}
              columns={createJobColumns(chosenJobs, toggle)}
              rows={jobs}
              getKey={({ jobId }) => jobId}
              emptyText={words.none}
            />
            {nextCursor && (
              <p>
                <button type="button" class="button" onClick={() => setFilter('cursor', nextCursor)}>
                  {words.older}
                </button>
              </p>
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}

function Filters(props: {
  readonly filters: URLSearchParams
  readonly onChange: (name: string, value: string) => void
}) {
  const { filters, onChange } = props
  return (
    <search class="row">
      <Field label={words.state}>
        {(ids) => (
          <select
            {...ids}
            value={filters.get('status') ?? ''}
            onChange={(event) => onChange('status', event.currentTarget.value)}
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
            value={filters.get('tag') ?? ''}
            onChange={(event) => onChange('tag', event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label={words.target}>
        {(ids) => (
          <input
            {...ids}
            type="search"
            value={filters.get('targetFormat') ?? ''}
            onChange={(event) => onChange('targetFormat', event.currentTarget.value.toLowerCase())}
          />
        )}
      </Field>
    </search>
  )
}

const createJobColumns = (
  chosenJobs: ReadonlySet<string>,
  toggle: (jobId: string) => void,
): readonly Column<Job>[] => [
  {
    name: words.job,
    cell: (job) => (
      <label class="check">
        <input type="checkbox" checked={chosenJobs.has(job.jobId)} onChange={() => toggle(job.jobId)} />
        <a href={`/history/${job.jobId}`}>
          <bdi>{job.source?.filename ?? job.jobId}</bdi>
        </a>
      </label>
    ),
  },
  { name: words.target, cell: ({ target }) => target?.format ?? '–' },
  { name: words.state, cell: (job) => <JobStateLabel status={job.status} /> },
  { name: words.created, cell: ({ createdAt }) => formatDateTime(createdAt) },
  { name: words.expires, cell: ({ expiresAt }) => formatDateTime(expiresAt) },
  {
    name: words.result,
    cell: ({ result }) =>
      result ? (
        <a href={result.downloadUrl} download>
          {formatSize(getResultBytes(result))}
        </a>
      ) : (
        '–'
      ),
  },
]

const loadFidelityLines = () => import('../convert/fidelity-lines.tsx')

function JobPage({ id }: { readonly id: string }) {
  const job = useQuery(`job ${id}`, () => callApi<JobDetails>(`/v1/jobs/${encodeURIComponent(id)}`))
  const isJobRunning = job.data && isRunning(job.data)
  useEffect(() => {
    sectionTitle.value = job.data?.source?.filename ?? id
  }, [job.data, id])
  useEffect(() => {
    if (!isJobRunning) return
    const timer = setInterval(() => void job.reload(), 2000)
    return () => clearInterval(timer)
  }, [isJobRunning, job.reload])
  const runAgain = async () => {
    const createdJob = await callApi<Job>(`/v1/jobs/${encodeURIComponent(id)}/retry`, { method: 'POST' })
    announce(words.restarted)
    navigate(`/history/${createdJob.jobId}`)
  }
  const remove = async () => {
    await deleteJob(id)
    navigate('/history')
  }
  return (
    <QueryView query={job}>
      {(details) => (
        <Page
          title={details.source?.filename ?? details.jobId}
          lead={`${words.created} ${formatDateTime(details.createdAt)}`}
        >
          <p class="row">
            <JobStateLabel status={details.status} />
            {details.status === 'processing' && (
              <progress aria-label={words.states.processing} max={100} value={details.progress.percent} />
            )}
          </p>
          {details.error && <ServiceErrorNotice error={details.error} />}
          {details.warnings.map((warning) => (
            <div key={warning.message} class="notice">
              <WarningText warning={warning} />
            </div>
          ))}
          {details.result && (
            <Block title={words.result}>
              <ul class="stack">
                {details.result.files.map(({ filename, size, downloadUrl }) => (
                  <li key={downloadUrl}>
                    <a class="button primary" href={downloadUrl} download>
                      <span class="icon icon-download" aria-hidden="true" />
                      <bdi>{filename}</bdi>
                    </a>{' '}
                    <span class="meta">{formatSize(size)}</span>
                  </li>
                ))}
              </ul>
              {details.result.fidelity && (
                <Lazy
                  load={loadFidelityLines}
                  fidelity={details.result.fidelity}
                  target={details.target?.format}
                />
              )}
              <p class="meta">{words.until(formatDateTime(details.expiresAt))}</p>
            </Block>
          )}
          <Block title={words.tasks}>
            <Timeline job={details} />
          </Block>
          <p class="row">
            {isRunning(details) ? (
              <ActionButton label={words.cancel} action={() => cancelJob(id).then(job.reload)} />
            ) : (
              <ActionButton label={words.again} action={runAgain} />
            )}
            <ActionButton label={words.remove} confirmText={words.confirm} action={remove} />
            <a href="/history">{words.toAll}</a>
          </p>
        </Page>
      )}
    </QueryView>
  )
}

/** A row per task, with a bar for its duration and the same numbers as text for people who cannot see the bars. */
function Timeline({ job }: { readonly job: JobDetails }) {
  const begin = Date.parse(job.createdAt)
  const end = job.endedAt ? Date.parse(job.endedAt) : Date.now()
  const toPercent = (iso: string) => ((Date.parse(iso) - begin) / Math.max(1, end - begin)) * 100
  const rows = Object.entries(job.tasks)
  type Row = (typeof rows)[number]
  const columns = [
    { name: words.task, cell: ([name]: Row) => <bdi>{name}</bdi> },
    { name: words.operation, cell: ([, { operation }]: Row) => operation },
    { name: words.state, cell: ([, { status, message }]: Row) => message ?? words.taskStates[status] },
    {
      name: words.duration,
      isNumber: true,
      cell: ([, { startedAt, endedAt }]: Row) =>
        startedAt && endedAt ? formatDuration(Date.parse(endedAt) - Date.parse(startedAt)) : '–',
    },
    {
      name: words.when,
      cell: ([, { startedAt, endedAt }]: Row) =>
        startedAt && (
          <span class="span" aria-hidden="true">
            <span
              style={{
                insetInlineStart: `${toPercent(startedAt)}%`,
                inlineSize: `${Math.max(1, (endedAt ? toPercent(endedAt) : 100) - toPercent(startedAt))}%`,
              }}
            />
          </span>
        ),
    },
  ]
  return (
    <Table
      caption={words.tasks}
      columns={columns}
      rows={rows}
      getKey={([name]) => name}
      emptyText={words.none}
    />
  )
}

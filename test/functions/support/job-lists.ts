// Creates owners with jobs at known minutes, and reads the pages of their job lists.
import assert from 'node:assert/strict'
import { encodeTime } from 'ulid'
import { signOwnerToken } from '../../../lib/access/anonymous.ts'
import { forEachConcurrently } from '../../../lib/async/for-each-concurrently.ts'
import { newId } from '../../../lib/ids.ts'
import { getListKey } from '../../../lib/jobs/list.ts'
import { createGraphRecords, type NewJob } from '../../../lib/jobs/task-graph.ts'
import type { JobStatus } from '../../../lib/model/job.ts'
import { after, before } from '../../hooks.ts'
import { type EmbeddedApp, openApp } from '../../http/embedded-app.ts'

export let app: EmbeddedApp

/** An owner with jobs of every kind. */
export let ownerOfManyJobs: Owner

before(async () => {
  app = await openApp()
  ownerOfManyJobs = await createOwner(
    ...minutesUpTo(230).map((minute) => ({
      minute,
      status: states[minute % states.length] ?? 'queued',
      ...(minute % 10 === 3 && { tag: 'invoices' }),
      target: minute % 4 === 0 ? 'webp' : 'pdf',
      operations: minute % 5 === 0 ? ['convert', 'merge'] : ['convert'],
    })),
  )
})

after(() => app.close())

const states = ['queued', 'processing', 'completed', 'failed', 'cancelled', 'pending'] as const

export const start = Date.parse('2026-03-01T00:00:00.000Z')

export const minuteMs = 60_000

interface GivenJob {
  /** Minutes since `start`, from which ids and times are derived. */
  readonly minute: number
  readonly status?: JobStatus
  readonly tag?: string
  readonly target?: string
  readonly operations?: string[]
  readonly tasks?: number
  /** Milliseconds between choosing the id and creating the job. */
  readonly delayMs?: number
}

export let ownerCount = 0

type OwnerId = { readonly id: string; readonly number: number }

/** Returns the id of an owner's job. The id ends with the number of the owner and the minute. */
export const idAt = ({ number }: OwnerId, minute: number) =>
  `job_${encodeTime(start + minute * minuteMs, 10)}${String(number * 1e6 + minute).padStart(16, '0')}`

/** Stores an owner with jobs. */
export async function createOwner(...jobs: readonly GivenJob[]) {
  const id = newId('anon')
  const token = signOwnerToken(id, app.services.keys.owner)
  const owner = { id, number: ++ownerCount, headers: { 'x-owner-token': token } }
  // With more jobs of many tasks at a time, a write could exceed the table's timeout on a slow machine.
  await forEachConcurrently(jobs, 2, async (job) => {
    await createJob(owner, job)
  })
  return owner
}

export type Owner = Awaited<ReturnType<typeof createOwner>>

export async function createJob(owner: OwnerId, options: GivenJob): Promise<string> {
  const {
    minute,
    status,
    tag = null,
    target = 'pdf',
    operations = ['convert'],
    tasks = 1,
    delayMs = 0,
  } = options
  const { store } = app.services.jobs
  const id = idAt(owner, minute)
  const display = { source: null, target: { format: target }, operations, pollS: 2 }
  const job: NewJob = {
    id,
    owner: owner.id,
    requestId: 'req_1',
    tag,
    display,
    warnings: [],
    retentionS: 3600,
    require: 'all',
    failFast: false,
    tasks: Array.from({ length: tasks }, (_, at) => ({
      name: `import-${at}`,
      operation: 'import/upload',
      ins: [],
      spec: {},
      warnings: [],
      continueOnError: false,
      fixed: { status: 'completed', files: [] },
    })),
  }
  assert.ok(await store.create(createGraphRecords(job, new Date(start + minute * minuteMs + delayMs))))
  if (status) await setStatus(owner, minute, status)
  return id
}

export async function setStatus(owner: OwnerId, minute: number, status: JobStatus): Promise<void> {
  const listKey = getListKey({ owner: owner.id, status })
  const change = listKey ? { set: { status, listKey } } : { set: { status }, remove: ['listKey', 'tagKey'] }
  const { applied } = await app.services.jobs.store.changeJob(idAt(owner, minute), change)
  assert.ok(applied)
}

export async function fetchPage(
  { headers }: Owner,
  query: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const {
    status,
    json,
    text,
    headers: answeredHeaders,
  } = await app.send('GET', '/v1/jobs', { headers, query })
  assert.equal(status, 200, text)
  const { jobs, pagination } = json.data
  return {
    minutes: jobs.map(({ jobId }: { jobId: string }) => Number(jobId.slice(-6))),
    next: pagination.nextCursor,
    prev: pagination.prevCursor,
    hasMore: pagination.hasMore,
    link: answeredHeaders.link,
  }
}

/** Reads all pages in one direction, starting from a given page. */
export async function listPages(
  owner: Owner,
  query: Readonly<Record<string, string>>,
  way: 'next' | 'prev' = 'next',
  firstId?: string,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let cursor: string | null | undefined = firstId; cursor !== null; cursor = pages.at(-1)?.[way]) {
    pages.push(await fetchPage(owner, { ...query, ...(cursor && { cursor }) }))
    assert.ok(pages.length < 60, 'the list has an end')
  }
  return pages
}

export const minutesUpTo = (count: number) => Array.from({ length: count }, (_, minute) => minute)

interface Page {
  readonly minutes: readonly number[]
  readonly next: string | null
  readonly prev: string | null
  readonly hasMore: boolean
  readonly link: string | undefined
}

export const getMinutes = (pages: readonly Page[]) => pages.flatMap(({ minutes }) => minutes)

export const newestFirst = (minutes: readonly number[]) => minutes.toSorted((a, b) => b - a)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getAccountKey } from '../../lib/accounts/accounts.ts'
import type { Jobs } from '../../lib/jobs/jobs.ts'
import { defined } from '../../lib/validation/defined.ts'
import { Workflows } from '../../lib/workflows/workflows.ts'
import { silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp, type RequestOptions } from '../http/embedded-app.ts'

/** Advances the clock by hand: calls the minute schedule with the time at which it would run. */

let app: EmbeddedApp
before(async () => {
  app = await openApp()
})
after(() => app.close())

const tasks = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is filled in at each run
  text: { operation: 'import/raw', filename: 'of-${date}.txt', file: '${date} is text' },
  pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
  out: { operation: 'export/url', input: 'pdf' },
}
const hourlyWorkflow = { name: 'hourly', cron: '0 * * * *', timezone: 'Asia/Kolkata', tasks }

/** Returns a function that sends requests with a new identity. */
function newClient() {
  let token: string | undefined
  return async (method: string, path: string, body?: unknown, query?: RequestOptions['query']) => {
    const headers = token === undefined ? {} : { 'x-owner-token': token }
    const reply = await app.send(method, path, { body, headers, ...defined({ query }) })
    token = reply.headers['x-owner-token'] ?? token
    return { status: reply.status, data: reply.json?.data, error: reply.json?.error }
  }
}
type Send = ReturnType<typeof newClient>

async function createWorkflow(send: Send, changes: Readonly<Record<string, unknown>> = {}) {
  const { status, data } = await send('POST', '/v1/workflows', { ...hourlyWorkflow, ...changes })
  assert.equal(status, 201)
  return data
}

const wake = (id: string, at: string) => new Workflows(app.services).wake(id, new Date(at))
const endJob = (jobId: string, status: 'completed' | 'failed') =>
  app.services.jobs.store.changeJob(jobId, {
    set: {
      status,
      endedAt: new Date().toISOString(),
      ...(status === 'failed' && { error: { code: 'CORRUPT_FILE', message: 'It is damaged.' } }),
    },
  })

const minutesLater = (at: string, minutes: number) =>
  new Date(Date.parse(at) + minutes * 60_000).toISOString()

test('a workflow runs on schedule, and its job belongs to the owner of the workflow', async () => {
  const send = newClient()
  const { id, nextRunAt, timezone } = await createWorkflow(send, { tag: 'every hour' })
  assert.equal(timezone, 'Asia/Kolkata')
  assert.equal(new Date(nextRunAt).getUTCMinutes(), 30, 'a full hour in India')
  await wake(id, minutesLater(nextRunAt, -1))
  const noPages = { hasMore: false, nextCursor: null, prevCursor: null }
  assert.deepEqual((await send('GET', `/v1/workflows/${id}/runs`)).data, {
    runs: [],
    next: null,
    pagination: { limit: 20, ...noPages },
  })
  await wake(id, nextRunAt)
  await wake(id, nextRunAt)
  const { runs } = (await send('GET', `/v1/workflows/${id}/runs`)).data
  assert.deepEqual(
    runs.map((run: Record<string, unknown>) => [run['status'], run['trigger'], run['dueAt']]),
    [['running', 'schedule', nextRunAt]],
  )
  const job = (await send('GET', `/v1/jobs/${runs[0].jobId}`)).data
  const day = new Date(Date.parse(nextRunAt) + 5.5 * 3_600_000).toISOString().slice(0, 10)
  assert.deepEqual([job.tag, job.source.filename], ['every hour', `of-${day}.txt`])
  const listedJobs = (await send('GET', '/v1/jobs', undefined, { tag: 'every hour' })).data
  assert.equal(listedJobs.jobs.length, 1)
  const untaggedWorkflow = (await send('PATCH', `/v1/workflows/${id}`, { tag: null })).data
  assert.equal(untaggedWorkflow.tag, null)

  await endJob(job.jobId, 'completed')
  const concurrentReplies = await Promise.all([
    send('GET', `/v1/workflows/${id}`).then(({ data }) => data.lastRun),
    send('GET', '/v1/workflows').then(({ data }) => data.workflows[0].lastRun),
    send('GET', `/v1/workflows/${id}/runs`).then(({ data }) => data.runs[0]),
  ])
  for (const run of concurrentReplies) assert.equal(run.status, 'completed')
  await wake(id, minutesLater(nextRunAt, 1))
  const workflow = (await send('GET', `/v1/workflows/${id}`)).data
  assert.deepEqual([workflow.lastRun.status, workflow.failures], ['completed', 0])
  assert.equal(workflow.nextRunAt, minutesLater(nextRunAt, 60))
})

test('a workflow run whose process died before creating the job is started when the workflow wakes up again', async () => {
  const send = newClient()
  const { id, nextRunAt } = await createWorkflow(send)
  const jobs = { store: app.services.jobs.store, create: () => Promise.reject(new Error('killed')) }
  const brokenServices = { ...app.services, jobs: jobs as unknown as Jobs }
  await assert.rejects(new Workflows(brokenServices).wake(id, new Date(nextRunAt)), /killed/)
  const { lastRun } = (await send('GET', `/v1/workflows/${id}`)).data
  assert.equal((await send('GET', `/v1/jobs/${lastRun.jobId}`)).status, 404)
  await wake(id, minutesLater(nextRunAt, 1))
  assert.equal((await send('GET', `/v1/jobs/${lastRun.jobId}`)).status, 200)
  assert.equal((await send('GET', `/v1/workflows/${id}/runs`)).data.runs.length, 1)
})

test('a waiting workflow run starts when the previous run has finished', async () => {
  const send = newClient()
  const { id, nextRunAt } = await createWorkflow(send, { overlap: 'queue' })
  const firstRun = (await send('POST', `/v1/workflows/${id}/run`)).data
  assert.deepEqual([firstRun.status, firstRun.trigger], ['running', 'request'])
  await wake(id, nextRunAt)
  const waitingRun = (await send('GET', `/v1/workflows/${id}`)).data.lastRun
  assert.deepEqual([waitingRun.status, waitingRun.jobId], ['waiting', null])
  await endJob(firstRun.jobId, 'completed')
  await wake(id, minutesLater(nextRunAt, 1))
  const startedRun = (await send('GET', `/v1/workflows/${id}`)).data.lastRun
  assert.deepEqual([startedRun.runId, startedRun.status], [waitingRun.runId, 'running'])
  assert.equal((await send('GET', `/v1/jobs/${startedRun.jobId}`)).status, 200)
})

test('with overlap cancel-previous, a workflow run cancels the previous run; with skip, a requested run is refused', async () => {
  const send = newClient()
  const { id, nextRunAt } = await createWorkflow(send, { overlap: 'cancel-previous' })
  const firstRun = (await send('POST', `/v1/workflows/${id}/run`)).data
  await wake(id, nextRunAt)
  assert.equal((await send('GET', `/v1/jobs/${firstRun.jobId}`)).data.status, 'cancelled')
  const { runs } = (await send('GET', `/v1/workflows/${id}/runs`)).data
  assert.deepEqual(
    runs.map(({ status }: { status: string }) => status),
    ['running', 'cancelled'],
  )
  await send('PATCH', `/v1/workflows/${id}`, { overlap: 'skip' })
  const refusedReply = await send('POST', `/v1/workflows/${id}/run`)
  assert.deepEqual([refusedReply.status, refusedReply.error.code], [409, 'CONFLICT'])
})

test('ten consecutive failed runs pause a workflow, and it can be enabled again', async () => {
  const send = newClient()
  const { id, nextRunAt } = await createWorkflow(send)
  const workflow = await new Workflows(app.services).store.find(id)
  assert.ok(workflow)
  const person = { email: 'ada@example.com', emailVerified: true, name: 'Ada', plan: 'free', role: 'USER' }
  const account = { id: workflow.owner, ...person, status: 'active', createdAt: nextRunAt }
  await app.services.table.put({ ...getAccountKey(workflow.owner), ...account })
  const logLines: unknown[] = []
  const log = { ...silentLog, warn: (email: unknown) => logLines.push(email) } as typeof silentLog
  const workflows = new Workflows({ ...app.services, log })
  for (let hour = 0; hour < 10; hour++) {
    await wake(id, minutesLater(nextRunAt, 60 * hour))
    const { lastRun } = (await send('GET', `/v1/workflows/${id}`)).data
    await endJob(lastRun.jobId, 'failed')
    await workflows.wake(id, new Date(minutesLater(nextRunAt, 60 * hour + 1)))
  }
  assert.equal(logLines.length, 1, 'one email, which is logged because there is no mail server')
  assert.match(JSON.stringify(logLines), /ada@example\.com.*“hourly” was paused: 10 runs in a row/)
  const pausedWorkflow = (await send('GET', `/v1/workflows/${id}`)).data
  assert.deepEqual(
    [pausedWorkflow.enabled, pausedWorkflow.nextRunAt, pausedWorkflow.failures],
    [false, null, 10],
  )
  assert.match(pausedWorkflow.paused.reason, /^10 runs in a row failed. Last error: It is damaged\.$/)
  assert.deepEqual(pausedWorkflow.lastRun.error, { code: 'CORRUPT_FILE', message: 'It is damaged.' })
  const enabledWorkflow = (await send('PATCH', `/v1/workflows/${id}`, { enabled: true })).data
  assert.deepEqual(
    [enabledWorkflow.enabled, enabledWorkflow.failures, enabledWorkflow.paused],
    [true, 0, null],
  )
  assert.ok(enabledWorkflow.nextRunAt)
})

test('the runs of a workflow are paginated, newest first', async () => {
  const send = newClient()
  const { id, nextRunAt } = await createWorkflow(send)
  for (let hour = 0; hour < 3; hour++) await wake(id, minutesLater(nextRunAt, 60 * hour))
  const firstPage = (await send('GET', `/v1/workflows/${id}/runs`, undefined, { limit: '2' })).data
  const secondPage = await send('GET', `/v1/workflows/${id}/runs`, undefined, {
    limit: '2',
    before: firstPage.next,
  })
  assert.deepEqual(
    [...firstPage.runs, ...secondPage.data.runs].map(({ dueAt, status }: Record<string, string>) => [
      dueAt,
      status,
    ]),
    [
      [minutesLater(nextRunAt, 120), 'skipped'],
      [minutesLater(nextRunAt, 60), 'skipped'],
      [nextRunAt, 'running'],
    ],
  )
  assert.equal(secondPage.data.next, null)
})

test('a workflow with an unknown target format is refused when it is created or changed', async () => {
  const send = newClient()
  const { id } = await createWorkflow(send)
  const tasksWithUnknownFormat = { ...tasks, pdf: { ...tasks.pdf, output_format: 'xyz' } }
  const createdReply = await send('POST', '/v1/workflows', {
    ...hourlyWorkflow,
    tasks: tasksWithUnknownFormat,
  })
  const changedReply = await send('PATCH', `/v1/workflows/${id}`, { tasks: tasksWithUnknownFormat })
  for (const { status, error } of [createdReply, changedReply])
    assert.deepEqual([status, error.code, error.details.task], [422, 'UNSUPPORTED_FORMAT', 'pdf'])
})

test('secrets of a workflow are hidden, stored encrypted, and cannot be set to their placeholder', async () => {
  const send = newClient()
  const locked = {
    ...tasks,
    pdf: { operation: 'convert', input: 'text', output_format: 'pdf' },
    locked: { operation: 'encrypt-pdf', input: 'pdf', options: { password: 'open sesame' } },
    out: { operation: 'export/url', input: 'locked' },
  }
  const { id, tasks: shownTasks } = await createWorkflow(send, { tasks: locked })
  assert.equal(shownTasks.locked.options.password, '***')
  const storedItem = await app.services.table.get({ pk: `WORKFLOW#${id}`, sk: 'WORKFLOW' })
  assert.doesNotMatch(JSON.stringify(storedItem), /sesame/)
  const { status, error } = await send('PATCH', `/v1/workflows/${id}`, { tasks: shownTasks })
  assert.equal(status, 400)
  assert.match(error.message, /^tasks\.locked\.password: "\*\*\*" is a placeholder for a hidden secret/)
})

// biome-ignore lint/suspicious/noTemplateCurlyInString: this is user input
const exportWithVariable = { ...tasks.out, filename: '${week}' }

test('a workflow with an unknown field or an invalid cron, timezone, task, variable or overlap is rejected', async () => {
  const send = newClient()
  const cases: [Readonly<Record<string, unknown>>, RegExp][] = [
    [{ cron: '* * * * *' }, /^cron: expected at least 5 min/],
    [{ timezone: 'Mars/Olympus' }, /^timezone: /],
    [
      { tasks: { ...tasks, text: { operation: 'import/upload' } } },
      /^tasks\.text\.operation: import\/upload/,
    ],
    [{ tasks: { pdf: tasks.pdf } }, /text/],
    [{ tasks: { ...tasks, out: exportWithVariable } }, /^tasks\.out\.filename: expected \$\{date\}/],
    [{ overlap: 'pile' }, /^overlap: /],
    [{ when: 'now' }, /^when: /],
  ]
  for (const [changes, message] of cases) {
    const { status, error } = await send('POST', '/v1/workflows', { ...hourlyWorkflow, ...changes })
    assert.equal(status, 400, JSON.stringify(changes))
    assert.match(error.message, message)
  }
  assert.deepEqual((await send('GET', '/v1/workflows')).data.workflows, [])
})

test('requests for the workflow of another owner get 404, and so does deleting a workflow twice', async () => {
  const [send, otherClient] = [newClient(), newClient()]
  const { id } = await createWorkflow(send)
  await createWorkflow(otherClient)
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/run'],
    ['GET', '/runs'],
  ]) {
    const { status, error } = await otherClient(
      String(method),
      `/v1/workflows/${id}${path}`,
      method === 'PATCH' ? {} : undefined,
    )
    assert.deepEqual([status, error.code], [404, 'WORKFLOW_NOT_FOUND'], `${method} ${path}`)
  }
  assert.equal((await send('GET', '/v1/workflows')).data.workflows.length, 1)
  assert.equal((await send('DELETE', `/v1/workflows/${id}`)).status, 204)
  assert.equal((await send('DELETE', `/v1/workflows/${id}`)).status, 404)
  assert.deepEqual(await app.services.table.partition(`WORKFLOW#${id}`), [])
  await wake(id, '2030-01-01T00:00:00Z')
})

test('an owner can have fifty workflows, and deleting one allows another', async () => {
  const send = newClient()
  const [{ id }] = [await createWorkflow(send)]
  const { owner } = (await new Workflows(app.services).store.find(id)) ?? {}
  // Pretends that the owner has more workflows.
  await app.services.table.update({ pk: `OWNER#${owner}`, sk: 'COUNTS' }, { set: { WORKFLOW: 49 } })
  const twoReplies = await Promise.all([1, 2].map(() => send('POST', '/v1/workflows', hourlyWorkflow)))
  assert.deepEqual(twoReplies.map(({ status }) => status).sort(), [201, 400])
  assert.match(twoReplies.find(({ error }) => error)?.error.message, /the maximum of 50 workflows/)
  await send('DELETE', `/v1/workflows/${id}`)
  await createWorkflow(send)
})

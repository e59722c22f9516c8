import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BusEvent } from '../../events/index.ts'
import { createEndEvent, createProgressEvent } from '../../lib/jobs/events.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { Gateway } from './gateway.ts'
import { tasks } from './support/example-tasks.ts'

let app: EmbeddedApp

let gateway: Gateway

before(async () => {
  app = await openApp()
  gateway = new Gateway(app.services)
})

after(() => app.close())

/** Creates a job that stays queued, for a new identity or the identity of the token. */
async function createJob(token?: string) {
  const headers = token === undefined ? {} : { 'x-owner-token': token }
  const { headers: responseHeaders, json } = await app.send('POST', '/v1/jobs', { headers, body: { tasks } })
  const state = await app.services.jobs.store.getState(json.data.jobId)
  assert.ok(state)
  return {
    token: token ?? responseHeaders['x-owner-token'] ?? '',
    jobId: state.job.id,
    state,
    owner: state.job.owner,
  }
}

type CreatedJob = Awaited<ReturnType<typeof createJob>>

/** Creates a progress event. */
const createProgressEventAt = ({ state: { job } }: CreatedJob, percent: number, sequence: number): BusEvent =>
  createProgressEvent({ ...job, sequence }, 'event', {
    at: new Date().toISOString(),
    percent,
    stage: 'convert',
  })

const createEndEventOf = ({ state }: CreatedJob): BusEvent =>
  createEndEvent({
    ...state,
    job: { ...state.job, status: 'completed', endedAt: new Date().toISOString(), sequence: 9 },
  })

const connectOwner = (token: string) => gateway.connect({ headers: { 'X-Owner-Token': token } })

test('the socket of a job needs no authentication, reports progress and closes when the job finishes', async () => {
  const createdJob = await createJob()
  const client = await gateway.connect({ query: { jobId: createdJob.jobId } })
  const frame = { jobId: createdJob.jobId, etaMs: null }
  assert.deepEqual(client.frames, [{ ...frame, stage: 'queued', percent: 0, status: 'queued' }])
  await gateway.publish(
    createProgressEventAt(await createJob(createdJob.token), 99, 3),
    createProgressEventAt(createdJob, 40, 3),
    createEndEventOf(createdJob),
  )
  assert.deepEqual(client.frames.slice(1), [
    { ...frame, stage: 'convert', percent: 40, status: 'processing' },
    { ...frame, stage: 'completed', percent: 100, status: 'completed' },
  ])
  assert.equal(client.closed?.code, 1000)
})

test('the socket of a finished job reports the job status and closes, and that of an unknown job is refused with 404', async () => {
  const createdJob = await createJob()
  await app.send('POST', `/v1/jobs/${createdJob.jobId}/cancel`, {
    headers: { 'x-owner-token': createdJob.token },
  })
  const client = await gateway.connect({ query: { jobId: createdJob.jobId } })
  assert.partialDeepStrictEqual(client.frames, [{ status: 'cancelled' }])
  assert.equal(client.closed?.code, 1000)
  for (const jobId of ['job_nonsense', createdJob.jobId.replace(/.{5}$/, 'ZZZZZ')])
    assert.equal((await gateway.connect({ query: { jobId } })).status, 404)
})

/** Reads the events of a stream whose response is buffered, like behind API Gateway. */
const readEventStream = async (jobId: string, headers: Record<string, string> = {}) => {
  const { status, text } = await app.send('GET', `/v1/jobs/${jobId}/events`, { headers })
  const events = [...text.matchAll(/event: (\S+)\nid: (\d+)\ndata: (.*)\n\n/g)]
  return {
    status,
    events: events.map(([, event, id, data = '']) => ({ event, id: Number(id), data: JSON.parse(data) })),
  }
}

test('an event stream starts with a snapshot and resumes after the last received event', async () => {
  const createdJob = await createJob()
  const firstStream = readEventStream(createdJob.jobId)
  // The buffered response ends with the first event.
  await connectClient(createdJob)
  await gateway.publish(createProgressEventAt(createdJob, 10, 4))
  const { events } = await firstStream
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.status ?? data.job.progress.percent]),
    [
      ['snapshot', 'queued'],
      ['job.progress', 10],
    ],
  )
  await gateway.publish(createProgressEventAt(createdJob, 20, 5), createProgressEventAt(createdJob, 30, 6))
  const nextStream = await readEventStream(createdJob.jobId, { 'last-event-id': String(events.at(-1)?.id) })
  assert.deepEqual(
    nextStream.events.map(({ data }) => data.job.progress.percent),
    [20, 30],
  )
  await gateway.publish(createEndEventOf(createdJob))
  const lastStream = await readEventStream(createdJob.jobId, {
    'last-event-id': String(nextStream.events.at(-1)?.id),
  })
  assert.deepEqual(
    lastStream.events.map(({ event }) => event),
    ['job.completed'],
  )
  await app.send('POST', `/v1/jobs/${createdJob.jobId}/cancel`, {
    headers: { 'x-owner-token': createdJob.token },
  })
  const streamAfter = await readEventStream(createdJob.jobId, {
    'last-event-id': String(lastStream.events.at(-1)?.id),
  })
  assert.equal(streamAfter.status, 204, 'browsers do not reconnect')
  assert.deepEqual(
    (await readEventStream(createdJob.jobId, { 'last-event-id': '7' })).events.map(({ event, data }) => [
      event,
      data.status,
    ]),
    [['snapshot', 'cancelled']],
  )
})

test('a live event that is already included in the snapshot is not sent', async () => {
  const createdJob = await createJob()
  const stream = readEventStream(createdJob.jobId)
  await connectClient(createdJob)
  const { sequence } = createdJob.state.job
  await gateway.publish(
    createProgressEventAt(createdJob, 5, sequence),
    createProgressEventAt(createdJob, 10, sequence + 1),
  )
  const { events } = await stream
  assert.deepEqual(
    events.map(({ data }) => data.status ?? data.job.progress.percent),
    ['queued', 10],
  )
})

/** Opens a connection: once it is open, an event stream that was opened earlier has certainly started. */
const connectClient = ({ token }: CreatedJob) => connectOwner(token)

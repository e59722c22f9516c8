// Tests waiting for jobs with a limit, as on AWS, where each waiting request occupies a function.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayWait } from '../../lib/access/wait-limit.ts'
import type { Services } from '../../lib/services/services.ts'
import { after, before } from '../hooks.ts'
import { type EmbeddedApp, openApp } from '../http/embedded-app.ts'
import { tasks } from '../live/support/example-tasks.ts'

let app: EmbeddedApp
let limitedApp: EmbeddedApp
before(async () => {
  app = await openApp()
  limitedApp = app.with({ config: { ...app.services.config, MAX_WAITS: 2 } })
})
after(() => app.close())

/** Resets the counts of waiting requests. */
async function deleteWaitCounters() {
  for (const { pk, sk } of await app.services.table.partition('LIMIT#WAITS'))
    await app.services.table.delete({ pk: String(pk), sk: String(sk) })
}

async function createJob() {
  const { json } = await app.send('POST', '/v1/jobs', { body: { tasks } })
  return String(json.data.jobId)
}

/** Sends a request that asks to wait for 2 s, and returns whether the service waited. */
async function wait(path: string, method = 'GET', body?: unknown) {
  const startedAt = performance.now()
  const { headers, status } = await limitedApp.send(method, path, { headers: { prefer: 'wait=2' }, body })
  assert.ok(status < 300, `status ${status}`)
  assert.equal(headers['preference-applied'] !== undefined, performance.now() - startedAt > 1900)
  return headers['preference-applied']
}

test('waiting requests beyond the limit get an immediate reply, and requests that create jobs have a separate limit', async () => {
  await deleteWaitCounters()
  const jobId = await createJob()
  const paths = [`/v1/status/${jobId}`, `/v1/jobs/${jobId}`, `/v1/status/${jobId}`, `/v1/jobs/${jobId}`]
  const appliedPreferences = await Promise.all(paths.map((path) => wait(path)))
  assert.deepEqual(appliedPreferences.filter((preference) => preference === 'wait=2').length, 2)
  assert.equal(await wait('/v1/jobs', 'POST', { tasks }), 'wait=2')
})

test('a waiting request for a finished job gets an immediate reply and does not count towards the limit', async () => {
  await deleteWaitCounters()
  const jobId = await createJob()
  const { jobs } = app.services
  const job = (await jobs.store.getJob(jobId)) ?? assert.fail()
  await jobs.store.changeJob(job.id, { set: { status: 'cancelled', endedAt: new Date().toISOString() } })
  for (let request = 0; request < 4; request++) {
    const { headers } = await limitedApp.send('GET', `/v1/status/${jobId}`, { headers: { prefer: 'wait=2' } })
    assert.equal(headers['preference-applied'], 'wait=2')
  }
  assert.deepEqual(await app.services.table.partition('LIMIT#WAITS'), [])
})

test('an event stream beyond the limit of waiting requests ends after the snapshot and delays the reconnect by 10 s', async () => {
  await deleteWaitCounters()
  const jobId = await createJob()
  const start = Date.now()
  for (const kind of ['watch', 'stream', 'stream', 'watch'] as const)
    assert.ok(await mayWait(kind, limitedApp.services))
  const { text } = await limitedApp.send('GET', `/v1/jobs/${jobId}/events`)
  assert.ok(Date.now() - start < 5000, 'it is not held for 25 s')
  assert.match(text, /^retry: 10000\n\n/)
  assert.match(text, /event: snapshot\n/)
})

test('the limit of waiting requests applies to each period of 25 s, and no request waits if the database is overloaded', async () => {
  await deleteWaitCounters()
  const now = Date.now()
  const { services } = limitedApp
  const grants = await Promise.all(Array.from({ length: 5 }, () => mayWait('create', services, now)))
  assert.equal(grants.filter(Boolean).length, 2)
  assert.equal(await mayWait('create', services, now + 25_000), true)
  assert.equal(await mayWait('create', app.services, now), true, 'without a limit')
  const table = { update: () => Promise.reject(new Error('throttled')) } as unknown as Services['table']
  assert.equal(await mayWait('create', { ...services, table }), false)
})

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { signOwnerToken } from '../../lib/access/anonymous.ts'
import type { Table } from '../../lib/aws/table.ts'
import { readConfig } from '../../lib/config.ts'
import { parseStage } from '../../lib/deployment/stage.ts'
import { newId } from '../../lib/ids.ts'
import { ConcurrencySlots } from '../../lib/jobs/run/concurrency-slots.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { runTask } from '../../lib/jobs/run/run-task.ts'
import type { Job } from '../../lib/model/job.ts'
import { type Plan, type PlanId, planIds } from '../../lib/plans.ts'
import { readPlans } from '../../lib/services/read-plans.ts'
import type { Services } from '../../lib/services/services.ts'
import { RequestCounts } from '../../lib/usage/request-counts.ts'
import { after, before } from '../hooks.ts'
import { newAccount, newKey } from '../support/account.ts'
import { type EmbeddedApp, openApp } from './embedded-app.ts'
import { methodBindingHandler } from './support/limited-app.ts'

let app: EmbeddedApp

before(async () => {
  app = await openApp()
})

after(() => app.close())

/** Returns an app in which anonymous clients have this plan, with some of its limits changed. */
function createAppWithPlan(plan: PlanId, limits: Partial<Plan> = {}): EmbeddedApp {
  const { config, plans } = app.services
  const changedPlans = Object.fromEntries(planIds.map((id) => [id, { ...plans[id], ...limits }]))
  return app.with({
    config: { ...config, ANONYMOUS_PLAN: plan },
    plans: changedPlans as typeof plans, // has the same keys
  })
}

test('with SANDBOX=1, the free plan has no rate limit, addresses outside SANDBOX_ALLOW get 403, and replies have X-Sandbox', async () => {
  const plans = readPlans({ SANDBOX: '1', PLANS_FILE: undefined })
  assert.equal(plans.anonymous, plans.business)
  assert.deepEqual(
    [plans.free.requestsPerMinute, plans.free.maxFileBytes, plans.free.retentionHours],
    [null, 10_000_000, 1],
  )
  const config = { ...app.services.config, SANDBOX: '1' as const, SANDBOX_ALLOW: ['192.0.2.0/24'] }
  const sandboxApp = app.with({ config, plans })
  const reply = await sandboxApp.send('GET', '/v1/formats/png')
  assert.deepEqual([reply.status, reply.headers['x-sandbox']], [200, 'true'])
  const otherAddressReply = await sandboxApp.send('GET', '/v1/formats/png', { address: '198.51.100.1' })
  assert.deepEqual([otherAddressReply.status, otherAddressReply.headers['x-sandbox']], [403, 'true'])
  assert.equal((await app.send('GET', '/v1/formats/png')).headers['x-sandbox'], undefined)
})

test('jobs above the concurrency limit of the plan wait and start in order', async () => {
  const open = createAppWithPlan('anonymous', {
    requestsPerMinute: null,
    requestsPerHour: null,
    requestsPerDay: null,
  })
  const sentTasks: unknown[] = []
  const groups: unknown[] = []
  const send = async (_queue: string, messages: readonly unknown[], group?: string) => {
    sentTasks.push(...messages)
    groups.push(group)
  }
  const queues = { send }
  const services = { ...open.services, queues: queues as unknown as Services['queues'] }
  const slots = new ConcurrencySlots(services)
  const headers = { 'x-owner-token': signOwnerToken(newId('anon'), app.services.keys.owner) }
  const jobs: Job[] = []
  for (let requestsLeft = 6; requestsLeft > 0; requestsLeft--) {
    const body = new FormData()
    body.set('targetFormat', 'pdf')
    body.append('file', new Blob(['# Hello']), 'page.md')
    const { json } = await open.send('POST', '/v1/convert', { headers, body })
    jobs.push((await open.services.jobs.store.getJob(json.jobId)) ?? assert.fail(json))
  }
  const [firstJob, secondJob, thirdJob, fourthJob, fifthJob, sixthJob] = jobs
  assert.ok(firstJob && secondJob && thirdJob && fourthJob && fifthJob && sixthJob)
  const takeSlot = (job: Job) => slots.acquire(job, { jobId: job.id, task: 1 }, 'document')
  const end = (job: Job) => open.services.jobs.cancel(job.id, 'user')
  assert.deepEqual(
    [await takeSlot(firstJob), await takeSlot(secondJob), await takeSlot(thirdJob)],
    [true, false, false],
  )
  assert.equal(await takeSlot(firstJob), true, 'another task of the same job')
  await slots.release(firstJob)
  assert.deepEqual(sentTasks, [], 'the job has not finished')
  await end(secondJob)
  await end(firstJob)
  await slots.release(firstJob)
  assert.deepEqual(sentTasks, [{ jobId: thirdJob.id, task: 1 }], 'the second job has already finished')
  assert.equal(await takeSlot(thirdJob), true)
  assert.equal(await takeSlot(fourthJob), false)
  // The worker of the third job died before it could release the slot.
  await end(thirdJob)
  await slots.wake(fourthJob.owner)
  assert.deepEqual(sentTasks.slice(1), [{ jobId: fourthJob.id, task: 1 }])
  assert.equal(await takeSlot(fourthJob), true)
  // A job cancelled before it starts passes its slot to the next.
  assert.deepEqual([await takeSlot(fifthJob), await takeSlot(sixthJob)], [false, false])
  await end(fourthJob)
  await slots.release(fourthJob)
  assert.deepEqual(sentTasks.slice(2), [{ jobId: fifthJob.id, task: 1 }])
  await end(fifthJob)
  const neverAborted = new AbortController().signal
  const run = {
    ref: { jobId: fifthJob.id, task: 1 },
    queue: 'document' as const,
    services,
    isShared: false,
    remainingMs: 60_000,
    stopSignal: neverAborted,
    outOfSpaceSignal: neverAborted,
    extendVisibility: async () => {},
  }
  const ran = await runTask(run, convertTask)
  assert.deepEqual(ran, { done: true })
  assert.deepEqual(sentTasks.slice(3), [{ jobId: sixthJob.id, task: 1 }])
  assert.ok(groups.every((group) => group === firstJob.owner))
})

test('the option pdf_engine=other is rejected if the plan excludes it or no second PDF engine is configured', async () => {
  const ask = async (plan: PlanId, path: string, body: unknown) => {
    const headers = { 'x-api-key': await newKey(app.services, await newAccount(app.services, { plan })) }
    return (await app.send('POST', path, { headers, body })).json
  }
  const createJobBody = (pdfEngine: string) => ({
    tasks: {
      text: { operation: 'import/raw', filename: 'a.md', file: '# Hello' },
      pdf: { operation: 'convert', input: 'text', output_format: 'pdf', pdf_engine: pdfEngine },
      out: { operation: 'export/url', input: 'pdf' },
    },
  })
  const createdReply = await ask('free', '/v1/jobs', createJobBody('auto'))
  assert.equal(createdReply.success, true, JSON.stringify(createdReply))
  assert.doesNotMatch(JSON.stringify(createdReply), /UNKNOWN_PARAMETER/)
  const proPlanReply = await ask('pro', '/v1/jobs', createJobBody('other'))
  assert.equal(proPlanReply.error.code, 'INSUFFICIENT_PERMISSIONS')
  assert.match(proPlanReply.error.message, /^tasks\.pdf\.pdfEngine: /)
  assert.equal(
    (await ask('business', '/v1/jobs', createJobBody('other'))).error.code,
    'UNSUPPORTED_CONVERSION',
  )
})

test('the plan of anonymous clients may be configured by its alias', () => {
  assert.equal(readConfig({ ANONYMOUS_PLAN: 'enterprise' }).ANONYMOUS_PLAN, 'business')
  assert.equal(readConfig({}).ANONYMOUS_PLAN, 'self-hosted')
  assert.throws(() => readConfig({ ANONYMOUS_PLAN: 'gold' }), /ANONYMOUS_PLAN: expected anonymous, .*"gold"/)
  assert.equal(parseStage('dev', { anonymousPlan: 'enterprise' }).anonymousPlan, 'business')
})

test('PLANS_FILE overrides limits, and errors in it are reported', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mutabor-plans-'))
  const path = join(dir, 'plans.json')
  const read = (value: unknown) => {
    writeFileSync(path, JSON.stringify(value))
    return readPlans({ PLANS_FILE: path, SANDBOX: '0' })
  }
  try {
    const plans = read({
      free: { requestsPerDay: 7, requestsPerMinute: null },
      enterprise: { filesPerJob: 50 },
    })
    assert.deepEqual([plans.free.requestsPerDay, plans.free.requestsPerMinute], [7, null])
    assert.deepEqual([plans.business.filesPerJob, plans.business.concurrentJobs], [50, 20])
    assert.throws(() => read({ gold: {} }), /PLANS_FILE: expected the plans anonymous, free, .*"gold"/)
    assert.throws(() => read({ free: { perDay: 1 } }), /PLANS_FILE: .*perDay/s)
    assert.throws(() => readPlans({ PLANS_FILE: join(dir, 'none'), SANDBOX: '0' }), /PLANS_FILE/)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('a failing event bus or usage counter does not fail requests', async () => {
  const key = await newKey(app.services, await newAccount(app.services))
  const failToConnect = async () => {
    throw new Error('it does not answer')
  }
  const table = new Proxy(app.services.table, {
    get: (target, name, receiver) =>
      name === 'update'
        ? failToConnect
        : methodBindingHandler.get?.(target, name as keyof Table & string, receiver),
  })
  const requestCounts = new RequestCounts(table, 0)
  const bus = { ...app.services.bus, publish: failToConnect } as unknown as Services['bus']
  const limitedApp = createAppWithPlan('free', { requestsPerDay: 1 }).with({ bus, requestCounts })
  const { status } = await limitedApp.send('POST', '/v1/import/url', {
    headers: { 'x-api-key': key },
    body: { url: 'https://example.com/a.png' },
  })
  assert.equal(status, 202)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attemptTimeoutMs } from '../../lib/webhooks/delivery-attempt.ts'
import { after, before } from '../hooks.ts'
import { Client, startService, type TestService } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openReceiver } from './receiver.ts'

/** Webhooks of one owner under load, with a dead and a slow receiver, while processes are killed. */

const jobsPerSecond = 3
const seconds = 12

let service: TestService
let client: Client
let receiver: Awaited<ReturnType<typeof openReceiver>>
let bytes: Uint8Array<ArrayBuffer>
const environment = { OUTGOING_ALLOW: '127.0.0.0/8' }
before(async () => {
  bytes = new Uint8Array(await readFile(new URL('../fixtures/alpha.png', import.meta.url)))
  receiver = await openReceiver()
  service = await startService(environment)
  client = new Client(service)
})
after(async () => {
  await service.stop()
  receiver.close()
})

async function subscribe(path: string, events = ['job.completed', 'job.failed']): Promise<string> {
  const response = await client.post('/v1/webhooks', { url: receiver.url(path), events })
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}

/** Starts jobs at a constant rate, regardless of whether earlier jobs have ended. */
async function startJobs(count: number, runBetween: (at: number) => Promise<void> = async () => {}) {
  const startedJobs: Promise<string | undefined>[] = []
  for (let at = 0; at < count; at++) {
    await runBetween(at)
    const sentReply = client.convert({ name: `${at}.png`, bytes }, { targetFormat: 'webp' })
    const jobId = async (response: Response) => ((await response.json()) as { jobId?: string }).jobId
    startedJobs.push(sentReply.then(jobId).catch(() => undefined))
    await sleep(1000 / jobsPerSecond)
  }
  return Promise.all(startedJobs)
}

const listJobsAt = (path: string) => new Set(receiver.at(path).map(({ json }) => json.job?.id))
const hasReceivedAll = (path: string, jobs: readonly string[]) => {
  const seenJobs = listJobsAt(path)
  return jobs.every((id) => seenJobs.has(id))
}

test('healthy webhook receivers do not wait for a dead or slow receiver, and get the events of a job in order', async (t) => {
  receiver.setHandler('/dead', () => {})
  receiver.setHandler(
    '/slow',
    (_request, response) => void setTimeout(() => response.writeHead(204).end(), 5000),
  )
  for (const path of ['/a', '/b', '/dead', '/slow']) await subscribe(path)
  await subscribe('/all', ['*'])
  // The first job waits for processes to start.
  await client.accepted(await client.convert({ name: 'first.png', bytes }, { targetFormat: 'webp' }))
  await waitUntil(() => receiver.at('/a').length === 1, 'the first delivery', 30)

  const jobs = (await startJobs(jobsPerSecond * seconds)).map((id) => {
    assert.ok(id)
    return id
  })
  await waitUntil(
    () => ['/a', '/b', '/all'].every((path) => hasReceivedAll(path, jobs)),
    'all deliveries',
    60,
  )
  const delaysMs = receiver
    .at('/a')
    .filter(({ json }) => jobs.includes(json.job.id))
    .map(({ at, json }) => at - Date.parse(json.job.endedAt))
    .sort((a, b) => a - b)
  const p95Ms = delaysMs[Math.floor(delaysMs.length * 0.95)] ?? 0
  t.diagnostic(`${delaysMs.length} ends, p50 ${delaysMs[delaysMs.length >> 1]} ms, p95 ${p95Ms} ms behind`)
  // A delivery that waited for the dead receiver would take at least this long.
  assert.ok(p95Ms < attemptTimeoutMs, `p95 ${p95Ms} ms`)

  const lastSequences = new Map<string, number>()
  for (const { json } of receiver.at('/all')) {
    const { id } = json.job ?? {}
    if (id === undefined) continue
    assert.ok(
      json.sequence > (lastSequences.get(id) ?? 0),
      `${id}: ${json.event} came after ${lastSequences.get(id)}`,
    )
    lastSequences.set(id, json.sequence)
  }
})

/** Returns the child processes of the service whose command line contains the name. */
function listPids(name: string): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args=']).toString().split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent] = /^\s*(\d+)\s+(\d+)/.exec(line) ?? []
    return Number(parent) === service.pid && line.includes(name) ? [Number(pid)] : []
  })
}

test('no webhook event is lost when processes are killed, and repeated events keep their ids', async () => {
  await subscribe('/killed')
  const jobs = await startJobs(40, async (at) => {
    const target = { 8: 'worker.ts deliver', 14: 'worker.ts convert', 20: 'dynoxide' }[at]
    if (target) {
      const pids = listPids(target)
      assert.notEqual(pids.length, 0, target)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
    }
    if (at !== 26) return
    await service.kill()
    service = await startService({ ...environment, PORT: new URL(service.url).port }, service.dataDir)
  })
  // A request that was interrupted by a kill created either no job, or a job that has events.
  const createdJobs = jobs.filter((id) => id !== undefined)
  assert.ok(createdJobs.length >= 25, `${createdJobs.length} jobs were created`)
  // Deliveries that failed twice, which happens on a busy machine, are retried after five minutes.
  await waitUntil(() => hasReceivedAll('/killed', createdJobs), 'all deliveries', 400)
  const ids = new Map<string, string>()
  for (const { json } of receiver.at('/killed')) {
    const previousEventId = ids.get(json.job.id)
    assert.ok(
      previousEventId === undefined || previousEventId === json.id,
      `${json.job.id} was sent as ${previousEventId} and ${json.id}`,
    )
    ids.set(json.job.id, json.id)
  }
})

// Tests packaged functions with the quotas of a new AWS account: many jobs at the same time with webhooks, workflows, a
// video in chunks, and recorded events of AWS. Nothing may fail or stall. There are 24 jobs by default; run 300 with
// JOBS=300 npm run test:slow -- test/functions/packaged-flow.slow.ts
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { after, before } from '../hooks.ts'
import { Client, startPackagedService } from '../packages/packaged-service.ts'
import { scratchFolder } from '../support/scratch-folder.ts'
import type { JobData } from '../support/service.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import { createVideo } from './video-chunk-cases.ts'

const jobCount = Number(process.env['JOBS'] ?? 24)
const clientCount = 4
const workflowCount = 5
/** Allowed average time per job; all functions share two processors. */
const maxSecondsPerJob = 3
/** Seconds that a task may run. */
const taskLimitS = 30
let videoJobId = ''

let packagedService: Awaited<ReturnType<typeof startPackagedService>>
let receiver: Awaited<ReturnType<typeof openReceiver>>
before(async () => {
  receiver = await openReceiver()
  packagedService = await startPackagedService({ TASK_LIMIT_S: String(taskLimitS) })
})
after(async () => {
  receiver?.close()
  await packagedService?.service.stop()
})

type AnyClient = InstanceType<typeof Client>

/** Creates a client with a webhook of its own. */
async function createMember(at: number) {
  const client = new Client(packagedService.service)
  const path = `/hook-${at}`
  const reply = await client.post('/v1/webhooks', { url: receiver.url(path), events: ['job.completed'] })
  assert.equal(reply.status, 201, await reply.clone().text())
  return { client, path }
}

const createMarkdownTasks = (text: string) => ({
  text: { operation: 'import/raw', filename: 'a.md', file: text },
  page: { operation: 'convert', input: 'text', output_format: 'html' },
  out: { operation: 'export/url', input: 'page' },
})

async function createJob(client: AnyClient, tasks: object): Promise<string> {
  const reply = await client.post('/v1/jobs', { tasks })
  const body = (await reply.json()) as { data: { jobId: string } }
  assert.equal(reply.status, 202, JSON.stringify(body))
  return body.data.jobId
}

const fetchStatus = async (client: AnyClient, jobId: string) => {
  const reply = await client.fetch(`/v1/status/${jobId}`)
  return ((await reply.json()) as { data: JobData }).data
}

const listJobIds = (path: string) => receiver.at(path).map(({ json }) => json.job.id as string)

test(`${jobCount} jobs of ${clientCount} clients complete, and each job is reported to the webhook of its client`, {
  timeout: 1_200_000,
}, async (t) => {
  const startedAtMs = performance.now()
  const members = await Promise.all(Array.from({ length: clientCount }, (_, at) => createMember(at)))
  const createdJobs = await Promise.all(
    members.map(async ({ client, path }, member) => {
      const jobIds: string[] = []
      for (let at = member; at < jobCount; at += clientCount)
        jobIds.push(await createJob(client, createMarkdownTasks(`# ${at}`)))
      return { client, path, jobIds }
    }),
  )
  t.diagnostic(`created after ${Math.round((performance.now() - startedAtMs) / 1000)} s`)
  const areAllJobsReported = () =>
    createdJobs.every(({ path, jobIds }) => new Set(listJobIds(path)).size >= jobIds.length)
  await waitUntil(areAllJobsReported, 'each job is announced', 60 + maxSecondsPerJob * jobCount)
  for (const { client, path, jobIds } of createdJobs) {
    assert.deepEqual([...new Set(listJobIds(path))].toSorted(), jobIds.toSorted())
    for (const jobId of jobIds) assert.equal((await fetchStatus(client, jobId)).status, 'completed', jobId)
  }
  const throttledCount = packagedService
    .readLogLines()
    .filter(({ msg }) => msg === 'an invocation was throttled').length
  t.diagnostic(
    `${Math.round((performance.now() - startedAtMs) / 1000)} s, ${throttledCount} invocations throttled`,
  )
})

test('packaged functions run several workflows at the same time', { timeout: 300_000 }, async () => {
  const { client, path } = await createMember(clientCount)
  const ids: string[] = []
  for (let at = 0; at < workflowCount; at++) {
    const reply = await client.post('/v1/workflows', {
      name: `often ${at}`,
      cron: '0 * * * *',
      timezone: 'UTC',
      tasks: createMarkdownTasks('# Workflow'),
    })
    assert.equal(reply.status, 201, await reply.clone().text())
    const { data: workflow } = (await reply.json()) as { data: { id: string } }
    ids.push(workflow.id)
  }
  // Starts a single run of each workflow, because a second run at the same time would be refused.
  const runs = ids.map((id) => client.post(`/v1/workflows/${id}/run`, {}))
  for (const { status } of await Promise.all(runs)) assert.equal(status, 202)
  await waitUntil(() => new Set(listJobIds(path)).size === workflowCount, 'each run is announced', 240)
})

test('a video that takes longer than a function may run is encoded in chunks', {
  timeout: 600_000,
}, async () => {
  const file = join(scratchFolder('video'), 'video.mp4')
  createVideo(file, '1280x720', '25', 4 * taskLimitS)
  const client = new Client(packagedService.service)
  const bytes = new Uint8Array(readFileSync(file))
  const { uploadId, url, headers } = await client.presign({
    filename: 'video.mp4',
    contentType: 'video/mp4',
    size: bytes.length,
  })
  const put = await fetch(url, { method: 'PUT', headers: { ...headers }, body: bytes })
  assert.equal(put.status, 200)
  const job = await client.accepted(
    await client.post('/v1/convert', {
      uploadId,
      targetFormat: 'mkv',
      options: { mode: 'encode', preset: 'ultrafast' },
    }),
  )
  videoJobId = job.jobId
  assert.equal(job.status, 'completed', JSON.stringify(job.error))
  const splits = packagedService.readLogLines().filter(({ msg }) => msg === 'task split into chunks')
  assert.deepEqual(
    splits.map(({ jobId }) => jobId),
    [videoJobId],
  )
})

const recordedEvents: readonly (readonly [functionName: string, file: string])[] = [
  ['api', 'http-api-get'],
  ['conversion', 'http-api-form'],
  ['receive-upload', 's3-object-created'],
  ['dispatch', 'event-bridge'],
  ['sweep', 'scheduled'],
  ['sockets', 'websocket-disconnect'],
]
for (const [functionName, file] of recordedEvents) {
  test(`the package of ${functionName} handles the recorded event ${file}`, async () => {
    const event = JSON.parse(
      readFileSync(new URL(`../../events/recorded/${file}.json`, import.meta.url), 'utf8'),
    )
    let reply: Response | undefined
    // The call is repeated while all concurrent executions are in use.
    await waitUntil(async () => {
      reply = await packagedService.invoke(functionName, event)
      return reply.status === 200
    }, 'the function runs')
    assert.equal(reply?.headers.get('x-amz-function-error'), null, await reply?.text())
  })
}

type LogLine = ReturnType<typeof packagedService.readLogLines>[number]

/** A chunk that is too slow is repeated by another worker: on a busy machine, that is no failure. */
const isSlowChunk = ({ msg, error, jobId, part }: LogLine) =>
  msg === 'attempt failed' &&
  jobId === videoJobId &&
  part !== undefined &&
  JSON.stringify(error).includes(`the chunk took longer than ${taskLimitS} s`)

test('no packaged function lacked a permission or failed, except that each chunk may once take too long', (t) => {
  const { failed, denied } = packagedService.findFailures()
  const slowChunks = failed.filter(isSlowChunk).map(({ part }) => part)
  t.diagnostic(`${slowChunks.length} chunks took longer than ${taskLimitS} s`)
  assert.deepEqual([failed.filter((line) => !isSlowChunk(line)), denied], [[], []])
  assert.equal(new Set(slowChunks).size, slowChunks.length, `repeated more than once: ${slowChunks}`)
})

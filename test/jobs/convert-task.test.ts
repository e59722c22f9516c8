import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Vault } from '../../lib/crypto/sealed.ts'
import { doneOutcome } from '../../lib/jobs/run/claimed-task.ts'
import { convertTask } from '../../lib/jobs/run/convert-task.ts'
import { Lease, LeaseLostError } from '../../lib/jobs/run/lease.ts'
import type { TaskRun } from '../../lib/jobs/run/task-run.ts'
import { createChunkRecord, getSpeculativeCopyNumber } from '../../lib/jobs/task-graph.ts'
import { createLog } from '../../lib/log.ts'
import type { InputPlan, Task } from '../../lib/model/job.ts'
import { createMemoryJobs } from './memory-jobs.ts'
import { createNoOpEngines, importedDocument } from './no-op-engine.ts'
import { createRecords, createStoredImport, newTask, secondsLater } from './records.ts'

const log = createLog({ LOG_LEVEL: 'silent', LOG_FILE: undefined })
const vault = new Vault('a secret of tests that is long enough')
const engines = createNoOpEngines(() => assert.fail('no engine must run'))
const warning = { code: 'REDUCED', message: 'Less.' }

/** Handles the message of a document that has arrived in the queue of the wrong container image. */
async function handleInWrongQueue(moreFields: Partial<Task> = {}, chunkNumber?: number) {
  const { jobs, store, takeSentTasks } = createMemoryJobs()
  const source = createStoredImport('in')
  const completedFields = { status: 'completed' as const, files: [importedDocument] }
  const conversion = newTask('a', [0], { spec: { to: 'png', options: {} }, warnings: [warning] })
  await jobs.create(createRecords([{ ...source, fixed: completedFields }, conversion]))
  takeSentTasks()
  const ref = { jobId: 'job_1', task: 1 }
  const { record } = await store.changeTask(ref, { set: moreFields })
  assert.ok(record)
  if (chunkNumber !== undefined)
    await store.addChunks([createChunkRecord(record, chunkNumber, {}, secondsLater(0))])
  const services = { jobs, vault, engines: async () => engines }
  const run = { services, queue: 'av', ref: { ...ref, part: chunkNumber }, extendVisibility: async () => {} }
  const lease = new Lease(run as unknown as TaskRun, 'lease_1', log) // a stub with only the members that are used
  const { record: claimedTask } = await lease.claim()
  const state = claimedTask && (await store.getInputs(claimedTask))
  assert.ok(state)
  const outcome = convertTask(run as unknown as TaskRun, { task: claimedTask, state, lease, log })
  return { outcome, sent: takeSentTasks, readTask: () => store.getTask(ref) }
}

test('a task that needs another container image is handed over with its plan and keeps its warnings', async () => {
  const { outcome, sent, readTask } = await handleInWrongQueue()
  assert.equal(await outcome, doneOutcome)
  const { status, attempt, pieces, warnings, leaseId } = (await readTask()) ?? {}
  assert.deepEqual([status, attempt, leaseId, warnings, sent()], ['pending', 0, undefined, [warning], [1]])
  assert.deepEqual(
    pieces?.map(({ steps, step, files }) => [steps.map(({ engine }) => engine), step, files.length]),
    [[['libreoffice', 'vips'], 0, 1]],
  )
})

test('a plan that is handed over to another container image contains only encrypted secrets', async () => {
  const password = vault.seal('open sesame', 'job_1')
  const step = { operation: 'convert', engine: 'vips', image: 'image', from: 'pdf', to: 'png' } as const
  const inputPlan: InputPlan = {
    steps: [{ ...step, options: { name: 'a', password } }],
    step: 0,
    files: [importedDocument],
  }
  const { outcome, readTask } = await handleInWrongQueue({ pieces: [inputPlan] })
  assert.equal(await outcome, doneOutcome)
  const [remainingPlan] = (await readTask())?.pieces ?? []
  const options = remainingPlan?.steps[0]?.options
  assert.equal(options?.['name'], 'a')
  assert.doesNotMatch(JSON.stringify(options), /sesame/)
  assert.equal(vault.unsealAll(options, 'job_1')?.['password'], 'open sesame')
})

test('a speculative copy is not started when the original chunk is complete', async () => {
  const splitFields: Partial<Task> = {
    status: 'processing',
    expandedBy: 1,
    partCount: 2,
    open: new Set([1001]),
  }
  const { outcome } = await handleInWrongQueue(splitFields, getSpeculativeCopyNumber(1000))
  await assert.rejects(outcome, LeaseLostError)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimedTask, doneOutcome, type MessageOutcome } from '../../lib/jobs/run/claimed-task.ts'
import { runMessage } from '../../lib/jobs/run/run-message.ts'
import { silentLog } from '../embedded-aws/dynamodb/start-dynamodb.ts'
import { complete, createStoredImport, newJob, newTask } from './records.ts'

const { job, fixed, tasks } = newJob([createStoredImport('in'), newTask('work', [0])])

/** Handles the message of a task, and records the calls to the queue. */
async function handle(
  action: () => Promise<MessageOutcome>,
  { isSigned = false, isClaimed = true, refuses: isRefused = false, isTableDown = false } = {},
) {
  const queueCalls: unknown[] = []
  const queues = {
    extendVisibility: async (queue: string, receipt: string, seconds: number) => {
      if (isRefused) throw new Error('The queue is unavailable.')
      queueCalls.push([queue, receipt, seconds])
    },
    send: async (queue: string, messages: readonly object[], group: string) =>
      void queueCalls.push([queue, ...messages, group]),
  }
  const [one] = tasks
  const over = { ...one, ...complete(3) }
  const store = {
    changeTask: async () => {
      if (isTableDown) throw new Error('The table is unavailable.')
      return { applied: isClaimed, record: isClaimed ? { ...one, attempt: 1 } : over }
    },
    getJob: async () => job,
    getInputs: async () => ({ job, fixed, tasks, chunks: [] }),
    getTask: async () => over,
  }
  const completion = { completeTask: async () => {} }
  const taskSender = { retryQueue: (queue: string) => `${queue} again` }
  const services = {
    queues,
    log: silentLog,
    jobs: { store, completion, taskSender },
    config: {
      TASK_FILES: isSigned ? 'signed' : 'direct',
      ANONYMOUS_PLAN: 'free',
      MAX_FILE_MB: 1,
      RETENTION_HOURS: 1,
    },
    plans: { free: { concurrentJobs: null } },
  }
  const record = { receiptHandle: 'r1', body: JSON.stringify({ jobId: 'job_1', task: 1 }) }
  const run = { services, queue: 'image', remainingMs: 60_000, stopSignal: new AbortController().signal }
  const isHandled = await runMessage(
    record,
    run as unknown as Parameters<typeof runMessage>[1], // a stub with only the members that are used
    (_run, _claimed: ClaimedTask) => action(),
  )
  return { isHandled, queueCalls }
}

test('the message of a task that has ended is deleted', async () => {
  assert.deepEqual(await handle(async () => doneOutcome), { isHandled: true, queueCalls: [] })
  const { isHandled } = await handle(() => assert.fail('the task is over'), { isClaimed: false })
  assert.equal(isHandled, true)
})

test('the message of a task that must be retried is delivered again after the requested time', async () => {
  const { isHandled, queueCalls } = await handle(async () => ({ done: false, retryInS: 7 }))
  assert.deepEqual([isHandled, queueCalls], [false, [['image', 'r1', 7]]])
})

test('a task message without presigned URLs, or with rejected URLs, is sent back to be signed again', async () => {
  const sentMessage = ['image again', { jobId: 'job_1', task: 1 }, job.owner]
  const unsignedOutcome = await handle(() => assert.fail('it has no access to files'), { isSigned: true })
  const refusedOutcome = await handle(async () => ({ done: false, resend: 'signed', retryInS: 0 }))
  assert.deepEqual(
    [unsignedOutcome, refusedOutcome],
    Array(2).fill({ isHandled: true, queueCalls: [sentMessage] }),
  )
})

test('a task message that could not be processed is delivered again after 5 seconds, or later if the queue fails too', async () => {
  const unavailableTable = { isTableDown: true }
  assert.deepEqual(await handle(async () => doneOutcome, unavailableTable), {
    isHandled: false,
    queueCalls: [['image', 'r1', 5]],
  })
  assert.deepEqual(await handle(async () => doneOutcome, { ...unavailableTable, refuses: true }), {
    isHandled: false,
    queueCalls: [],
  })
})
